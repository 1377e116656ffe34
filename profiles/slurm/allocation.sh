#!/bin/sh
#SBATCH --job-name=causal-bandits
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --mem-per-cpu=1G
#SBATCH --time=02:00:00
# The study in one allocation of one node, from the top folder, after `make env`:
#     sbatch -c 32 profiles/slurm/allocation.sh [arguments of Snakemake, for instance lee2019]
# An allocation that ends too early costs what was running only: submit it again.
set -eu
export PATH="$PWD/.venv/bin:$PATH"
exec snakemake --cores "$SLURM_CPUS_PER_TASK" "$@"
