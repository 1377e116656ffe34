"""Put the verdicts of all papers into one table, and count them."""

from causal_bandits.joblog import logged
from causal_bandits.verdicts import combine

with logged(snakemake.log[0]):
    combine(list(snakemake.input), snakemake.output.csv, snakemake.output.summary)
