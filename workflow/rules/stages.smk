"""Stages before the experiments: data, graphs learned from data, and bounds from data and graphs.

Input: the files that the configuration names, usually of an earlier stage. Output: one Parquet file with all seeds.
"""


rule data:
    input:
        unpack(lambda w: files_of(w.paper, study.inputs(w.paper, "data", w.name))),
    output:
        "<results>/{paper}/data/{name}.parquet",
    log:
        "<logs>/{paper}/data/{name}.log",
    benchmark:
        "<logs>/{paper}/data/{name}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda w, attempt: 1024 * attempt,
        runtime=lambda w, attempt: 30 * attempt,
    params:
        job=lambda w: study.stage_job(w.paper, "data", w.name),
        key=lambda w: study.stage_job(w.paper, "data", w.name).key,
    message:
        "{wildcards.paper}: make the data {wildcards.name}"
    script:
        "../scripts/stage.py"


use rule data as discovery with:
    input:
        unpack(lambda w: files_of(w.paper, study.inputs(w.paper, "discovery", w.name))),
    output:
        "<results>/{paper}/discovery/{name}.parquet",
    log:
        "<logs>/{paper}/discovery/{name}.log",
    benchmark:
        "<logs>/{paper}/discovery/{name}.tsv"
    params:
        job=lambda w: study.stage_job(w.paper, "discovery", w.name),
        key=lambda w: study.stage_job(w.paper, "discovery", w.name).key,
    message:
        "{wildcards.paper}: learn the graphs {wildcards.name}"


use rule data as bounds with:
    input:
        unpack(lambda w: files_of(w.paper, study.inputs(w.paper, "bounds", w.name))),
    output:
        "<results>/{paper}/bounds/{name}.parquet",
    log:
        "<logs>/{paper}/bounds/{name}.log",
    benchmark:
        "<logs>/{paper}/bounds/{name}.tsv"
    params:
        job=lambda w: study.stage_job(w.paper, "bounds", w.name),
        key=lambda w: study.stage_job(w.paper, "bounds", w.name).key,
    message:
        "{wildcards.paper}: compute the bounds {wildcards.name}"
