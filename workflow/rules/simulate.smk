"""Simulate: problem x policy x batch of seeds -> runs.

Input: the files that the experiment's problem is built from. Output: one Parquet file per policy and batch.
"""


rule simulate:
    input:
        unpack(lambda w: study.inputs(w.paper, w.experiment)),
    output:
        "<results>/{paper}/{experiment}/runs/{policy}/{first}-{last}.parquet",
    log:
        "<logs>/simulate/{paper}/{experiment}/{policy}/{first}-{last}.log",
    benchmark:
        "<logs>/simulate/{paper}/{experiment}/{policy}/{first}-{last}.tsv"
    resources:
        mem_mb=1024,
        runtime=60,
    params:
        job=lambda w: job(w.paper, w.experiment, w.policy),
    script:
        "../scripts/simulate.py"
