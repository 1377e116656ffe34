"""Play one experiment and aggregate its runs."""

from experiments.files import logged

with logged(snakemake.log[0]):
    from experiments.experiment import make

    make(snakemake.params.job, dict(snakemake.input.items()), *snakemake.output, snakemake.threads)
