"""Judge every published claim of one paper."""

from causal_bandits.jobs import run

run(
    "causal_bandits.evaluation.verdicts:judge",
    snakemake.log[0],
    job=snakemake.params.job,
    inputs=dict(snakemake.input.items()),
    output=snakemake.output[0],
)
