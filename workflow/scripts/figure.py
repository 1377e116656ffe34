"""Draw one figure."""

from causal_bandits.jobs import run

run(
    "causal_bandits.plotting:draw",
    snakemake.log[0],
    job=snakemake.params.job,
    inputs=dict(snakemake.input.items()),
    outputs=list(snakemake.output),
)
