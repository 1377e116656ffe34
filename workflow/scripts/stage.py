"""Make one table of a stage before the experiments."""

from experiments.log import logged
from experiments.stages import make

with logged(snakemake.log[0]):
    make(snakemake.output[0], snakemake.params.job, dict(snakemake.input.items()))
