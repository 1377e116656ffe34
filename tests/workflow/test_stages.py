"""The papers whose studies begin with data: the whole chain, small, and what an edit in one stage reruns."""

import pandas as pd
import pyarrow.parquet as pq
import pytest
from checkout import Checkout

from causal_bandits.evaluation.judges import VERDICTS

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    study = Checkout(tmp_path_factory.mktemp("stages") / "study")
    settings = {"papers": ["huang2022", "huang2024"], "scale": {"horizon": 150, "replicates": 3, "extras": False}}
    study.small, study.papers = study.overlay(**settings), study.study(**settings).papers
    study.snakemake(*study.small)
    return study


@pytest.mark.parametrize("paper", ["huang2022", "huang2024"])
def test_every_item_and_verdict_is_made(finished, paper):
    settings = finished.papers[paper]
    for item in settings["figures"]:
        assert (finished.folder / f"figures/{paper}/{item}.png").stat().st_size > 1000
    for item in settings["tables"]:
        table = pd.read_csv(finished.folder / f"figures/{paper}/{item}.csv")
        assert len(table) > 1
    published = pd.read_csv(finished.folder / f"data/published/{paper}.csv")
    verdicts = pd.read_csv(finished.folder / f"results/{paper}/verdicts.csv")
    assert list(verdicts["claim_id"]) == list(published["claim_id"])
    assert set(verdicts["verdict"]) <= set(VERDICTS)
    # What needs no more than the model or the data is judged at any scale, what needs the horizon is not.
    assert (verdicts["verdict"] != "not testable").sum() > 5
    orderings = verdicts[verdicts["claim_id"].str.contains(r"\.order\.")]
    assert set(orderings["verdict"]) == {"not testable"}


def test_runs_and_stages_say_where_they_come_from(finished):
    for path in ("bounds/contextual.parquet", "linear/runs/lin_ucb_pcb/0-2.parquet"):
        metadata = pq.read_metadata(finished.folder / "results/huang2024" / path).metadata
        assert {b"config_digest", b"code_digest", b"git_commit", b"package_versions"} <= set(metadata)


def test_an_edit_in_the_bounds_reruns_them_and_what_is_downstream(finished):
    file = finished.folder / "src/causal_bandits/papers/huang2024/bounds.py"
    before = file.read_bytes()
    finished.append("src/causal_bandits/papers/huang2024/bounds.py", "# edited")
    try:
        jobs, text = finished.planned(*finished.small)
    finally:
        file.write_bytes(before)
    policies = sum(len(e["policies"]) for e in finished.papers["huang2024"]["experiments"].values())
    assert jobs["bounds"] == len(finished.paper("huang2024")["bounds"])
    assert jobs["simulate"] == policies
    assert not {"data", "discovery"} & set(jobs)
    assert "results/huang2022/email" not in text


def test_an_edit_in_a_learner_reruns_no_simulation(finished):
    file = finished.folder / "src/causal_bandits/discovery/learn.py"
    before = file.read_bytes()
    finished.append("src/causal_bandits/discovery/learn.py", "# edited")
    try:
        jobs, _ = finished.planned(*finished.small)
    finally:
        file.write_bytes(before)
    assert jobs["discovery"] == 2
    assert not {"data", "bounds", "simulate", "aggregate"} & set(jobs)


def test_edits_in_policies_and_the_simulation_rerun_no_earlier_stage(finished):
    modules = ("policies/base.py", "policies/f_ucb.py", "evaluation/simulate.py", "evaluation/play.py")
    files = [finished.folder / "src/causal_bandits" / module for module in modules]
    before = [file.read_bytes() for file in files]
    for module in modules:
        finished.append(f"src/causal_bandits/{module}", "# edited")
    try:
        jobs, text = finished.planned(*finished.small)
    finally:
        for file, content in zip(files, before, strict=True):
            file.write_bytes(content)
    assert jobs["simulate"], text
    assert not {"data", "discovery", "bounds"} & set(jobs), text
