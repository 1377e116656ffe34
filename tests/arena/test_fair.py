"""Random campaigns with a sensitive attribute, the two tables of them, and what the page says."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from whole_arena import TABLES

from arena import fair_tables
from causal_bandits.problems.construction.arena.fair_models import CAUSES, COUNTED, FEATURES, USERS, fair
from experiments.results import Plan, Results


def test_a_draw_is_one_problem_whose_edges_do_not_depend_on_the_sway():
    for draw in range(50):
        one, other = fair(0.2, draw=draw), fair(1.0, draw=draw)
        assert one.scm.graph == other.scm.graph
        assert one.weights == other.weights
        assert (fair(0.2, draw=draw).means == one.means).all()
        assert len(one.arms) == len(one.contexts) == 8
        for v in CAUSES:
            assert set(one.scm.graph.parents(v)) <= {*USERS, *FEATURES}
            assert set(one.scm.graph.parents(v)) & set(FEATURES)
        assert "S" in one.scm.graph.parents("K1")
        for v in COUNTED:
            parents = one.scm.graph.parents(v)
            assert parents <= {*CAUSES, *FEATURES}
            assert parents & set(CAUSES)
            assert len(parents & set(FEATURES)) <= 1
    assert (fair(0.2, draw=1).means != fair(0.2, draw=0).means).any()
    with pytest.raises(ValueError, match=r"sway=1.5: expected 0 to 1"):
        fair(1.5)


def test_the_sensitive_attribute_decides_as_much_as_is_said():
    """P(K1 = 1) moves between the two groups by ``sway`` times what it moves by at 1; without sway nobody is treated
    differently.
    """
    for draw in range(100):
        moved = []
        for sway in (0.0, 0.25, 1.0):
            bandit = fair(sway, draw=draw)
            causes = sorted(bandit.scm.graph.parents("K1") - {"S"})
            moved.append(
                [
                    bandit.scm.expectation("K1", do={"S": 1, **dict(zip(causes, states, strict=True))})
                    - bandit.scm.expectation("K1", do={"S": 0, **dict(zip(causes, states, strict=True))})
                    for states in product((0, 1), repeat=len(causes))
                ]
            )
            if sway == 0:
                assert np.abs(bandit.discrepancies).max() < 1e-12
        assert moved[1] == pytest.approx([0.25 * value for value in moved[2]], abs=1e-12)


@pytest.mark.parametrize("tau", [0.1, 0.2, 0.3])
def test_the_best_fair_arm_is_that_of_a_search_through_all_arms(tau):
    """A plain twin, which enumerates the model's states for users, arms and both groups; 100 random problems."""
    for draw in range(100):
        bandit = fair(1.0, draw=draw)
        lost = unfair = total = 0.0
        for user in product((0, 1), repeat=3):
            seen = dict(zip(USERS, user, strict=True))
            chance = np.prod(
                [bandit.scm.expectation(v) if x else 1 - bandit.scm.expectation(v) for v, x in seen.items()]
            )
            arms = []
            for features in product((0, 1), repeat=3):
                forced = dict(zip(FEATURES, features, strict=True))
                means = [
                    sum(w * bandit.scm.expectation(v, do={**seen, "S": s, **forced}) for v, w in bandit.weights.items())
                    for s in (0, 1)
                ]
                arms.append((abs(means[1] - means[0]), means[seen["S"]]))
            fair_ones = [mean for apart, mean in arms if apart <= tau + 1e-9]
            if not fair_ones:
                least = min(apart for apart, _ in arms)
                fair_ones = [mean for apart, mean in arms if apart <= least + 1e-9]
                unfair += chance
            lost += chance * (max(mean for _, mean in arms) - max(fair_ones))
            total += chance
        assert total == pytest.approx(1)
        found = fair_tables.best_fair(bandit, tau)
        assert (found.lost, found.unfair) == (pytest.approx(lost, abs=1e-9), pytest.approx(unfair, abs=1e-9))


def played(values):
    """Results of all players on 30 problems; ``values`` gives a player's regret of a draw."""
    policies = {name: {"algorithm": name, "sway": 1.0} for name in fair_tables.BLIND}
    policies |= {
        f"f_{fallback}": {"algorithm": "f_ucb", "sway": 1.0, "tau": 0.1, "fallback": fallback}
        for fallback in fair_tables.FAIR
    }
    rows = [(name, draw, draw, values[name](draw), 50 * (draw % 2), 100) for name in policies for draw in range(30)]
    columns = ["policy", "seed", "draw", "cumulative_regret", "unfair_exact_0.1", "empty_set"]
    finals = {"fair": pd.DataFrame(rows, columns=columns)}
    return Results({}, finals, pd.DataFrame(), {}, {"fair": Plan(100, policies, {}, {})})


def test_the_table_of_fairness_has_each_player_and_the_exact_best():
    values = {"ucb": lambda d: 2.0 * (d + 1), "c_ucb": lambda d: d + 1.0, "d_ucb": lambda d: 3.0 * (d + 1)}
    values |= {"f_safest": lambda d: 4.0 * (d + 1), "f_best": lambda d: 5.0 * (d + 1)}
    table = fair_tables.fairness_table(played(values)).set_index("plays")
    assert list(table.index) == [*fair_tables.BLIND.values(), *fair_tables.FAIR.values(), fair_tables.KNOWN]
    over = table["over that of UCB"].str.split(" ").str[0]
    assert list(over[:5]) == ["1", "0.5", "1.5", "2", "2.5"]
    assert table["unfair decisions, %"].iloc[0].startswith("25.0 (")
    assert list(table["no arm fair beyond doubt, %"]) == ["", "", "", *["100.0 (100.0 to 100.0)"] * 2, ""]
    exact = [fair_tables.best_fair(fair(1.0, draw=draw), 0.1) for draw in range(30)]
    assert table["regret"].iloc[-1] == f"{100 * np.mean([best.lost for best in exact]):.1f}"
    assert table["unfair decisions, %"].iloc[-1].startswith(f"{100 * np.mean([best.unfair for best in exact]):.1f} (")


def test_the_table_of_separators_parts_problems_by_the_features_in_the_cells():
    values = dict.fromkeys(("ucb", "f_safest", "f_best"), lambda d: 1.0)
    values |= {"c_ucb": lambda d: d + 1.0, "d_ucb": lambda d: 2.0 * (d + 1)}
    table = fair_tables.separators_table(played(values))
    assert list(table["features in D-UCB's cells"]) == ["0", "1", "2 or more"]
    assert table["problems"].sum() == 30
    assert set(table["D-UCB's over C-UCB's"].str.split(" ").str[0]) == {"2"}
    for _, row in table.iterrows():
        draws = [
            draw
            for draw in range(30)
            if min(2, len({*fair_tables.minimal_separator(fair(1.0, draw=draw))} & {*FEATURES}))
            == int(row["features in D-UCB's cells"][0])
        ]
        assert row["problems"] == len(draws)
        assert row["regret of C-UCB"].startswith(f"{np.mean(draws) + 1:.1f} (")


# ---------------------------------------------------------------------- what the page says


def numbers(text):
    """Read ``0.15 (0.1 to 0.2)`` as a triple."""
    value, low, _, high = text.replace("(", "").replace(")", "").split(" ")
    return float(value), float(low), float(high)


def test_the_page_is_right_about_fairness():
    table = pd.read_csv(TABLES / "fairness.csv").set_index(["S decides", "tau", "plays"])
    part = pd.read_csv(TABLES / "separators.csv").set_index(["S decides", "features in D-UCB's cells"])
    names = [*fair_tables.BLIND.values()]
    assert [round(table.loc[(1.0, 0.1, name), "regret"]) for name in names] == [457, 68, 112]
    for sway in (0.5, 1.0):
        over = [numbers(part.loc[(sway, count), "D-UCB's over C-UCB's"]) for count in ("0", "1", "2 or more")]
        assert over[0][1] < 1 < over[0][2]
        assert all(low > 1 for _, low, _ in over[1:])
    ratios = part["D-UCB's over C-UCB's"].map(lambda text: numbers(text)[0])
    assert ratios.drop(index="0", level=1).between(1.5, 2.5).all()
    beyond = table["no arm fair beyond doubt, %"].dropna().map(lambda text: numbers(text)[0])
    assert beyond.loc[:, [0.1, 0.2]].min() >= 99.7
    assert beyond.loc[:, [0.3]].between(87, 99).all()
    safest, known, d_ucb = fair_tables.FAIR["safest"], fair_tables.KNOWN, names[2]
    assert [round(table.loc[(1.0, tau, known), "regret"]) for tau in (0.1, 0.2, 0.3)] == [314, 148, 69]
    assert round(table.loc[(1.0, 0.1, safest), "regret"]) == 658
    unfair = [numbers(table.loc[(1.0, 0.1, name), "unfair decisions, %"])[0] for name in (d_ucb, safest, known)]
    assert unfair == [45.7, 26.8, 11.5]
