"""The shipped profile on a real SLURM of one node: the values of a local run, though a job is cancelled on the way."""

import os
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from checkout import Checkout
from slurm.cluster import PROGRAMS, Cluster, missing

from causal_bandits.files import content_digest

pytestmark = [
    pytest.mark.slurm,
    pytest.mark.skipif(bool(missing()), reason=f"needs {', '.join(PROGRAMS)}; not here: {', '.join(missing())}"),
]

SCALE = {"horizon": 200, "replicates": 6, "extras": False}


@pytest.fixture
def cluster():
    with tempfile.TemporaryDirectory(prefix="slurm") as folder, Cluster(Path(folder)) as started:
        yield started


def tables(study):
    results = study.folder / "results"
    return {path.relative_to(results).as_posix(): content_digest(path) for path in sorted(results.rglob("*.parquet"))}


def test_a_study_on_slurm_has_the_values_of_a_local_one_though_a_job_is_cancelled(tmp_path, cluster, capsys):
    local, remote = (Checkout(tmp_path / name) for name in ("local", "remote"))
    small = local.overlay(papers=["lee2019"], scale=SCALE)
    assert remote.overlay(papers=["lee2019"], scale=SCALE) == small
    started = time.monotonic()
    local.snakemake(*small)
    took = time.monotonic() - started
    started, seen, cancelled = time.monotonic(), {}, None
    with (tmp_path / "snakemake.log").open("w") as log:
        process = subprocess.Popen(
            [*remote.command(*small)[:3], "--workflow-profile", "slurm", *small],
            cwd=remote.folder,
            env={**os.environ, **remote.environment, **cluster.environment},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        while process.poll() is None:
            for job, state, cpus in cluster.queue():
                seen[job] = cpus
                if state == "RUNNING" and cancelled is None:
                    cluster.call("scancel", job)
                    cancelled = job
            assert time.monotonic() - started < 1500, (tmp_path / "snakemake.log").read_text()[-3000:]
            time.sleep(0.5)
    there = time.monotonic() - started
    with capsys.disabled():
        print(f"\n{took:.0f} s locally, {there:.0f} s on SLURM in {len(seen)} submissions, one of them cancelled")
    assert process.returncode == 0, (tmp_path / "snakemake.log").read_text()[-3000:] + cluster.logs()
    assert cancelled is not None
    assert set(seen.values()) == {1}, "a submission asked for CPUs that it cannot use"
    assert tables(remote) == tables(local)
    assert len(tables(local)) > 20
    for item in ("table1.csv", "regrets.csv"):
        assert (remote.folder / "figures/lee2019" / item).read_text() == (
            local.folder / "figures/lee2019" / item
        ).read_text()
