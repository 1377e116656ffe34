"""Play one batch of seeds of one policy."""

from causal_bandits.jobs import run

run(
    "causal_bandits.evaluation.simulate:simulate",
    snakemake.log[0],
    output=snakemake.output[0],
    job=snakemake.params.job,
    inputs=dict(snakemake.input.items()),
    first=int(snakemake.wildcards.first),
    last=int(snakemake.wildcards.last),
)
