"""Verdicts: tidy tables against published numbers -> one verdict per published number.

Input: the tidy tables of all experiments of a paper, the tables of its earlier stages (by stage and name, for instance
bounds_synthetic), and its published numbers. Output: a table per paper, and one for all.
"""


rule verdicts:
    input:
        unpack(lambda w: given(verdict_files(w))),
    output:
        "<results>/{paper}/verdicts.csv",
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
        [f"<results>/{paper}/verdicts.csv" for paper in study.papers],
    output:
        csv="<results>/verdicts.csv",
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
        contents=contents("all_verdicts", {}),
    script:
        "../scripts/all_verdicts.py"
