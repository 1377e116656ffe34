"""Put the verdicts of all papers into one table, and count them."""

from causal_bandits.evaluation.verdict_tables import combine
from causal_bandits.joblog import logged

with logged(snakemake.log[0]):
    combine(list(snakemake.input), snakemake.output.csv, snakemake.output.summary)
