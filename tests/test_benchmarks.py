"""The comparison with other libraries leaves none out, and counts answers that differ."""

import importlib.util
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def peers():
    spec = importlib.util.spec_from_file_location("peers", Path(__file__).parents[1] / "benchmarks/peers.py")
    module = importlib.util.module_from_spec(spec)

    sys.modules["peers"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["peers"]


def test_a_peer_that_is_not_installed_has_a_row_that_says_so(peers, monkeypatch):
    monkeypatch.setattr(peers, "is_there", lambda peer: False)
    tasks = [task for task in peers.TASKS if task.__name__ != "lin_ucb"]  # which plays ours before it looks for others
    rows = [row for task in tasks for row in task(1)]
    assert {row.peer for row in rows if row.answers.startswith("absent")} == {
        "y0",
        "causalrl",
        "pgmpy",
        "MABWiser",
        "npsem",
    }
    assert not any(row.ours > 0 for row in rows)
    assert all(str(row).count("|") == 8 for row in rows)


def test_answers_that_differ_are_counted(peers):
    def questions():
        return [(i,) for i in range(3)]

    row = peers.compare("t", "s", "y0", lambda i: i, lambda i: i + (i == 2), questions, questions, repetitions=1)
    assert row.answers == "2 of 3 equal"


def test_id_is_compared_with_y0_and_the_lock_names_every_peer(peers, monkeypatch):
    pytest.importorskip("y0")
    monkeypatch.setattr(peers, "is_there", lambda peer: peer == "y0")
    rows = [row for row in peers.identification(1, graphs=2) if row.peer == "y0"]
    assert [row.answers for row in rows] == ["2 of 2 equal"] * 3
    lock = (Path(__file__).parents[1] / "benchmarks/peers.lock").read_text().lower()
    assert all(f"\n{name.lower()}==" in lock for _, name in peers.PEERS.values() if name)
