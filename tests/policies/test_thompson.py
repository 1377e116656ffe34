"""Thompson sampling: the compiled loop makes the very choices of the plain one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain import PlainThompson
from scipy import stats
from strategies import bandits

from causal_bandits.evaluation.play import play
from causal_bandits.policies.thompson import Thompson
from causal_bandits.seeding import generators


@settings(max_examples=150)
@given(bandits(), st.integers(0, 10**6))
def test_choices_equal_those_of_the_plain_reference(bandit, seed):
    compiled = play(Thompson(), bandit, 120, generators(1, "thompson", seed))
    plain = play(PlainThompson(), bandit, 120, generators(1, "thompson", seed))
    np.testing.assert_array_equal(compiled.arms, plain.arms)
    np.testing.assert_array_equal(compiled.rewards, plain.rewards)
    np.testing.assert_array_equal(compiled.regrets, plain.regrets)


def test_final_regret_has_the_distribution_of_the_reference_on_other_seeds(calibrated_task):
    """Two-sample Kolmogorov-Smirnov, independent seeds: not the same numbers, the same distribution."""
    compiled = [play(Thompson(), calibrated_task, 500, generators(1, "a", s)).regrets.sum() for s in range(400)]
    plain = [play(PlainThompson(), calibrated_task, 500, generators(1, "b", s)).regrets.sum() for s in range(150)]
    assert stats.ks_2samp(compiled, plain).pvalue > 1e-3


def test_the_prior_moves_the_first_choices(calibrated_task):
    def first_arms(policy):
        return [play(policy, calibrated_task, 1, generators(1, "prior", s)).arms[0] for s in range(300)]

    counts = np.bincount(first_arms(Thompson()), minlength=len(calibrated_task.arms))
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("prior", [{"prior_ones": 0}, {"prior_zeros": -1.0}])
def test_an_impossible_prior_is_refused(prior):
    with pytest.raises(ValueError, match="must be > 0"):
        Thompson(**prior)
