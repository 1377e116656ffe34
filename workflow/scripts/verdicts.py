"""Judge every published claim of one paper."""

from causal_bandits.evaluation.verdicts import judge
from causal_bandits.joblog import logged

with logged(snakemake.log[0]):
    judge(snakemake.params.job, dict(snakemake.input.items()), snakemake.output[0])
