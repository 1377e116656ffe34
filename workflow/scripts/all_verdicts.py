"""Combine the verdicts of all papers into one table, count them, and record the scale."""

from experiments.files import logged

with logged(snakemake.log[0]):
    from replication.judging import scale
    from replication.judging.verdict_tables import combine

    *tables, record = snakemake.output
    combine(snakemake.input.tables, snakemake.input.readings, snakemake.params.published, *tables)
    scale.write(snakemake.params.scale, record)
