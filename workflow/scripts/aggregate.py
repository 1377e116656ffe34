"""Aggregate the runs of one experiment."""

from causal_bandits.jobs import run

run(
    "causal_bandits.evaluation.aggregate:aggregate_files",
    snakemake.log[0],
    runs=list(snakemake.input.runs),
    expected=snakemake.params.runs,
    job=snakemake.params.job,
    curves=snakemake.output.curves,
    finals=snakemake.output.finals,
)
