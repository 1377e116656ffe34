"""Aggregate: all runs of an experiment -> two tidy tables.

Input: the runs of every policy. Output: curves (mean and 95 % interval per policy and checkpoint) and finals (one row per
policy and seed), with the policies' settings as columns.
"""


rule aggregate:
    input:
        lambda w: unless_made(
            f"{RESULTS}/{w.paper}/{w.experiment}/curves.parquet", study.tidy_origin(w.paper, w.experiment)
        ),
        lambda w: unless_made(
            f"{RESULTS}/{w.paper}/{w.experiment}/finals.parquet", study.tidy_origin(w.paper, w.experiment)
        ),
        runs=lambda w: runs_of(w.paper, w.experiment),
    output:
        curves="<results>/{paper}/{experiment}/curves.parquet",
        finals="<results>/{paper}/{experiment}/finals.parquet",
    log:
        "<logs>/aggregate/{paper}/{experiment}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda w, attempt: 2048 * attempt,
        runtime=30,
    params:
        job=lambda w: study.aggregate_job(w.paper, w.experiment),
        runs=lambda w: study.runs_expected(w.paper, w.experiment),
        contents=contents("aggregate", {}),
    script:
        "../scripts/aggregate.py"
