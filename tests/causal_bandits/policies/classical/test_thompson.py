"""Thompson sampling: the compiled loop makes the very choices of the plain one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import bandits
from twins.scm import PlainManyArmsThompson, PlainThompson

from causal_bandits.play.run import play
from causal_bandits.policies.classical import thompson
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.seeding import generators

PRIORS = st.sampled_from([0.5, 1.0, 4.0])


@settings(max_examples=150)
@given(bandits(), PRIORS, PRIORS, st.integers(0, 10**6))
def test_choices_equal_those_of_the_plain_reference(bandit, ones, zeros, seed):
    compiled = play(Thompson(ones, zeros), bandit, 120, generators(1, "thompson", seed))
    plain = play(PlainThompson(ones, zeros), bandit, 120, generators(1, "thompson", seed))
    np.testing.assert_array_equal(compiled.arms, plain.arms)
    np.testing.assert_array_equal(compiled.rewards, plain.rewards)
    np.testing.assert_array_equal(compiled.regrets, plain.regrets)


@settings(max_examples=100)
@given(bandits(), st.sampled_from([1.0, 1.05, 4.0]), st.sampled_from([1.0, 1.05, 4.0]), st.integers(0, 10**6))
def test_choices_among_many_arms_equal_those_of_the_plain_reference(bandit, ones, zeros, seed):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thompson, "EACH_DRAWN", 0)
        compiled = play(Thompson(ones, zeros), bandit, 120, generators(1, "many", seed))
    plain = play(PlainManyArmsThompson(ones, zeros), bandit, 120, generators(1, "many", seed))
    np.testing.assert_array_equal(compiled.arms, plain.arms)
    np.testing.assert_array_equal(compiled.rewards, plain.rewards)
