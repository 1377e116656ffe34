"""Simulate: problem x policy x batch of seeds -> runs.

Input: the files that the experiment's problem is built from. Output: one Parquet file per policy and batch.
"""


rule simulate:
    input:
        lambda w: unless_made(run_file(w), study.run_origin(w.paper, w.experiment, w.policy)),
        unpack(lambda w: given(study.inputs(w.paper, w.experiment))),
    output:
        "<results>/{paper}/{experiment}/runs/{policy}/{first}-{last}.parquet",
    log:
        "<logs>/simulate/{paper}/{experiment}/{policy}/{first}-{last}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda w, attempt: 1024 * attempt,
        runtime=lambda w, attempt: 15 * attempt,
    params:
        job=lambda w: study.simulate_job(w.paper, w.experiment, w.policy),
        origins=lambda w: study.file_origins(study.inputs(w.paper, w.experiment)),
        contents=lambda w: contents("simulate", study.inputs(w.paper, w.experiment)),
    script:
        "../scripts/simulate.py"
