"""Five causal-bandit papers, regenerated: every table, every figure, and a verdict per published number.

data -> discovery -> bounds -> simulate -> aggregate -> figures -> verdicts -> report; one file per stage in workflow/rules.
"""

from snakemake.utils import min_version

min_version("9.27")


configfile: "config/config.yaml"


pathvars:
    results="results",
    figures="figures",
    logs="logs",


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/discovery.smk"
include: "workflow/rules/bounds.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/verdicts.smk"


rule all:
    default_target: True
    input:
        [paper_targets(paper) for paper in study.papers],
        "<results>/verdicts.csv",


# One target per paper, named after its slug; and one per figure and table, for instance lee2019_fig5.
for slug in study.papers:

    rule:
        name:
            slug
        input:
            paper_targets(slug),

    for target, files in item_targets(slug).items():

        rule:
            name:
                target
            input:
                files,
