"""Put the verdicts of all papers into one table, and count them."""

from replication.pipeline.fork_server import run

run(
    "replication.judging.verdict_tables:combine",
    snakemake.log[0],
    tables=list(snakemake.input.verdicts),
    readings=list(snakemake.input.readings),
    published=list(snakemake.input.published),
    output=snakemake.output.verdicts,
    output_readings=snakemake.output.readings,
    summary=snakemake.output.summary,
)
