"""Discounted UCB: the choices of a plain twin that adds up the whole history."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import bandits
from twins.changing import PlainDiscountedUCB
from twins.same import assert_same_choices

from causal_bandits.policies.classical.discounted_ucb import DiscountedUCB


@settings(max_examples=60)
@given(bandits(), st.sampled_from([0.9, 0.99, 0.999]), st.sampled_from([0.2, 0.6, 1.0]), st.integers(0, 10**6))
def test_choices_equal_those_of_the_plain_reference(bandit, discount, xi, seed):
    assert_same_choices(DiscountedUCB(discount, xi), PlainDiscountedUCB(discount, xi), bandit, seed)


def test_an_arm_that_no_reward_counts_for_is_played():
    policy, rng = DiscountedUCB(0.5), np.random.default_rng(0)
    state = policy.start(2)
    for arm in (0, 1):
        assert policy.choose(state, rng) == arm
        policy.learn(state, arm, 1.0)
    assert policy.expectations(state).tolist() == [1, 1]
    for _ in range(1200):  # 2^-1200 is zero
        policy.learn(state, 1, 0.0)
    assert policy.choose(state, rng) == 0
    assert np.isnan(policy.expectations(state)[0])
