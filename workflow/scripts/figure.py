"""Draw one figure."""

from causal_bandits.joblog import logged
from causal_bandits.plotting import draw

with logged(snakemake.log[0]):
    draw(snakemake.params.job, dict(snakemake.input.items()), list(snakemake.output))
