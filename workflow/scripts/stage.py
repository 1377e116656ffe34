"""Make one table of a stage that precedes the experiments."""

from experiments.files import logged

with logged(snakemake.log[0]):
    from experiments.stages import make

    make(snakemake.output[0], snakemake.params.job, dict(snakemake.input.items()))
