"""The three tasks of Wei et al. 2023, SCM-AAM on them, the table, and what the page says of it."""

import pandas as pd
import pytest
from whole_arena import TABLES

from arena import tables
from causal_bandits.play.run import play
from causal_bandits.policies.scm.scm_aam import SCMAAM
from causal_bandits.problems.construction.arena.matching import matching
from causal_bandits.seeding import generators
from experiments.results import Plan, Results

#: Mean rewards by enumeration.
MEANS = {
    1: {"Z": [0.773, 0.227], "X": [0.493, 0.507]},
    2: {"V1": [0.79969, 0.20031], "V3": [0.49303, 0.50697], "V3 V4": [0.5352, 0.4648, 0.4648, 0.5352]},
    3: {
        "V5 V6": [0.6106, 0.7506, 0.2494, 0.3894],
        "V1 V4 V6": [0.24424, 0.38424, 0.2494, 0.3894, 0.086, 0.226, 0.2494, 0.3894],
    },
}
BEST = {1: 0.773, 2: 0.79969, 3: 0.7506}


@pytest.mark.parametrize("task", MEANS)
def test_means_are_those_of_the_tasks(task):
    bandit = matching(task)
    found = {}
    for arm, mean in zip(bandit.arms, bandit.means, strict=True):
        found.setdefault(" ".join(sorted(arm)), []).append(mean)
    assert found.keys() == MEANS[task].keys()
    for names, means in MEANS[task].items():
        assert found[names] == pytest.approx(means, abs=5e-5)
    assert bandit.optimal_mean == pytest.approx(BEST[task], abs=5e-5)
    assert bandit.means.max() == pytest.approx(bandit.optimal_mean)


def test_without_an_intervention_the_first_task_has_a_lower_mean():
    assert matching(1).scm.expectation("Y") == pytest.approx(0.4454, abs=5e-5)


def test_another_task_is_refused():
    with pytest.raises(ValueError, match="task=4: expected one of 1, 2, 3"):
        matching(4)


def test_in_the_second_task_no_model_is_in_the_printed_set():
    run = play(SCMAAM("printed", "counted", "cells", initial=2, every=50), matching(2), 500, generators(0, "aam", 0))
    assert run.extras["empty"][-1] == 500 - 16


# ---------------------------------------------------------------------- the table


def test_differences_are_taken_in_the_same_worlds():
    """A seed's own number cancels in the difference, and not in the regret."""
    of = {"aam": 7.0, "aam_unforced": 4.0, "kl_ucb": 3.0, "thompson": 1.0}
    rows = [
        {"policy": label, "seed": s, "cumulative_regret": 10.0 * s + number}
        | {"empty": 2.0, "exploits": 20.0 * s, "forced": 4.0}
        for label, number in of.items()
        for s in range(3)
    ]
    plans = {
        name: Plan(50, {label: {"algorithm": label, "task": k} for label in of})
        for k, name in enumerate(tables.MATCHING, start=1)
    }
    results = Results({}, {name: pd.DataFrame(rows) for name in plans}, pd.DataFrame(), {}, plans)
    table = tables.matching_table(results).set_index(["task", "plays"])
    assert len(table) == 12
    row = table.loc[2, tables.MATCHING_PLAYERS["aam"]]
    assert row["regret"] == "17.0"
    assert row["difference to kl-UCB"] == "4.0 (4.0 to 4.0)"
    assert row["difference to Thompson sampling"] == "6.0 (6.0 to 6.0)"
    assert (row["rounds with an empty set"], row["rounds of the leader"], row["forced rounds"]) == ("2", "20", "4")
    assert (row["rounds"], row["seeds"]) == (50, 3)
    assert table.loc[1, "kl-UCB"]["difference to kl-UCB"] == ""


# ---------------------------------------------------------------------- what the page says of the committed table


def committed():
    """The columns that the page speaks of, by task and player."""
    table = pd.read_csv(TABLES / "matching.csv")
    assert (table["seeds"] == 40).all()
    assert table.groupby("task")["rounds"].unique().map(list).to_dict() == {1: [2000], 2: [2000], 3: [1000]}
    names = {name: label for label, name in tables.MATCHING_PLAYERS.items()}
    table["player"] = table["plays"].map(names)
    for other, column in (("kl_ucb", "kl-UCB"), ("thompson", "Thompson sampling")):
        ends = table[f"difference to {column}"].str.extract(r"\((\S+) to (\S+)\)").astype(float)
        table[f"more than {other}"], table[f"less than {other}"] = ends[0] > 0, ends[1] < 0
    return table.set_index(["player", "task"])


def test_the_page_is_right_about_the_tasks():
    table = committed()
    assert table.loc["aam", "regret"].tolist() == [42.6, 26.8, 112.7]
    for other in ("kl_ucb", "thompson"):
        assert table.loc["aam", f"more than {other}"].tolist() == [True, False, True]
        assert table.loc["aam", f"less than {other}"].tolist() == [False, True, False]
    assert table.loc["aam_unforced", "regret"].tolist() == [21.0, 25.7, 32.2]
    assert table.loc["aam_unforced", "less than kl_ucb"].all()
    assert table.loc["aam_unforced", "less than thompson"].tolist() == [False, True, True]
    forced = table.loc["aam", "regret"] - table.loc["aam_unforced", "regret"]
    assert (forced / table.loc["aam", "regret"])[[1, 3]].min() > 0.5
