"""Calibrate: search for the parameters that a paper omits.

Input: the published numbers that the baselines should come near. Output: the accepted instances and the ranking of all
simulated candidates. The study itself runs on the committed copies in data/instances; a table on request shows whether the search
finds them again.

Recover: the same from curves that a paper draws, for the problems that its file names under `recovery`.
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
        mem_mb=lambda w, attempt: 1024 * attempt,
        runtime=60,
    params:
        job=lambda w: study.calibration_job(w.paper, w.problem),
        contents=lambda w: contents("calibrate", {"published": f"data/published/{w.paper}.csv"}),
    script:
        "../scripts/calibrate.py"


rule recover:
    input:
        curves=lambda w: ancient(settings(w.paper)["recovery"][w.problem]["curves"]),
    output:
        accepted="<results>/{paper}/recovery/{problem}.json",
        ranking="<results>/{paper}/recovery/{problem}.parquet",
    log:
        "<logs>/recover/{paper}/{problem}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=lambda w, attempt: 2048 * attempt,
        runtime=60,
    params:
        job=lambda w: study.recovery_job(w.paper, w.problem),
        function=lambda w: module(w.paper, "recovery") + ":recover",
        contents=lambda w: contents("recover", {"curves": settings(w.paper)["recovery"][w.problem]["curves"]}),
    script:
        "../scripts/recover.py"
