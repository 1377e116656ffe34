"""The committed files that a job reads are part of its origin: runs on another instance are others."""

import json

import pytest
from checkout import Checkout


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return Checkout(tmp_path_factory.mktemp("sources") / "study")


def origins(study):
    """Of the runs of one policy of an experiment on a committed instance, and of its tidy tables."""
    found = study.study(papers=["lee2019"])
    return [found.run_origin("lee2019", name, "ts_pomis") for name in ("frontdoor", "fourvar")] + [
        found.tidy_origin("lee2019", name) for name in ("frontdoor", "fourvar")
    ]


def test_runs_on_another_committed_instance_are_of_another_origin(study):
    before = origins(study)
    path = study.folder / "data/instances/lee2019/frontdoor.json"
    whole = path.read_text()
    document = json.loads(whole)
    document["members"].reverse()
    path.write_text(json.dumps(document))
    after = origins(study)
    path.write_text(whole)
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True, False, True]
    assert [a["code_digest"] for a in after] == [b["code_digest"] for b in before]
    assert origins(study) == before
