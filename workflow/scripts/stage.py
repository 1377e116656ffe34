"""Make one table of the stages before the simulation."""

from replication.pipeline.fork_server import run

run(
    "replication.pipeline.stages:make",
    snakemake.log[0],
    output=snakemake.output[0],
    job=snakemake.params.job,
    inputs=dict(snakemake.input.items()),
    origins=snakemake.params.origins,
)
