"""Snakemake in a process that has loaded it already: to load it takes longer than to plan a study.

Processes are forked from a server that knows Snakemake, and nothing of this project. So each of them loads the code of
its own checkout.
"""

import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["snakemake.cli"])
OURS = ("causal_bandits", "experiments", "replication")


def snakemake(arguments, folder, environment):
    """Run Snakemake as the command line does, in ``folder``; returns what `subprocess.run` would."""
    with tempfile.TemporaryDirectory() as place:
        outputs = [Path(place, name) for name in ("stdout", "stderr")]
        process = _SERVER.Process(target=_run, args=(arguments, str(folder), environment, outputs))
        process.start()
        process.join()
        texts = [path.read_text() for path in outputs]
    return subprocess.CompletedProcess(arguments, process.exitcode, *texts)


def _run(arguments, folder, environment, outputs):
    from snakemake.cli import main

    if known := [name for name in OURS if name in sys.modules]:
        raise RuntimeError(f"{known} were loaded before Snakemake was asked")
    for number, path in enumerate(outputs, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = environment["PYTHONPATH"].split(os.pathsep)
    main(arguments)
