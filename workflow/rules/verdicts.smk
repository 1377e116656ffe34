"""Verdicts: tidy tables against published numbers -> one verdict per published number.

Input: the tidy tables of all experiments of a paper, the tables of its earlier stages (by stage and name, for instance
bounds_synthetic), and its published numbers. Output: a table of verdicts and one of the readings behind them, for each
paper and for all papers, with the scale of the study.
"""

import time

from replication.judging.jobs import check_claims, summary_key, verdicts_job

BEGAN = time.time()

checks.append(lambda: check_claims(study))


rule verdicts:
    input:
        unpack(lambda w: results_of(w.paper, study.wanted(w.paper, "experiments"), study.stage_files(w.paper))),
    output:
        "<results>/{paper}/verdicts.csv",
        "<results>/{paper}/verdict_readings.csv",
    log:
        "<logs>/{paper}/verdicts.log",
    benchmark:
        "<logs>/{paper}/verdicts.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda w, attempt: 2048 * attempt,
        runtime=lambda w, attempt: 30 * attempt,
    params:
        job=lambda w: verdicts_job(study, w.paper),
        key=lambda w: verdicts_job(study, w.paper).key,
    message:
        "{wildcards.paper}: judge every claim"
    script:
        "../scripts/verdicts.py"


rule all_verdicts:
    input:
        tables=[f"<results>/{paper}/verdicts.csv" for paper in study.papers],
        readings=[f"<results>/{paper}/verdict_readings.csv" for paper in study.papers],
        published=[unmade(study.published(paper)) for paper in study.papers if study.published(paper).exists()],
    output:
        report("<results>/verdicts.csv", caption="../report/verdicts.rst", category="verdicts"),
        "<results>/verdict_readings.csv",
        "<results>/verdicts.md",
        "<results>/scale.json",
    log:
        "<logs>/verdicts.log",
    benchmark:
        "<logs>/verdicts.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda w, attempt: 1024 * attempt,
        runtime=lambda w, attempt: 10 * attempt,
    params:
        key=summary_key(study),
        published=[os.path.relpath(study.published(paper)) for paper in study.papers],
        scale=study.scale,
    message:
        "put the verdicts of all papers together"
    script:
        "../scripts/all_verdicts.py"


onsuccess:
    from replication.tools.summary import at_end

    own = [os.path.join(".", os.path.relpath(home.root)) for home in study.homes.values() if home.own]
    at_end(*(Path(config.get("pathvars", {}).get(name, name)) for name in ("results", "figures")), BEGAN, own)
