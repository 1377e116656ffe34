"""What both CCPE algorithms share, by hand: radius, intersection of intervals, choice, end of an iteration."""

from itertools import permutations
from math import log, sqrt

import numpy as np
import pytest

from causal_bandits.policies.glm.helpers.ccpe import (
    BY_PLAYING,
    BY_WATCHING,
    CHALLENGER,
    CHOOSE,
    ITERATION,
    LEADER,
    NEXT,
    WATCH,
    Intervals,
    choose,
    end_round,
    learn,
    merge,
)


def test_a_play_moves_one_actions_mean_and_its_radius():
    """beta_I(2) = alpha sqrt(log(3 log 4 / delta) / 2) of three actions."""
    known = Intervals.unknown(3)
    for reward in (1.0, 0.0):
        learn(known, 1, reward, 0.5, 0.2)
    assert known.tried.tolist() == [0, 0.5, 0]
    assert known.tried_reach[1] == pytest.approx(0.5 * sqrt(log(3 * log(4) / 0.2) / 2))
    assert known.tried_reach[[0, 2]].tolist() == [np.inf] * 2
    assert known.played.pulls.tolist() == [0, 2, 0]


def test_intervals_are_intersected_and_the_narrower_is_counted():
    known = Intervals.unknown(4)
    known.tried[:], known.tried_reach[:] = (0.5, 0.5, 0.9, 0.0), (0.1, 0.3, 0.05, np.inf)
    known.watched[:], known.watched_reach[:] = (0.55, 0.7, 0.4, 0.0), (0.2, 0.2, 0.1, np.inf)
    merge(known)
    assert known.lower[:3].tolist() == pytest.approx([0.4, 0.5, 0.85])
    assert known.upper[:3].tolist() == pytest.approx([0.6, 0.8, 0.5])
    assert known.mean.tolist() == pytest.approx([0.5, 0.65, 0.675, 0.0])  # the third: the middle of the gap
    assert (known.lower[3], known.upper[3]) == (-np.inf, np.inf)
    assert (known.step[BY_PLAYING], known.step[BY_WATCHING]) == (2, 1)


@pytest.mark.parametrize(("epsilon", "ends"), [(0.0, False), (0.24, False), (0.26, True)])
def test_the_leader_has_the_largest_mean_and_the_challenger_the_largest_bound_of_the_others(epsilon, ends):
    known = Intervals.unknown(3)
    known.mean[:], known.lower[:], known.upper[:] = (0.5, 0.6, 0.3), (0.4, 0.45, 0.0), (0.6, 0.9, 0.7)
    assert choose(known, epsilon, np.random.default_rng(0)) is ends
    assert (known.step[LEADER], known.step[CHALLENGER], known.step[ITERATION]) == (1, 2, 1)
    assert known.width[0] == pytest.approx(0.7 - 0.45 - epsilon)


def test_ties_are_broken_at_random():
    found = set()
    for seed in range(40):
        known = Intervals.unknown(3)
        assert not choose(known, 0.0, np.random.default_rng(seed))
        found.add((int(known.step[LEADER]), int(known.step[CHALLENGER])))
    assert found == set(permutations(range(3), 2))


def test_only_the_last_round_of_an_iteration_moves_the_intervals():
    known = Intervals.unknown(2)
    learn(known, 0, 1.0, 1.0, 0.1)
    known.step[NEXT] = WATCH
    assert end_round(known) == (0, 0)
    assert known.upper[0] == np.inf
    known.step[NEXT] = CHOOSE
    assert end_round(known) == (0, 1)
    assert known.upper[0] < np.inf
    assert end_round(known) == (0, 0)  # what a round adds: nothing has changed
