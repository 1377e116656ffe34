"""The committed files that a job reads are part of its origin: runs on another network are others."""

import pytest
from checkout import Checkout


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return Checkout(tmp_path_factory.mktemp("sources") / "study")


def origins(study):
    """Of the runs of one policy of an experiment on a committed network, and of its tidy tables."""
    found, names = study.study(papers=["arena"]), ("network_sachs", "network_child")
    first = [next(iter(found.papers["arena"]["experiments"][name]["policies"])) for name in names]
    runs = [found.run_origin("arena", name, label) for name, label in zip(names, first, strict=True)]
    return runs + [found.tidy_origin("arena", name) for name in names]


def test_runs_on_another_committed_network_are_of_another_origin(study):
    before = origins(study)
    path = study.folder / "data/networks/sachs.bif.gz"
    whole = path.read_bytes()
    path.write_bytes(whole + b" ")
    after = origins(study)
    path.write_bytes(whole)
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True, False, True]
    assert [a["code_digest"] for a in after] == [b["code_digest"] for b in before]
    assert origins(study) == before
