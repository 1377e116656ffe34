"""Judge every published claim of one paper."""

from replication.pipeline.fork_server import run

run(
    "replication.judging.verdicts:judge",
    snakemake.log[0],
    job=snakemake.params.job,
    inputs=dict(snakemake.input.items()),
    output=snakemake.output.verdicts,
    readings=snakemake.output.readings,
)
