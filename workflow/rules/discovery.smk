"""Discovery: tables of data -> causal graphs, learned per seed.

Input: the files that config names, usually of the stage `data`. Output: one Parquet file with all seeds.
"""


use rule data as discovery with:
    input:
        lambda w: unless_made(
            f"{RESULTS}/{w.paper}/discovery/{w.name}.parquet", study.stage_origin(w.paper, "discovery", w.name)
        ),
        unpack(lambda w: given(study.stage_inputs(w.paper, "discovery", w.name))),
    output:
        "<results>/{paper}/discovery/{name}.parquet",
    log:
        "<logs>/discovery/{paper}/{name}.log",
    params:
        job=lambda w: study.stage_job(w.paper, "discovery", w.name),
        origins=lambda w: study.file_origins(study.stage_inputs(w.paper, "discovery", w.name)),
        contents=lambda w: contents("stage", study.stage_inputs(w.paper, "discovery", w.name)),
