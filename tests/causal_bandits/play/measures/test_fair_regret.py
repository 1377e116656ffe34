"""Regret against the best fair arm."""

import numpy as np
from contextual_strategies import fair_bandits
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_bandits.play.measures.fair_regret import FairRegret
from causal_bandits.play.run import play
from causal_bandits.play.unfairness import fair_regret
from causal_bandits.policies.contextual.ucb import UCB
from causal_bandits.seeding import generators


@settings(max_examples=30)
@given(fair_bandits(), st.integers(0, 10**6))
def test_regret_against_the_best_fair_arm_is_that_by_hand(problem, seed):
    run = play(UCB(), problem, 60, generators(1, "fair", seed), [FairRegret], block=25)
    contexts = problem.worlds(0, 60, generators(1, "fair", seed).environment).contexts
    for tau in problem.thresholds:
        lost = []
        for x, arm in zip(contexts, run.arms, strict=True):
            sizes = np.abs(problem.discrepancies[x])
            fair = [a for a, size in enumerate(sizes) if size <= max(tau, sizes.min()) + 1e-9]
            lost.append(max(problem.means[x, a] for a in fair) - problem.means[x, arm])
        np.testing.assert_allclose(run.extras[fair_regret(tau)], np.cumsum(lost), atol=1e-9)
