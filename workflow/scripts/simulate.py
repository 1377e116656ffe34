"""Play one batch of seeds of one policy."""

from replication.pipeline.fork_server import run

run(
    "replication.pipeline.simulate:simulate",
    snakemake.log[0],
    output=snakemake.output[0],
    job=snakemake.params.job,
    inputs=dict(snakemake.input.items()),
    first=int(snakemake.wildcards.first),
    last=int(snakemake.wildcards.last),
    origins=snakemake.params.origins,
)
