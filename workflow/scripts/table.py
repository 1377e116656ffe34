"""Make one table."""

from replication.pipeline.fork_server import run

run(
    "replication.drawing.tabulate:tabulate",
    snakemake.log[0],
    job=snakemake.params.job,
    inputs=dict(snakemake.input.items()),
    outputs=list(snakemake.output),
)
