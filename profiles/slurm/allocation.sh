#!/bin/sh
#SBATCH --job-name=causal-bandits
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --mem-per-cpu=1G
#SBATCH --time=02:00:00
# The study in one allocation of one node, from the top folder, after `make env`:
#     sbatch -c 32 profiles/slurm/allocation.sh [arguments of Snakemake, for instance lee2019]
# Jobs that run at the same time need no more memory than the allocation has.
# Before the time is over Snakemake is told to stop (LIMIT=115m), which leaves no lock: submit it again, and it goes on.
set -eu
export PATH="$PWD/.venv/bin:$PATH"
exec timeout --signal=INT "${LIMIT:-115m}" snakemake --cores "$SLURM_CPUS_PER_TASK" \
    --resources mem_mb="${SLURM_MEM_PER_NODE:-$((SLURM_MEM_PER_CPU * SLURM_CPUS_PER_TASK))}" --max-jobs-per-timespan 1000/10s "$@"
