"""Algorithm 1 of Jamshidi et al. 2024: a plain twin, and what the index without costs loses."""

import numpy as np
import pytest
from costly_bandits import on_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.budgeted import spending
from twins.exploration import run

from causal_bandits.play.run import play
from causal_bandits.policies.confounded_budgeted import ConfoundedBudgeted
from causal_bandits.seeding import generators
from replication.papers.arena.budgeted_models import budgeted_general


@settings(max_examples=100)
@given(st.integers(0, 3), st.integers(0, 10**6), st.sampled_from(["rate", "printed"]), st.integers(0, 130))
def test_it_plays_the_arms_of_the_plain_twin(number, seed, index, more):
    bandit = on_graph(number, seed)
    policy = ConfoundedBudgeted(int(bandit.costs.sum()) + more, index)
    compiled = play(policy, bandit, policy.budget, generators(1, "confounded", seed), block=41)
    twin = spending(policy, "formula", 2.0, index == "rate", forces=True)
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
