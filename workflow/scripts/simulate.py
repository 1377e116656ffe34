"""Play one batch of seeds of one policy."""

from causal_bandits.evaluation.simulate import simulate
from causal_bandits.joblog import logged

with logged(snakemake.log[0]):
    simulate(
        output=snakemake.output[0],
        job=snakemake.params.job,
        inputs=dict(snakemake.input.items()),
        first=int(snakemake.wildcards.first),
        last=int(snakemake.wildcards.last),
    )
