"""The columns of an entry's file, and what cannot be packed into one."""

from pathlib import Path

import pytest

from experiments.results import Plan
from replication.tools.entry import columns

ROOT = Path(__file__).parents[4]


@pytest.mark.parametrize(
    ("experiment", "known", "message"),
    [
        ("dual", {}, "arena/dual/finals.parquet: no such file; expected results of this experiment"),
        ("duel", {}, "its policies are of these packages: none; expected one package of others"),
        ("duel", {"mine": ("a", "1"), "thompson": ("b", "2")}, "of these packages: a 1, b 2; expected one"),
    ],
)
def test_what_cannot_be_packed_is_told(results, tmp_path, experiment, known, message):
    with pytest.raises(columns.PackError, match=message):
        columns.pack(results, experiment, known, tmp_path / "mine.parquet")
    assert not (tmp_path / "mine.parquet").exists()


def test_the_schema_of_the_guide_is_that_of_the_code():
    """The table in docs/guide/entry.md has every column once, in order."""
    lines = (ROOT / "docs/guide/entry.md").read_text().splitlines()
    named = [line.split("`")[1] for line in lines if line.startswith("| `") and line.count("|") == 4]
    assert named[: len(columns.SCHEMA.names)] == columns.SCHEMA.names


def test_a_plan_tells_the_problem_of_a_policy_and_what_is_the_policys_own():
    """Its algorithm's hyper-parameters, its arms and the names are no options, whatever they are called."""
    settings = {"algorithm": "mine", "arms": "minimal", "width": 2, "problem": "diagram", "nodes": 3, "told": "diagram"}
    plan = Plan(50, {"mine": settings, "ucb": settings | {"algorithm": "ucb"}}, defaults={"mine": {"width": 1}})
    assert columns.problem_of(plan, "mine") == ("diagram", {"nodes": 3, "told": "diagram"})
    assert columns.problem_of(plan, "ucb") == ("diagram", {"width": 2, "nodes": 3, "told": "diagram"})


def test_options_are_text_in_one_order_and_leave_the_label():
    assert columns.as_text({"told": None, "nodes": 3}) == '{"nodes": 3, "told": null}'
    assert columns.without_options("mine,width=2,nodes=3", {"nodes": 3, "told": "x"}) == "mine,width=2"
    assert columns.without_options("nodes,nodes_too=1", {"too": 1}) == "nodes,nodes_too=1"
