"""Experiments: problem x policies x seeds -> runs -> tidy tables.

Input: the files that the experiment's problem is built from. Output: all runs, one row per policy, seed and checkpoint; curves
(mean and 95 % interval per policy and checkpoint); finals (one row per policy and seed).

A job keeps the runs of policies whose keys are unchanged, and plays the others.
"""


rule experiment:
    input:
        unpack(lambda w: files_of(w.paper, study.inputs(w.paper, "experiments", w.experiment))),
    output:
        runs=update("<results>/{paper}/{experiment}/runs.parquet"),
        curves="<results>/{paper}/{experiment}/curves.parquet",
        finals="<results>/{paper}/{experiment}/finals.parquet",
    log:
        "<logs>/{paper}/{experiment}.log",
    benchmark:
        "<logs>/{paper}/{experiment}.tsv"
    conda:
        "../../environment.yml"
    threads: lambda w: study.entry(w.paper, "experiments", w.experiment).get("threads", 1)
    resources:
        mem_mb=lambda w, attempt: study.memory(w.paper, w.experiment) * attempt,
        runtime=lambda w, attempt: 30 * attempt,
    params:
        job=lambda w: study.experiment_job(w.paper, w.experiment),
        policies=lambda w: {policy.label: policy.key for policy in study.experiment_job(w.paper, w.experiment).policies},
        key=lambda w: study.experiment_job(w.paper, w.experiment).key,
    message:
        "{wildcards.paper}: play {wildcards.experiment}"
    script:
        "../scripts/experiment.py"
