"""The same values for any number of cores, any batch size, and after a run was killed and started again."""

import os
import signal
import subprocess
import time

import pytest
from checkout import Checkout, one_task

from experiments.files import content_digest

pytestmark = pytest.mark.workflow

TARGETS = [f"results/lee2019/frontdoor/{name}.parquet" for name in ("finals", "curves")]


def digests(study):
    return [content_digest(study.folder / target) for target in TARGETS]


def test_batches_cores_and_a_kill_do_not_matter(tmp_path):
    """One core and one batch, against batches of five of which some are made before a kill, the rest on two cores."""
    whole = Checkout(tmp_path / "whole")
    one_task(whole, 20)
    whole.snakemake(*whole.overlay(papers=["lee2019"]), "--", *TARGETS, cores=1)
    study = Checkout(tmp_path / "study")
    one_task(study, 5)
    small = study.overlay(papers=["lee2019"])
    process = subprocess.Popen(
        study.command(*small, "--", *TARGETS, cores=1),
        cwd=study.folder,
        env=study.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while len(done := list((study.folder / "results").rglob("runs/*/*.parquet"))) < 3:
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline, "the run made no progress"
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    # The newest file may belong to a job that Snakemake had not yet booked as done; it is made again.
    kept = dict(sorted(((path, path.stat().st_mtime_ns) for path in done), key=lambda pair: pair[1])[:-1])
    study.snakemake(*small, "--unlock")  # what Snakemake asks for after a kill that it could not see
    study.snakemake(*small, "--", *TARGETS, cores=2)
    assert len(list((study.folder / "results").rglob("runs/*/*.parquet"))) == 8
    assert digests(study) == digests(whole)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
