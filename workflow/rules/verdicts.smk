"""Verdicts: tidy tables against published numbers -> one verdict per published number.

Input: the tidy tables of all experiments of a paper, the tables of its earlier stages (by stage and name, for instance
bounds_synthetic), and its published numbers. Output: a table of verdicts and one of the readings behind them, per paper
and for all papers.
"""


rule verdicts:
    input:
        unpack(lambda w: given(verdict_files(w))),
    output:
        verdicts="<results>/{paper}/verdicts.csv",
        readings="<results>/{paper}/verdict_readings.csv",
    log:
        "<logs>/verdicts/{paper}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1024,
        runtime=30,
    params:
        job=lambda w: study.verdicts_job(w.paper),
        code=lambda w: code("replication.judging.verdicts", module(w.paper, "claims")),
        contents=lambda w: contents("verdicts", verdict_files(w)),
    script:
        "../scripts/verdicts.py"


rule all_verdicts:
    input:
        verdicts=[f"<results>/{paper}/verdicts.csv" for paper in study.papers],
        readings=[f"<results>/{paper}/verdict_readings.csv" for paper in study.papers],
        published=[ancient(f"data/published/{paper}.csv") for paper in study.papers],
    output:
        verdicts="<results>/verdicts.csv",
        readings="<results>/verdict_readings.csv",
        summary="<results>/verdicts.md",
    log:
        "<logs>/all_verdicts.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1024,
        runtime=10,
    params:
        code=code("replication.judging.verdict_tables"),
        contents=contents("all_verdicts", {paper: f"data/published/{paper}.csv" for paper in study.papers}),
    script:
        "../scripts/all_verdicts.py"
