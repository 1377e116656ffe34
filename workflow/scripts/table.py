"""Make one table."""

from experiments.drawing.tabulate import tabulate
from experiments.log import logged

with logged(snakemake.log[0]):
    tabulate(snakemake.params.job, dict(snakemake.input.items()), list(snakemake.output))
