"""Aggregate the runs of one experiment."""

from replication.pipeline.fork_server import run

run(
    "replication.pipeline.aggregate:aggregate_files",
    snakemake.log[0],
    runs=list(snakemake.input.runs),
    expected=snakemake.params.runs,
    job=snakemake.params.job,
    curves=snakemake.output.curves,
    finals=snakemake.output.finals,
)
