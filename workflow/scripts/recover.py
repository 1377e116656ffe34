"""Recover a problem's parameters from published curves."""

from replication.pipeline.fork_server import run

run(
    snakemake.params.function,
    snakemake.log[0],
    job=snakemake.params.job,
    curves=snakemake.input.curves,
    accepted=snakemake.output.accepted,
    ranking=snakemake.output.ranking,
)
