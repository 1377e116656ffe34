"""The shipped profile on a real SLURM of one node: the values of a local run, though a job is cancelled on the way."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from checkout import Checkout
from slurm.cluster import PROGRAMS, Cluster, missing

from experiments.files import content_digest

pytestmark = [
    pytest.mark.slurm,
    pytest.mark.skipif(bool(missing()), reason=f"needs {', '.join(PROGRAMS)}; not here: {', '.join(missing())}"),
]


@pytest.fixture
def cluster():
    with tempfile.TemporaryDirectory(prefix="slurm") as folder, Cluster(Path(folder)) as started:
        yield started


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The study, run without SLURM."""
    study = Checkout(tmp_path_factory.mktemp("local") / "study", toy=True)
    started = time.monotonic()
    study.snakemake()
    study.took = time.monotonic() - started
    return study


def tables(study):
    """What the tidy tables, the runs and the papers' tables hold."""
    results = study.folder / "results"
    values = {path.relative_to(results).as_posix(): content_digest(path) for path in results.rglob("*.parquet")}
    assert len(values) == 8
    return values | {path.name: path.read_text() for path in (study.folder / "figures").rglob("*.csv")}


def test_a_study_on_slurm_has_the_values_of_a_local_one_though_a_job_is_cancelled(local, tmp_path, cluster, capsys):
    study = Checkout(tmp_path / "remote", toy=True)
    started, seen, held, cancelled = time.monotonic(), {}, [], None
    with (tmp_path / "snakemake.log").open("w") as log:
        process = subprocess.Popen(
            [*study.command()[:3], "--workflow-profile", "profiles/slurm", "--slurm-status-command", "squeue"],
            cwd=study.folder,
            env={**os.environ, **study.environment, **cluster.environment},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        while process.poll() is None:
            queue = cluster.queue()
            held.append(sum(cpus for _, state, cpus in queue if state == "RUNNING"))
            for job, state, cpus in queue:
                seen[job] = cpus
                if state == "RUNNING" and cancelled is None:
                    cluster.call("scancel", job)
                    cancelled = job
            assert time.monotonic() - started < 1500, (tmp_path / "snakemake.log").read_text()[-3000:]
            time.sleep(0.5)
    took = time.monotonic() - started
    with capsys.disabled():
        print(
            f"\n{local.took:.0f} s locally, {took:.0f} s on SLURM: {len(seen)} submissions, one of them cancelled;"
            f" {sum(held) / len(held):.1f} of 2 CPUs were given to jobs on average"
        )
    assert process.returncode == 0, (tmp_path / "snakemake.log").read_text()[-3000:] + cluster.logs()
    assert cancelled is not None
    assert set(seen.values()) == {1}, "a job asked for CPUs that it cannot use"
    assert tables(study) == tables(local)


def test_the_study_in_one_allocation_has_the_values_of_a_local_one(local, tmp_path, cluster, capsys):
    study = Checkout(tmp_path / "allocation", toy=True)
    (study.folder / ".venv").symlink_to(sys.prefix)
    script = study.folder / "profiles/slurm/allocation.sh"
    started = time.monotonic()
    done = subprocess.run(
        ["sbatch", "--wait", "--cpus-per-task=2", "--output=allocation.log", str(script)],
        cwd=study.folder,
        env={**os.environ, **study.environment, **cluster.environment},
        check=False,
        timeout=1500,
    )
    with capsys.disabled():
        print(f"\n{local.took:.0f} s locally, {time.monotonic() - started:.0f} s in one allocation")
    assert done.returncode == 0, (study.folder / "allocation.log").read_text()[-3000:] + cluster.logs()
    assert tables(study) == tables(local)
