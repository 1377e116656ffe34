"""Calibrate: search for the parameters that a paper omits.

Input: the published numbers that the baselines should come near. Output: the accepted instances and the ranking of all
simulated candidates. The study itself runs on the committed copies in data/instances; a table on request shows whether the search
finds them again.
"""


rule calibrate:
    input:
        published=ancient("data/published/{paper}.csv"),
    output:
        accepted="<results>/{paper}/calibration/{problem}.json",
        ranking="<results>/{paper}/calibration/{problem}.parquet",
    log:
        "<logs>/calibrate/{paper}/{problem}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1024,
        runtime=60,
    params:
        job=lambda w: study.calibration_job(w.paper, w.problem),
        contents=lambda w: contents("calibrate", {"published": f"data/published/{w.paper}.csv"}),
    script:
        "../scripts/calibrate.py"
