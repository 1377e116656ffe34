"""The loop of UCB on cells: the scale of its bonus by hand, and what limits do to the choice."""

from math import log, sqrt

import numpy as np
import pytest

from causal_bandits.estimation.cells import cells, no_rewards
from causal_bandits.models import ContextualBandit
from causal_bandits.play.run import play
from causal_bandits.policies.contextual.helpers import cell_ucb
from causal_bandits.seeding import generators


def test_the_scale_is_that_of_each_rounds_confidence():
    """delta = 1/t^2, so that sqrt(2 log(1/delta)) is 0 in round 1; or delta = 1/T^2 throughout."""
    by_round = [sqrt(2 * log(t**2)) for t in (1, 2, 3, 4, 5)]
    assert cell_ucb.reward_scale("anytime", 5).tolist() == pytest.approx(by_round)
    assert cell_ucb.reward_scale("horizon", 5).tolist() == pytest.approx(by_round[-1:] * 5)
    assert set(cell_ucb.CONFIDENCE) == {"anytime", "horizon"}


class Limited:
    """The loop on the cells of context and arm, with limits of the test."""

    plays = ContextualBandit

    def __init__(self, limits):
        self.limits = limits

    def run(self, bandit, rounds, rng):
        self.means = no_rewards(cells(bandit, (*bandit.context, *bandit.manipulable)), 0.0)
        return cell_ucb.run(bandit, rounds, rng, self.means, "anytime", self.limits)


def played(bandit, limits, horizon=200):
    """The arms, the contexts and the state after the last round."""
    policy = Limited(limits)
    run = play(policy, bandit, horizon, generators(1, "limits", 0), block=64)
    contexts = bandit.worlds(0, horizon, generators(1, "limits", 0).environment).contexts
    return run, contexts, policy.means


def test_a_lower_limit_lifts_an_arm_and_an_upper_one_holds_it_down_in_its_context_alone(contextual_task):
    shape = contextual_task.means.shape
    limits = cell_ucb.Limits(np.full(shape, -np.inf), np.full(shape, np.inf))
    limits.lower[0, 2] = 1e6
    limits.upper[1, [0, 1, 3]] = -1e6
    run, contexts, _ = played(contextual_task, limits)
    assert set(run.arms[contexts == 0]) == {2}
    assert set(run.arms[contexts == 1]) == {2}
    assert set(run.arms[contexts > 1]) == set(range(4))


def test_of_limits_that_cross_the_lower_one_counts(contextual_task):
    """max{min{U, UCB}, L}: an arm with an upper limit below all and a lower one above all is played."""
    shape = contextual_task.means.shape
    limits = cell_ucb.Limits(np.full(shape, -np.inf), np.full(shape, np.inf))
    limits.lower[:, 1], limits.upper[:, 1] = 1e6, -1e6
    assert set(played(contextual_task, limits)[0].arms) == {1}


def test_without_limits_nothing_is_clipped_and_every_reward_is_learnt(contextual_task):
    run, contexts, means = played(contextual_task, None)
    same, *_ = played(contextual_task, cell_ucb.Limits.none(means))
    np.testing.assert_array_equal(run.arms, same.arms)
    for c, a in np.ndindex(*contextual_task.means.shape):
        own = run.rewards[(contexts == c) & (run.arms == a)]
        (cell,) = means.cells.cell[c, a]
        assert means.visits[cell] == len(own)
        assert means.mean[cell] == pytest.approx(own.mean() if len(own) else 0.0)
