"""Make one table."""

from causal_bandits.joblog import logged
from causal_bandits.tabulate import tabulate

with logged(snakemake.log[0]):
    tabulate(snakemake.params.job, dict(snakemake.input.items()), list(snakemake.output))
