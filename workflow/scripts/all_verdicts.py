"""Put the verdicts of all papers into one table, and count them."""

from experiments.log import logged

with logged(snakemake.log[0]):
    from replication.judging.verdict_tables import combine

    combine(snakemake.input.tables, snakemake.input.readings, snakemake.input.published, *snakemake.output)
