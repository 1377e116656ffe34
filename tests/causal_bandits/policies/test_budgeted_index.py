"""What algorithms that spend a budget by an index share: the budget is spent, and never more."""

import numpy as np
import pytest
from costly_bandits import on_graph
from hypothesis import given
from hypothesis import strategies as st

from causal_bandits.models import SCMBandit, uniform_cpt
from causal_bandits.models.arms import Arms
from causal_bandits.models.budgeted import BudgetedSCMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.confounded_budgeted import ConfoundedBudgeted
from causal_bandits.policies.crm_nb import CRMNB
from causal_bandits.policies.f_kube import FKUBE
from causal_bandits.seeding import generators

POLICIES = (FKUBE, CRMNB, ConfoundedBudgeted)


@given(st.sampled_from(POLICIES), st.integers(0, 3), st.integers(0, 10**6), st.integers(0, 150))
def test_the_whole_budget_is_spent_and_each_arm_played_first(kind, number, seed, more):
    bandit = on_graph(number, seed)
    budget, k = int(bandit.costs.sum()) + more, len(bandit.arms)
    run = play(kind(budget), bandit, budget, generators(1, "spent", seed), block=37)
    assert run.outcome["spent"] == budget == bandit.costs[run.arms].sum()
    assert run.outcome["rounds"] == len(run.arms)
    assert run.outcome["watched_share"] == pytest.approx((run.arms == bandit.null).mean())
    assert run.arms[:k].tolist() == list(range(k))
    best = budget * (bandit.means / bandit.costs).max()
    assert run.regrets.sum() == pytest.approx(best - bandit.means[run.arms].sum())


@pytest.mark.parametrize("kind", POLICIES)
def test_what_cannot_be_played_is_refused(kind):
    bandit = on_graph(0, 0)
    once = int(bandit.costs.sum())
    with pytest.raises(ValueError, match=f"expected at least {once}, the cost of each arm once"):
        play(kind(once - 1), bandit, 100, generators(1, "refused", 0))
    with pytest.raises(ValueError, match="budget=0: expected at least 1"):
        kind(0)
    with pytest.raises(ValueError, match="index='best': expected one of rate"):
        kind(10, index="best")
    scm = bandit.bandit.scm
    without = BudgetedSCMBandit(SCMBandit(scm, arm_strategy=Arms(scm.variables, [{"A": 1}])), [1])
    with pytest.raises(ValueError, match=r"is do\(\)"):
        play(kind(10), without, 100, generators(1, "refused", 0))
    assert play(kind(once + 50), bandit, once // 2, generators(1, "refused", 0)).outcome == {}


def test_formulas_are_for_binary_variables():
    scm = uniform_cpt(on_graph(0, 0).bandit.scm.graph, np.random.default_rng(0))
    wide = type(scm)(
        scm.graph,
        {"A": ((), [0.2, 0.3, 0.5]), "B": (("A",), [[0.5, 0.5]] * 3), "Y": (("B",), [[0.5, 0.5], [0.1, 0.9]])},
    )
    bandit = BudgetedSCMBandit(SCMBandit(wide, arm_strategy=Arms(wide.variables, [{}, {"B": 1}])), [1, 2])
    with pytest.raises(ValueError, match="A: expected binary variables"):
        play(ConfoundedBudgeted(30), bandit, 30, generators(1, "binary", 0))
    assert play(FKUBE(30), bandit, 30, generators(1, "binary", 0)).outcome["spent"] == 30
