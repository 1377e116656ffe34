"""Make one table of the stages before the simulation."""

from causal_bandits.joblog import logged
from causal_bandits.stages import make

with logged(snakemake.log[0]):
    make(snakemake.output[0], snakemake.params.job, dict(snakemake.input.items()))
