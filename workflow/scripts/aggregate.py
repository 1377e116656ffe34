"""Aggregate the runs of one experiment."""

from causal_bandits.evaluation.aggregate import aggregate
from causal_bandits.evaluation.runs import read_runs
from causal_bandits.joblog import logged

with logged(snakemake.log[0]):
    runs = read_runs(snakemake.input.runs, snakemake.params.runs)
    aggregate(runs, snakemake.params.job, snakemake.output.curves, snakemake.output.finals)
