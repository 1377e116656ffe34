"""Models whose arms have costs, the table of what is played on them, and what the page says of it."""

import numpy as np
import pandas as pd
import pytest
from whole import ROOT

from causal_bandits.policies.budgeted_watching import inverses, least_tau
from experiments.results import Plan, Results
from replication.papers.arena.budgeted_models import GENERAL, budgeted_general, budgeted_parallel
from replication.papers.arena.budgeted_tables import budgeted_table


def test_the_general_graph_has_its_law():
    """A variable is the parity of its causes with probability 0.8; P(X_1 = 1) and costs differ between draws."""
    ones, costs = [], []
    for draw in range(200):
        bandit = budgeted_general(draw=draw)
        scm = bandit.bandit.scm
        ones.append(scm.expectation("X1"))
        costs += bandit.costs[1:].tolist()
        assert len(bandit.arms) == 13
        assert bandit.costs[bandit.null] == 1
    for v in GENERAL.nodes[1:]:
        causes = sorted(GENERAL.parents(v))
        for states in np.ndindex((2,) * len(causes)):
            expected = 0.8 if sum(states) % 2 else 0.2
            assert scm.expectation(v, do=dict(zip(causes, states, strict=True))) == pytest.approx(expected)
    assert np.mean(ones) == pytest.approx(0.75, abs=0.05)
    assert 0.5 <= min(ones) < 0.52 < 0.98 < max(ones) <= 1
    assert np.bincount(costs)[2:] / len(costs) == pytest.approx([0.5, 0.5], abs=0.05)
    assert np.argmax(bandit.means / bandit.costs) == bandit.null
    assert set(budgeted_general(7, 0).costs[1:]) == {7}


def test_the_parallel_graph_is_lattimores_with_costs():
    bandit = budgeted_parallel(draw=4)
    assert len(bandit.arms) == 101
    assert bandit.means[2] == pytest.approx(0.8)
    assert bandit.means[0] == pytest.approx(0.5)
    assert bandit.bandit.glm.expectation("X2") == pytest.approx(0.02)
    assert bandit.bandit.glm.expectation("X3") == pytest.approx(0.5)
    assert set(bandit.costs[1:].tolist()) == {2, 3, 4, 5}
    assert (budgeted_parallel(draw=5).costs != bandit.costs).any()
    for build in (budgeted_general, budgeted_parallel):
        with pytest.raises(ValueError, match="cost=0, spread=1: expected >= 1 and >= 0"):
            build(0, 1)


def cost_from_which_gamma_nb_only_watches(ones):
    """1 / (p m), for one row of shares of rounds in which each variable is 1."""
    s = inverses(np.concatenate([ones, 1 - ones]))
    return s.max() / least_tau(s, np.ones(len(s)))


def test_gamma_nb_hardly_ever_only_watches_on_the_parallel_graph():
    """Its rule asks for a cost of 25, whatever the budget; estimated shares seldom ask for one that is paid here."""
    glm = budgeted_parallel().bandit.glm
    ones = np.array([glm.expectation(f"X{i + 1}") for i in range(50)])
    assert cost_from_which_gamma_nb_only_watches(ones) == pytest.approx(25)
    rng, dearest = np.random.default_rng(0), {}
    for budget in (100, 200, 400, 600, 800, 1000, 1500):
        watched = rng.binomial(budget // 2, ones, size=(2000, 50)) / (budget // 2)
        dearest[budget] = np.array([cost_from_which_gamma_nb_only_watches(row) for row in watched])
    means = [budgeted_parallel(draw=draw).costs[1:].mean() for draw in range(400)]
    assert all(least.min() > max(means) for budget, least in dearest.items() if budget < 1500)
    shares = {cost: float((dearest[1500] <= cost).mean()) for cost in (2, 5, 10, 15, 20)}
    assert shares[2] == shares[5] == shares[10] == 0
    assert shares[15] < 0.01
    assert shares[20] == pytest.approx(38 / 400, abs=0.04)  # the 38 runs of L258; two standard errors and more


def test_a_row_has_what_is_published_and_both_forms_of_the_index():
    def plan(**policies):
        return Plan(10, policies, {}, {})

    one = {"algorithm": "f_kube", "budget": 50, "cost": 2, "spread": 1}
    named = {"algorithm": "gamma_nb", "budget": 60, "cost": 4, "spread": 0, "intervenes": "never"}
    finals = {
        "budgeted": [(p, s, 10.0 * p.startswith("m") + s) for p in ("rate", "mean") for s in (1, 3)],
        "naming_watching": [("never", s, value) for s, value in enumerate((0.0, 0.3))],
    }
    columns = {"budgeted": "cumulative_regret", "naming_watching": "excess"}
    empty = pd.DataFrame({"experiment": [], "judge": [], "policy": [], "value": []}, dtype=str)
    published = pd.DataFrame(
        {"experiment": ["budgeted"], "judge": ["mean"], "policy": ["f_kube index=rate"], "value": ["5"]}
    )
    results = Results(
        {},
        {e: pd.DataFrame(rows, columns=["policy", "seed", columns[e]]) for e, rows in finals.items()},
        pd.concat([empty, published]),
        {},
        {
            "budgeted": plan(rate=one | {"index": "rate"}, mean=one | {"index": "mean"}),
            "naming_watching": plan(never=named),
            "naming_watching_costs": plan(),
        },
    )
    rows = budgeted_table(results).to_dict("records")
    assert [row["plays"] for row in rows] == ["F-KUBE", "watching alone"]
    assert [row["costs"] for row in rows] == ["2 to 3", "4"]
    assert [row["published"] for row in rows] == ["5", ""]
    assert [row["here"] for row in rows] == ["2.0 (1.0)", "0.1500 (0.1500)"]
    assert [row["here, index without costs"] for row in rows] == ["12.0 (1.0)", ""]


# ---------------------------------------------------------------------- what the page and the ledger say


@pytest.fixture(scope="module")
def committed():
    """Means and standard errors of the committed table."""
    table = pd.read_csv(ROOT / "figures/arena/budgeted.csv").rename(columns={"here, index without costs": "bare"})
    for name in ("here", "bare"):
        table[[name, f"{name}_error"]] = table[name].str.extract(r"(\S+) \((\S+)\)").astype(float)
    return table


def of(table, plays, budget, costs):
    (row,) = table[(table["plays"] == plays) & (table["budget"] == budget) & (table["costs"] == costs)].to_dict(
        "records"
    )
    return row


def test_the_page_is_right_about_the_general_graph(committed):
    budgets, names = (500, 1000, 2000, 2400), ("Algorithm 1", "F-KUBE", "CRM-NB-ALG")
    first = [of(committed, "Algorithm 1", b, "2 to 3") for b in budgets]
    assert [round(row["bare"] / b, 3) for row, b in zip(first, budgets, strict=True)] == [0.236, 0.228, 0.214, 0.21]
    assert [round(row["here"] / b, 3) for row, b in zip(first, budgets, strict=True)] == [0.121, 0.085, 0.054, 0.047]
    assert all(row["bare_error"] / b < 0.002 for row, b in zip(first, budgets, strict=True))
    last = [of(committed, name, 2400, "2 to 3") for name in names]
    assert [round(row["here"]) for row in last] == [113, 164, 10]
    assert [round(row["bare"]) for row in last] == [503, 504, 494]
    assert [row["published"] for row in last] == [273, 584, 594]


def test_the_page_is_right_about_the_parallel_graph(committed):
    names = ("Algorithm 2", "gamma-NB-ALG", "watching alone")
    assert [of(committed, name, 200, "2 to 5")["here"] for name in names] == pytest.approx(
        [0.029, 0.0315, 0.086], abs=5.1e-4
    )
    assert [of(committed, name, 200, "2 to 5")["published"] for name in names[:2]] == [0.075, 0.119]
    dear = [of(committed, name, 1500, "20") for name in ("Algorithm 2", "PB-ALG", "watching alone")]
    assert [row["here"] for row in dear] == [0.009, 0.009, 0.0015]
    assert [row["published"] for row in dear[:2]] == [0.012, 0.101]
    alike = [committed[committed["plays"] == name]["here"].tolist() for name in ("gamma-NB-ALG", "PB-ALG")]
    assert alike[0] == alike[1]
    assert len(alike[0]) == 11
