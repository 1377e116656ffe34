"""Bounds: offline samples + graph -> causal bounds and estimates per seed, context and arm.

Input: the files that config names, usually of the stage `data`. Output: one Parquet file with all seeds.
"""


use rule data as bounds with:
    input:
        unpack(lambda w: given(study.stage_inputs(w.paper, "bounds", w.name))),
    output:
        "<results>/{paper}/bounds/{name}.parquet",
    log:
        "<logs>/bounds/{paper}/{name}.log",
    params:
        job=lambda w: study.stage_job(w.paper, "bounds", w.name),
        contents=lambda w: contents("stage", study.stage_inputs(w.paper, "bounds", w.name)),
