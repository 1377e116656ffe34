"""Put the verdicts of all papers into one table, and count them."""

from causal_bandits.jobs import run

run(
    "causal_bandits.evaluation.verdict_tables:combine",
    snakemake.log[0],
    tables=list(snakemake.input),
    output=snakemake.output.csv,
    summary=snakemake.output.summary,
)
