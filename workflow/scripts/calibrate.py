"""Search for instances whose baselines come near the published ones."""

from causal_bandits.calibration import calibrate
from causal_bandits.joblog import logged

with logged(snakemake.log[0]):
    calibrate(snakemake.params.job, snakemake.input.published, snakemake.output.accepted, snakemake.output.ranking)
