"""The same values for any number of cores, any batch size, and after a run was killed and started again."""

import os
import signal
import subprocess
import time

import pytest
from checkout import Checkout

from causal_bandits.files import content_digest

pytestmark = pytest.mark.workflow

TARGETS = [f"results/lee2019/frontdoor/{name}.parquet" for name in ("finals", "curves")]


def small(study, batch):
    """One task, two policies, 50 seeds; and of the claims those that need no run."""

    def change(settings):
        experiment = settings["experiments"]["frontdoor"]
        experiment |= {"horizon": 400, "replicates": 50, "batch": batch}
        experiment["policies"] = {k: experiment["policies"][k] for k in ("ts_pomis", "kl_ucb_bf")}
        settings["experiments"] = {"frontdoor": experiment}
        del settings["readings"], settings["calibration"], settings["tables"]
        settings["figures"] = {k: v for k, v in settings["figures"].items() if not v.get("experiments")}

    study.change_paper(change)
    study.keep_claims(lambda row: not row["experiment"] and not row["readings"])


def digests(study):
    return [content_digest(study.folder / target) for target in TARGETS]


def run_of(tmp_path, name, batch, cores):
    study = Checkout(tmp_path / name)
    small(study, batch)
    study.snakemake("--", *TARGETS, cores=cores)
    return study


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """One core, batches of 50."""
    return digests(run_of(tmp_path_factory.mktemp("reference"), "study", batch=50, cores=1))


def test_cores_and_batches_do_not_matter(tmp_path, reference):
    study = run_of(tmp_path, "study", batch=10, cores=2)
    assert len(list((study.folder / "results").rglob("runs/*/*.parquet"))) == 10
    assert digests(study) == reference


def test_a_killed_run_goes_on_where_it_was(tmp_path, reference):
    study = Checkout(tmp_path / "study")
    small(study, 5)
    process = subprocess.Popen(
        study.command("--", *TARGETS, cores=1),
        cwd=study.folder,
        env=study.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while len(done := list((study.folder / "results").rglob("runs/*/*.parquet"))) < 5:
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline, "the run made no progress"
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert len(done) < 20
    # The newest file may belong to a job that Snakemake had not yet booked as done; it is made again.
    kept = dict(sorted(((path, path.stat().st_mtime_ns) for path in done), key=lambda pair: pair[1])[:-1])
    study.snakemake("--unlock")  # what Snakemake asks for after a kill that it could not see
    study.snakemake("--", *TARGETS, cores=2)
    assert digests(study) == reference
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
