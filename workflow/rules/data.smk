"""Data: raw data, shipped tables or a model -> a checked table per paper and name; synthetic samples are drawn here.

Input: the files that config names. Output: one Parquet file with all seeds.
"""


rule data:
    input:
        lambda w: unless_made(f"{RESULTS}/{w.paper}/data/{w.name}.parquet", study.stage_origin(w.paper, "data", w.name)),
        unpack(lambda w: given(study.stage_inputs(w.paper, "data", w.name))),
    output:
        "<results>/{paper}/data/{name}.parquet",
    log:
        "<logs>/data/{paper}/{name}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda w, attempt: 1024 * attempt,
        runtime=60,
    params:
        job=lambda w: study.stage_job(w.paper, "data", w.name),
        origins=lambda w: study.file_origins(study.stage_inputs(w.paper, "data", w.name)),
        contents=lambda w: contents("stage", study.stage_inputs(w.paper, "data", w.name)),
    script:
        "../scripts/stage.py"
