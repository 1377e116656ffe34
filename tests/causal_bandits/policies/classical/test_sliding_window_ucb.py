"""Sliding-window UCB: the choices of a plain twin that looks through the window."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import bandits
from twins.changing import PlainSlidingWindowUCB
from twins.same import assert_same_choices

from causal_bandits.policies.classical.sliding_window_ucb import SlidingWindowUCB


@settings(max_examples=60)
@given(bandits(), st.sampled_from([1, 5, 30, 500]), st.sampled_from([0.2, 0.6, 1.0]), st.integers(0, 10**6))
def test_choices_equal_those_of_the_plain_reference(bandit, more, xi, seed):
    window = len(bandit.arms) + more
    assert_same_choices(SlidingWindowUCB(window, xi), PlainSlidingWindowUCB(window, xi), bandit, seed)


def test_rewards_that_fall_out_leave_nothing_behind():
    policy, rng = SlidingWindowUCB(3), np.random.default_rng(0)
    state = policy.start(2)
    for reward in (0.1, 0.7, 0.2):
        policy.learn(state, 0, reward)
    for _ in range(3):
        policy.learn(state, 1, 0.25)
    assert state.total.tolist() == [0, 0.75]
    assert state.pulls.tolist() == [0, 3]
    assert policy.choose(state, rng) == 0
    np.testing.assert_array_equal(policy.expectations(state), [np.nan, 0.25])


def test_a_window_shows_every_arm():
    with pytest.raises(ValueError, match="window=5: 5 arms"):
        SlidingWindowUCB(5).start(5)
