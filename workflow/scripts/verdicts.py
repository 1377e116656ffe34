"""Judge every published claim of one paper."""

from replication.pipeline.fork_server import run

run(
    "replication.pipeline.seals:make",
    snakemake.log[0],
    call="replication.judging.verdicts:judge",
    sealed=[snakemake.output.verdicts, snakemake.output.readings],
    seal_path=snakemake.output.seal,
    made_from=snakemake.params.made_from,
    job=snakemake.params.job,
    inputs=dict(snakemake.input.items()),
    output=snakemake.output.verdicts,
    readings=snakemake.output.readings,
)
