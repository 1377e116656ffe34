"""Put the verdicts of all papers into one table, and count them."""

from replication.pipeline.fork_server import run

run(
    "replication.judging.verdict_tables:combine",
    snakemake.log[0],
    tables=list(snakemake.input),
    output=snakemake.output.csv,
    summary=snakemake.output.summary,
)
