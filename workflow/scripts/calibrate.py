"""Search for instances whose baselines come near the published ones."""

from causal_bandits.jobs import run

run(
    "causal_bandits.calibration:calibrate",
    snakemake.log[0],
    job=snakemake.params.job,
    published=snakemake.input.published,
    accepted=snakemake.output.accepted,
    ranking=snakemake.output.ranking,
)
