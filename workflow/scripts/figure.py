"""Draw one figure."""

from replication.pipeline.fork_server import run

run(
    "replication.drawing.plotting:draw",
    snakemake.log[0],
    job=snakemake.params.job,
    inputs=dict(snakemake.input.items()),
    outputs=list(snakemake.output),
)
