"""Papers whose studies begin with data: the chain from there on, small, and what an edit in one stage reruns."""

import pyarrow.parquet as pq
import pytest
from checkout import Checkout, jobs_of

pytestmark = pytest.mark.workflow


#: One experiment with the stages before it, and a figure of what was learnt.
TARGETS = ("--", "results/huang2024/linear/finals.parquet", "huang2022_fig3")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    study = Checkout(tmp_path_factory.mktemp("stages") / "study")
    settings = {"papers": ["huang2022", "huang2024"], "scale": {"horizon": 150, "replicates": 3, "extras": False}}
    study.small, study.papers = study.overlay(**settings), study.study(**settings).papers
    study.first_jobs = jobs_of(study.snakemake(*study.small, *TARGETS))
    return study


def planned_after_edits(study, *modules):
    """Jobs that a run would start now if some modules of the package were edited, and the whole text."""
    files = [study.folder / "src" / module for module in modules]
    before = [file.read_bytes() for file in files]
    for module in modules:
        study.append(f"src/{module}", "EDITED = True")
    try:
        return study.planned(*study.small, *TARGETS)
    finally:
        for file, content in zip(files, before, strict=True):
            file.write_bytes(content)


def test_the_chain_is_that_of_the_configuration(finished):
    """Of huang2022: both tables of data, the records, both learners; of huang2024: samples, bounds, every policy."""
    policies = len(finished.papers["huang2024"]["experiments"]["linear"]["policies"])
    expected = {"data": 3 + 1, "discovery": 2, "figure": 1, "huang2022_fig3": 1}
    assert finished.first_jobs == expected | {"bounds": 1, "simulate": policies, "aggregate": 1}
    assert (finished.folder / "figures/huang2022/fig3.png").stat().st_size > 1000


def test_runs_and_stages_say_where_they_come_from(finished):
    for path in ("bounds/contextual.parquet", "linear/runs/lin_ucb_pcb/0-2.parquet"):
        metadata = pq.read_metadata(finished.folder / "results/huang2024" / path).metadata
        assert {b"config_digest", b"code_digest", b"git_commit", b"package_versions"} <= set(metadata)


def test_an_edit_in_the_bounds_reruns_them_and_what_is_downstream(finished):
    jobs, text = planned_after_edits(finished, "replication/papers/huang2024/bounds.py")
    names = ("bounds", "simulate", "aggregate")
    assert {name: jobs[name] for name in names} == {name: finished.first_jobs[name] for name in names}
    assert not {"data", "discovery", "figure"} & set(jobs), text


def test_an_edit_in_a_learner_reruns_no_simulation(finished):
    jobs, text = planned_after_edits(finished, "causal_bandits/discovery/learn.py")
    assert jobs == {"discovery": 2, "figure": 1, "huang2022_fig3": 1}, text


def test_edits_in_policies_and_the_simulation_rerun_no_earlier_stage(finished):
    library = ("policies/base.py", "policies/lin_ucb.py", "play/run.py")
    modules = [f"causal_bandits/{module}" for module in library]
    jobs, text = planned_after_edits(finished, *modules, "replication/pipeline/simulate.py")
    assert jobs["simulate"] == finished.first_jobs["simulate"], text
    assert not {"data", "discovery", "bounds", "figure"} & set(jobs), text
