"""lee2019's strategies, and what Table 1 prints for them."""

import csv
from dataclasses import replace

import pytest
from lee2019_results import ROOT, made_up

from replication.papers.lee2019 import policies

PUBLISHED = list(csv.DictReader((ROOT / "data/published/lee2019.csv").open()))


def test_sets_are_written_as_the_published_table_writes_them():
    assert policies.written([{"C", "A"}, (), {"A"}]) == "{} {A} {A,C}"


def test_published_percentages_follow_from_table_1_up_to_rounding():
    """Their own check: the reductions that the text states are those of the table's cells, within rounding of both."""
    regret = {(r["column"], r["row"]): float(r["value"]) for r in PUBLISHED if r["place"] == "Table 1"}
    reductions = [row for row in PUBLISHED if row["kind"] == "percentage"]
    assert len(reductions) == 6
    for row in reductions:
        of_solver = {name: value for (task, name), value in regret.items() if task == row["column"]}
        (plus,) = (value for name, value in of_solver.items() if name == f"{row['row']} POMIS+")
        (pomis,) = (value for name, value in of_solver.items() if name.split(" = ")[0] == f"{row['row']} POMIS")
        low, high = 100 * (1 - (plus + 0.005) / (pomis - 0.005)), 100 * (1 - (plus - 0.005) / (pomis + 0.005))
        assert low - 0.05 <= float(row["value"]) <= high + 0.05, row["id"]


TASKS = list(policies.TASKS)


def test_merged_cells_are_those_of_strategies_with_the_same_arms():
    assert policies.alike("frontdoor", "MIS") == ["POMIS", "MIS", "BF"]
    assert policies.alike("fourvar", "POMIS") == ["POMIS", "MIS"]
    assert policies.alike("fourvar", "BF") == ["BF"]
    assert policies.alike("sixvar", "POMIS") == ["POMIS"]
    assert policies.alike("frontdoor", "POMIS+") == ["POMIS+"]
    for task in TASKS:
        plays = {
            name: (policies.intervention_sets(task, own.arms), own.shares) for name, own in policies.STRATEGIES.items()
        }
        for strategy, found in plays.items():
            assert policies.alike(task, strategy) == [other for other in plays if plays[other] == found]
    results = made_up(experiments=TASKS)
    missing = results.published_where(place="Table 1", column="Fig. 5b").index
    results = replace(results, published=results.published.drop(missing))
    with pytest.raises(LookupError, match="Table 1 has no cell for TS MIS in fourvar"):
        policies.printed(results, "fourvar", "TS", "MIS")


def test_policies_are_called_as_in_the_paper():
    assert policies.played("KL-UCB", "POMIS+") == {
        "algorithm": "z2_kl_ucb",
        "arms": "possibly_optimal",
        "tried": "maximal",
    }
    for solver in policies.SOLVERS:
        for strategy in policies.STRATEGIES:
            settings = {**policies.played(solver, strategy), "averaging": "delta"}
            assert policies.called(settings) == (solver, strategy)
    with pytest.raises(LookupError, match="none of the paper's solvers"):
        policies.called({"algorithm": "z2_thompson", "arms": "minimal"})
