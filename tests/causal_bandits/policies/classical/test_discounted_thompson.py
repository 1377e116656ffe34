"""Discounted Thompson sampling: the choices of a plain twin that adds up the whole history."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import bandits
from twins.changing import PlainDiscountedThompson
from twins.same import assert_same_choices
from twins.scm import PlainThompson

from causal_bandits.policies.classical.discounted_thompson import DiscountedThompson

PRIORS = st.sampled_from([0.5, 1.0, 4.0])


@settings(max_examples=60)
@given(bandits(), st.sampled_from([0.9, 0.99, 0.999]), PRIORS, PRIORS, st.integers(0, 10**6))
def test_choices_equal_those_of_the_plain_reference(bandit, discount, ones, zeros, seed):
    mine, plain = (kind(discount, ones, zeros) for kind in (DiscountedThompson, PlainDiscountedThompson))
    assert_same_choices(mine, plain, bandit, seed)


@settings(max_examples=40)
@given(bandits(), PRIORS, PRIORS, st.integers(0, 10**6))
def test_without_discount_it_is_thompson_sampling(bandit, ones, zeros, seed):
    assert_same_choices(DiscountedThompson(1.0, ones, zeros), PlainThompson(ones, zeros), bandit, seed)


def test_old_rewards_fade_towards_the_prior():
    policy = DiscountedThompson(0.5, prior_ones=1.0, prior_zeros=3.0)
    state = policy.start(2)
    policy.learn(state, 0, 1.0)
    np.testing.assert_allclose(policy.expectations(state), [2 / 5, 1 / 4])
    policy.learn(state, 1, 0.0)
    np.testing.assert_allclose(policy.expectations(state), [1.5 / 4.5, 1 / 5])
