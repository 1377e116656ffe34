"""Judge every published claim of one paper."""

from experiments.files import logged

with logged(snakemake.log[0]):
    from replication.judging.verdicts import judge

    judge(snakemake.params.job, dict(snakemake.input.items()), *snakemake.output)
