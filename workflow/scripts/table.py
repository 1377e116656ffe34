"""Make one table."""

from replication.pipeline.fork_server import run

files = [path for path in snakemake.output if path != snakemake.output.seal]
run(
    "replication.pipeline.seals:make",
    snakemake.log[0],
    call="replication.drawing.tabulate:tabulate",
    sealed=files,
    seal_path=snakemake.output.seal,
    made_from=snakemake.params.made_from,
    job=snakemake.params.job,
    inputs=dict(snakemake.input.items()),
    outputs=files,
)
