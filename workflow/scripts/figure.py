"""Draw one figure."""

from replication.pipeline.fork_server import run

run(
    "replication.drawing.plotting:draw",
    snakemake.log[0],
    job=snakemake.params.job,
    inputs=dict(snakemake.input.items()),
    outputs=[path for path in snakemake.output if path != snakemake.output.seal],
    sealed=snakemake.output.seal,
    made_from=snakemake.params.made_from,
)
