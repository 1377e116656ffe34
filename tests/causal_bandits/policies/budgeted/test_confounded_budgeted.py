"""Algorithm 1 of Jamshidi et al. 2024: a plain twin, the budget, and what the index without costs loses."""

import numpy as np
import pytest
from costly_bandits import on_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from jamshidi import budgeted_general
from twins.budgeted import spending
from twins.exploration import run

from causal_bandits.models import SCMBandit, uniform_cpt
from causal_bandits.models.arms import Arms
from causal_bandits.models.budgeted import BudgetedSCMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.budgeted.confounded_budgeted import ConfoundedBudgeted
from causal_bandits.seeding import generators


@settings(max_examples=100)
@given(st.integers(0, 3), st.integers(0, 10**6), st.sampled_from(["rate", "printed"]), st.integers(0, 130))
def test_it_plays_the_arms_of_the_plain_twin(number, seed, index, more):
    bandit = on_graph(number, seed)
    policy = ConfoundedBudgeted(int(bandit.costs.sum()) + more, index)
    compiled = play(policy, bandit, policy.budget, generators(1, "confounded", seed), block=41)
    twin = spending(policy)
    arms, rounds = run(twin, bandit, generators(1, "confounded", seed), policy.budget)
    assert compiled.arms.tolist() == arms
    assert compiled.outcome["rounds"] == rounds


def test_what_do_teaches_changes_what_is_played():
    """Else the twin would say nothing of the formula's values."""
    runs = [play(ConfoundedBudgeted(200), on_graph(1, s), 200, generators(1, "taught", s)) for s in range(10)]
    assert max(run.outcome["shown_most"] for run in runs) > 10


def test_without_costs_in_the_index_it_ends_at_the_arm_with_the_largest_mean():
    """E60: what is lost per unit of the budget does not vanish; over the cost, it does."""
    bandit = budgeted_general(cost=3, spread=0)
    largest = int(np.argmax(bandit.means))
    assert bandit.costs[largest] > 1
    least = bandit.best_rate - bandit.means[largest] / bandit.costs[largest]
    assert least > 0.05
    lost = {}
    for index, budget in (("printed", 40_000), ("rate", 6000)):
        runs = [play(ConfoundedBudgeted(budget, index), bandit, budget, generators(1, "lost", s)) for s in range(4)]
        lost[index] = np.mean([run.regrets.sum() for run in runs]) / budget
        if index == "printed":
            assert np.mean([(run.arms[-1000:] == largest).mean() for run in runs]) > 0.8
    assert lost["printed"] == pytest.approx(least, rel=0.1)
    assert lost["printed"] > least / 2 > 2 * lost["rate"]


@given(st.integers(0, 3), st.integers(0, 10**6), st.integers(0, 150))
def test_the_whole_budget_is_spent_and_each_arm_played_first(number, seed, more):
    bandit = on_graph(number, seed)
    budget, k = int(bandit.costs.sum()) + more, len(bandit.arms)
    run = play(ConfoundedBudgeted(budget), bandit, budget, generators(1, "spent", seed), block=37)
    assert run.outcome["spent"] == budget == bandit.costs[run.arms].sum()
    assert run.outcome["rounds"] == len(run.arms)
    assert run.outcome["watched_share"] == pytest.approx((run.arms == bandit.null).mean())
    assert run.arms[:k].tolist() == list(range(k))
    best = budget * (bandit.means / bandit.costs).max()
    assert run.regrets.sum() == pytest.approx(best - bandit.means[run.arms].sum())


def test_what_cannot_be_played_is_refused():
    bandit = on_graph(0, 0)
    once = int(bandit.costs.sum())
    with pytest.raises(ValueError, match=f"expected at least {once}, the cost of each arm once"):
        play(ConfoundedBudgeted(once - 1), bandit, 100, generators(1, "refused", 0))
    scm = bandit.bandit.scm
    without = BudgetedSCMBandit(SCMBandit(scm, arm_strategy=Arms(scm.variables, [{"A": 1}])), [1])
    with pytest.raises(ValueError, match=r"is do\(\)"):
        play(ConfoundedBudgeted(10), without, 100, generators(1, "refused", 0))
    assert play(ConfoundedBudgeted(once + 50), bandit, once // 2, generators(1, "refused", 0)).outcome == {}


def test_formulas_are_for_binary_variables():
    scm = uniform_cpt(on_graph(0, 0).bandit.scm.graph, np.random.default_rng(0))
    wide = type(scm)(
        scm.graph,
        {"A": ((), [0.2, 0.3, 0.5]), "B": (("A",), [[0.5, 0.5]] * 3), "Y": (("B",), [[0.5, 0.5], [0.1, 0.9]])},
    )
    bandit = BudgetedSCMBandit(SCMBandit(wide, arm_strategy=Arms(wide.variables, [{}, {"B": 1}])), [1, 2])
    with pytest.raises(ValueError, match="A: expected binary variables"):
        play(ConfoundedBudgeted(30), bandit, 30, generators(1, "binary", 0))
