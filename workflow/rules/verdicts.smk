"""Verdicts: tidy tables against published numbers -> one verdict per published number.

Input: the tidy tables of all experiments of a paper, the tables of its earlier stages (by stage and name, for instance
bounds_synthetic), and its published numbers. Output: a table of verdicts and one of the readings behind them, per paper
and for all papers.
"""


rule verdicts:
    input:
        lambda w: unless_sealed(verdict_tables(w.paper), f"{w.paper}/seals/verdicts", verdicts_made_from(w)),
        unpack(lambda w: given(verdict_files(w))),
    output:
        verdicts="<results>/{paper}/verdicts.csv",
        readings="<results>/{paper}/verdict_readings.csv",
        seal="<results>/{paper}/seals/verdicts.json",
    log:
        "<logs>/verdicts/{paper}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda w, attempt: 1024 * attempt,
        runtime=30,
    params:
        job=lambda w: study.verdicts_job(w.paper),
        made_from=verdicts_made_from,
    script:
        "../scripts/verdicts.py"


rule all_verdicts:
    input:
        lambda w: unless_sealed(verdict_tables(), "verdicts.seal", all_verdicts_made_from()),
        verdicts=[f"<results>/{paper}/verdicts.csv" for paper in study.papers],
        readings=[f"<results>/{paper}/verdict_readings.csv" for paper in study.papers],
        published=[ancient(f"data/published/{paper}.csv") for paper in study.papers],
    output:
        verdicts="<results>/verdicts.csv",
        readings="<results>/verdict_readings.csv",
        summary="<results>/verdicts.md",
        seal="<results>/verdicts.seal.json",
    log:
        "<logs>/all_verdicts.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda w, attempt: 1024 * attempt,
        runtime=10,
    params:
        made_from=all_verdicts_made_from(),
    script:
        "../scripts/all_verdicts.py"
