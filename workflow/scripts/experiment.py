"""Play one experiment and aggregate its runs."""

from experiments.experiment import make
from experiments.log import logged

with logged(snakemake.log[0]):
    make(snakemake.params.job, dict(snakemake.input.items()), *snakemake.output)
