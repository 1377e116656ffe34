"""Make one table."""

from experiments.files import logged

with logged(snakemake.log[0]):
    from experiments.drawing.tabulate import tabulate

    tabulate(snakemake.params.job, dict(snakemake.input.items()), list(snakemake.output))
