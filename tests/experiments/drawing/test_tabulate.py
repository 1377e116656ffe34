"""Tables as files, and the cells that several papers share, with numbers worked by hand."""

import sys
import types
from dataclasses import replace

import pandas as pd
import pytest

from experiments.drawing.tabulate import as_text, comparison, plus_minus, tabulate, told_apart
from experiments.results import Plan, Results
from experiments.study import ItemJob

FRAME = pd.DataFrame({"a_b": ["x | y", "50 %"], "P(y)": ["$P_x(y)$", "{&}"]})


def test_each_format_escapes_what_it_must():
    assert as_text(FRAME, ".csv") == "a_b,P(y)\nx | y,$P_x(y)$\n50 %,{&}\n"
    assert "x \\| y" in as_text(FRAME, ".md")
    assert as_text(FRAME, ".md").count("\n") == 4
    assert "1.50" in as_text(pd.DataFrame({"cells": ["1.50"]}), ".md")  # text that is a number stays as it is
    latex = as_text(FRAME, ".tex")
    assert "\n" + r"a\_b & P(y) \\" + "\n" in latex
    assert r"50 \% & \{\&\} \\" in latex
    assert r"x | y & \$P\_x(y)\$ \\" in latex


def test_columns_of_formulas_are_left_to_latex():
    frame = FRAME.copy()
    frame.attrs["math"] = ["P(y)"]
    assert r"x | y & $P_x(y)$ \\" in as_text(frame, ".tex")


def test_cells():
    assert plus_minus(pd.Series([1.0, 2.0, 3.0, 6.0])) == "3.00 ± 3.44"  # t = 3.182, sd = 2.160


@pytest.fixture
def results():
    """Policy c has the lowest regret; b lies 2 above it for one seed and 4 for the other."""
    finals = {"b": [3.0, 7.0], "c": [1.0, 3.0], "a": [9.0, 9.0]}
    rows = [{"policy": p, "seed": s, "cumulative_regret": x} for p, xs in finals.items() for s, x in enumerate(xs)]
    settings = {label: {"algorithm": "x", "width": width} for width, label in enumerate(finals)}
    plan = Plan(horizon=50, settings=settings, defaults={"x": {"width": 1}})
    return Results({}, {"one": pd.DataFrame(rows)}, pd.DataFrame(), {}, {"one": plan})


def test_policies_are_compared_with_the_best_seed_by_seed(results):
    table = comparison(results)
    assert list(table["experiment"]) == ["one"] * 3
    assert list(table["policy"]) == ["c", "b", "a"]
    assert list(table["regret"]) == ["2.00 ± 12.71", "5.00 ± 25.41", "9.00 ± 0.00"]  # t = 12.706
    assert list(table["above the lowest, paired"]) == ["0.00 ± 0.00", "3.00 ± 12.71", "7.00 ± 12.71"]
    assert list(table["seeds"]) == [2] * 3
    assert list(table["rounds"]) == [50] * 3
    assert "setting" not in table


def test_policies_are_compared_on_the_same_problem_only(results):
    plan = results.plans["one"]
    sizes = {label: {**own, "size": 10 if label == "c" else 9} for label, own in plan.settings.items()}
    table = comparison(replace(results, plans={"one": replace(plan, settings=sizes)}))
    assert list(table["setting"]) == ["size 9", "size 9", "size 10"]
    assert list(table["policy"]) == ["b", "a", "c"]
    assert list(table["above the lowest, paired"]) == ["0.00 ± 0.00", "4.00 ± 25.41", "0.00 ± 0.00"]


def test_an_empty_table_has_no_columns():
    assert comparison(Results({}, {}, pd.DataFrame(), {}, {})).empty


def test_policies_are_told_apart_by_what_differs():
    assert told_apart({"a": {"n": 3, "size": 10}, "b": {"n": 3, "size": 20, "kind": "path"}}) == {
        "a": "size 10, kind null",
        "b": "size 20, kind path",
    }
    assert told_apart({"a": {"n": 3}}) == {"a": ""}


def test_every_format_is_written_under_the_name_of_its_suffix(tmp_path, monkeypatch):
    module = types.ModuleType("replication.papers.fake.tables")
    module.TABLES = {"t": lambda results: FRAME.assign(claims=len(results.published))}
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(sys.modules, "replication.papers.fake", types.ModuleType("replication.papers.fake"))
    (tmp_path / "published.csv").write_text("id,value\na,1\nb,2\n")
    outputs = [tmp_path / f"t{suffix}" for suffix in (".csv", ".tex", ".md")]
    job = ItemJob(items=f"{module.__name__}:TABLES", item="t")
    tabulate(job, {"published": str(tmp_path / "published.csv")}, outputs)
    for output in outputs:
        assert output.read_text() == as_text(FRAME.assign(claims=2), output.suffix)
