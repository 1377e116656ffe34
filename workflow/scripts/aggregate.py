"""Aggregate the runs of one experiment."""

from causal_bandits.joblog import logged
from causal_bandits.metrics import aggregate

with logged(snakemake.log[0]):
    aggregate(snakemake.input.runs, snakemake.output.curves, snakemake.output.finals)
