"""Plays of arms that prior bounds rule out."""

import numpy as np

from causal_bandits.play.measures.ruled_out import RuledOut
from causal_bandits.play.run import play
from causal_bandits.policies.contextual.ucb import UCB
from causal_bandits.seeding import generators


def test_pulls_of_ruled_out_arms_are_counted(contextual_task):
    best = contextual_task.means.max(axis=1, keepdims=True)
    upper = np.where(np.arange(len(contextual_task.arms)) == 1, best - 0.01, best)
    upper[0, 2] = best[0, 0] - 0.01
    problem = contextual_task.with_prior({"upper": upper})
    assert RuledOut.applies_to(problem)
    run = play(UCB(), problem, 300, generators(3, "m", 0), [RuledOut])
    contexts = problem.worlds(0, 300, generators(3, "m", 0).environment).contexts
    expected = np.cumsum((run.arms == 1) | ((run.arms == 2) & (contexts == 0)))
    assert run.extras["ruled_out"].tolist() == expected.tolist()
    assert 0 < expected[-1] < 300
    assert not RuledOut.applies_to(problem.with_prior({}))
