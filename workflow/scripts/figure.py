"""Make one figure."""

from experiments.files import logged

with logged(snakemake.log[0]):
    from experiments.drawing.plotting import draw

    draw(snakemake.params.job, dict(snakemake.input.items()), list(snakemake.output))
