"""Tables and figures of xiong2023 on made-up results, cell by cell, and those that are computed."""

import math

import numpy as np
import pandas as pd
import pytest
from made_xiong2023 import ROUNDS, SHARED, N
from made_xiong2023 import results as made
from scipy import stats

from causal_bandits.policies.glm.ccpe_bglm import constants_of, easiness
from causal_bandits.problems.xiong2023 import two_layers
from experiments.results import Plan, Results
from replication.papers.xiong2023 import tables, theory
from replication.papers.xiong2023.theory import Profile


@pytest.fixture
def results():
    return made()


def test_rounds_stand_beside_lucb1s_on_the_same_problem(results):
    table = tables.complexity(results).set_index(["problem", "policy"])
    ccpe = "CCPE-General, alpha 8 and 2"
    assert list(table.loc[("parallel: variables 5, effect 0.8", "LUCB1")]) == [
        "scaling", 0.1, 0.1, table["rounds"].iloc[0], "1.00", 0, 0, "", N,
    ]  # fmt: skip
    assert table["rounds"].iloc[0].startswith("1000.0")
    for variables, ratio in ((5, "0.25"), (10, "0.50")):
        row = table.loc[(f"parallel: variables {variables}, effect 0.8", ccpe)]
        assert (row["over LUCB1"], row["wrong"], row["without answer"]) == (ratio, 2, 1)
        assert row["condition not met"] == "arms not told apart: 1"


def test_thresholds_are_of_the_problem_that_is_played(results):
    """n independent causes of chance one half: q is one half, one for doing nothing, so m is 2 of 2n + 1 actions."""
    table = tables.thresholds(results)
    assert list(table["problem"]) == [f"parallel: variables {n}, effect 0.8" for n in (5, 10)]
    assert list(table["|A|"]) == [11, 21]
    assert list(table["m"]) == [2, 2]
    assert list(table["actions with q = 0"]) == [0, 0]
    assert list(table["Theorem 3's order"]) == ["nothing", "nothing"]  # with m = 2 (E53)
    assert list(table["rounds"]) == ["250", "1000"]
    for n, shown in zip((5, 10), table["over Theorem 2's order"], strict=True):
        upper = Profile.of(SHARED | {"variables": n}).upper
        assert shown == f"{ROUNDS['ccpe'][n] / upper:.2f}"
    assert list(table["over Theorem 3's order"]) == ["", ""]
    assert set(table["radii"]) == {"8 and 2"}


@pytest.mark.parametrize(("lower", "shown"), [(0.0, "nothing"), (-0.4, "nothing"), (0.6, "1")])
def test_a_lower_bound_of_nothing_is_no_number(results, monkeypatch, lower, shown):
    monkeypatch.setattr(Profile, "lower", lower)
    table = tables.thresholds(results)
    assert set(table["Theorem 3's order"]) == {shown}
    over = [f"{rounds / lower:.1f}" if lower > 0 else "" for rounds in (250, 1000)]
    assert list(table["over Theorem 3's order"]) == over


def test_rounds_over_theorem_1s_order_take_q_of_eq_7():
    settings = {"problem": "two_layers", "most": 1, "epsilon": 0.1, "delta": 0.1, "algorithm": "ccpe_bglm"}
    settings |= {"radius": "printed", "alpha_o": 8.485, "alpha_i": 2.0, "c": 0.0, "divisor": 2.0}
    frame = pd.DataFrame({"policy": "a", "seed": [0, 1], "t": [900, 1100], "answer": 1.0, "correct": 1.0})
    found = Results({}, {"e": frame}, pd.DataFrame(), {}, {"e": Plan(5000, {"a": settings})})
    bandit = two_layers(1)
    q, gaps = easiness(bandit), theory.gaps_of(bandit.means)
    order = theory.sample_complexity_bound(q, gaps, 0.1, 0.1)
    assert order != Profile(bandit, 0.1, 0.1).upper  # that is with q of Eq. 15
    assert list(tables.bglm(found)["over Theorem 1's order"]) == [f"{1000 / order:.3g}"]


def test_the_printed_constants_ask_for_what_the_definitions_say():
    """Definition 2 by its letter, at epsilon = 0.1, on every problem of the table."""
    table = tables.bglm_constants(None).set_index("problem")
    asked = {
        "two_layers: most 1": {"problem": "two_layers", "most": 1},
        "two_layers: most 2": {"problem": "two_layers", "most": 2},
        "two_layers: most 2, link logistic": {"problem": "two_layers", "most": 2, "link": "logistic"},
    }
    asked |= {
        f"parallel_bglm: causes {n}, most {most}": {"problem": "parallel_bglm", "causes": n, "most": most}
        for n, most in ((6, 2), (8, 2), (8, 3))
    }
    assert list(table.index) == list(asked)
    assert table.loc["parallel_bglm: causes 6, most 2", "|A|"] == 1 + 2 * 6 + 4 * 15
    for name, settings in asked.items():
        row, profile = table.loc[name], Profile.of(settings | {"epsilon": 0.1, "delta": 0.1})
        assert row["|A|"] == len(profile.q)
        size, q = np.maximum(profile.gaps, 0.05) ** 2, easiness(profile.bandit)
        ranked = np.argsort(q * size)
        hard = np.cumsum(1 / size[ranked])
        holds = [(q * size * h < 1 - 1e-9).sum() <= tau for tau, h in enumerate(hard, 1)]
        assert row["m_eps,Delta for epsilon = 0.1"] == 1 + holds.index(True)
        assert row["H_m"] == f"{hard[holds.index(True)]:.0f}"
        assert row["H"] == f"{hard[-1]:.0f}"
        known, own = constants_of(profile.bandit.glm), q[np.argsort(profile.bandit.means)[-1]]  # of the best action
        for width in (1.0, 0.5, 0.025):
            t = float(row[f"until the best action's radius is {width:g}"])
            inside = math.log(3 * len(profile.bandit.glm.variables) * t**2 / 0.05) / (known.freedom * own * t)
            beta = 6 * math.sqrt(2) * known.slope * known.parents**1.5 / known.least_slope * math.sqrt(inside)
            assert beta == pytest.approx(width, rel=0.03)  # Eq. 8, at two digits of t


def test_the_interval_of_an_error_rate_is_that_of_the_wrong_and_missing_answers(results):
    """None of 20 has ends of 0 and 1 - 0.025^(1/20); two of 20 have SciPy's."""
    table = tables.error_rates(results).set_index(["policy", "problem"])
    ends = stats.binomtest(2, N).proportion_ci(method="exact")
    for policy, rate, low, high in (("LUCB1", 0, 0, 1 - 0.025 ** (1 / N)), ("CCPE-General, alpha 8 and 2", 0.1, *ends)):
        for row in table.loc[policy].itertuples(index=False, name=None):
            shown = dict(zip(table.columns, row, strict=True))
            assert shown["error rate"] == f"{rate:.4f}"
            assert shown["95 % interval"] == f"{low:.4f} to {high:.4f}"
