"""Make one figure."""

from experiments.drawing.plotting import draw
from experiments.log import logged

with logged(snakemake.log[0]):
    draw(snakemake.params.job, dict(snakemake.input.items()), list(snakemake.output))
