"""Bounds: offline samples + graph -> causal bounds and estimates per seed, context and arm.

Input: the files that config names, usually of the stage `data`. Output: one Parquet file with all seeds.
"""


use rule data as bounds with:
    input:
        lambda w: unless_made(
            f"{RESULTS}/{w.paper}/bounds/{w.name}.parquet", study.stage_origin(w.paper, "bounds", w.name)
        ),
        unpack(lambda w: given(study.stage_inputs(w.paper, "bounds", w.name))),
    output:
        "<results>/{paper}/bounds/{name}.parquet",
    log:
        "<logs>/bounds/{paper}/{name}.log",
    params:
        job=lambda w: study.stage_job(w.paper, "bounds", w.name),
        origins=lambda w: study.file_origins(study.stage_inputs(w.paper, "bounds", w.name)),
        contents=lambda w: contents("stage", study.stage_inputs(w.paper, "bounds", w.name)),
