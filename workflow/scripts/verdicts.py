"""Judge every published claim of one paper."""

from experiments.log import logged
from replication.judging.verdicts import judge

with logged(snakemake.log[0]):
    judge(snakemake.params.job, dict(snakemake.input.items()), *snakemake.output)
