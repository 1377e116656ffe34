"""Five causal-bandit papers, regenerated: every table, every figure, and a verdict for each published number.

data -> discovery -> bounds -> experiments -> figures and tables -> verdicts; see workflow/rules.
"""

from pathlib import Path

from snakemake.utils import min_version

min_version("9.27")


configfile: str(Path(workflow.current_basedir.get_path_or_uri(secret_free=True), "config/config.yaml"))


pathvars:
    results="results",
    figures="figures",
    logs="logs",


include: "workflow/rules/common.smk"
include: "workflow/rules/stages.smk"
include: "workflow/rules/experiment.smk"
include: "workflow/rules/items.smk"
include: "workflow/rules/verdicts.smk"


rule all:
    default_target: True
    input:
        [paper_files(paper) for paper in study.papers],
        "<results>/verdicts.csv",
    message:
        "the study is complete"


# One target per paper, named after its slug; and one per figure and table, for instance lee2019_fig5.
for slug in study.papers:

    rule:
        name:
            slug
        input:
            paper_files(slug),
            f"<results>/{slug}/verdicts.csv",
        message:
            f"{slug} is complete"

    for target, files in item_targets(slug).items():

        rule:
            name:
                target
            input:
                files,
            message:
                f"{target} is made"
