"""Put the verdicts of all papers into one table, and count them."""

from replication.pipeline.fork_server import run

run(
    "replication.pipeline.seals:make",
    snakemake.log[0],
    call="replication.judging.verdict_tables:combine",
    sealed=[snakemake.output.verdicts, snakemake.output.readings, snakemake.output.summary],
    seal_path=snakemake.output.seal,
    made_from=snakemake.params.made_from,
    tables=list(snakemake.input.verdicts),
    readings=list(snakemake.input.readings),
    published=list(snakemake.input.published),
    output=snakemake.output.verdicts,
    output_readings=snakemake.output.readings,
    summary=snakemake.output.summary,
)
