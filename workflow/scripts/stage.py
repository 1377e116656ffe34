"""Make one table of the stages before the simulation."""

from causal_bandits.jobs import run

run(
    "causal_bandits.stages:make",
    snakemake.log[0],
    output=snakemake.output[0],
    job=snakemake.params.job,
    inputs=dict(snakemake.input.items()),
)
