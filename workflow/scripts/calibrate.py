"""Search for instances whose baselines come near the published ones."""

from replication.pipeline.fork_server import run

run(
    "replication.judging.calibration:calibrate",
    snakemake.log[0],
    job=snakemake.params.job,
    published=snakemake.input.published,
    accepted=snakemake.output.accepted,
    ranking=snakemake.output.ranking,
)
