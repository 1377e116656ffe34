"""Gaussian Thompson sampling on many arms: the choices of a plain twin, and of drawing every arm."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from single_node import copying_bandits
from twins.same import assert_same_choices
from twins.single_node import PlainGaussianThompson

from causal_bandits.policies.classical.gaussian_thompson import GaussianThompson, Posterior, _tail, choose, threshold
from causal_bandits.policies.classical.helpers.tournament import tournament


@settings(max_examples=40)
@given(copying_bandits(), st.floats(-1, 1), st.floats(0.1, 3), st.integers(0, 10**6))
def test_thompson_makes_the_choices_of_the_plain_one(bandit, mean, sd, seed):
    assert_same_choices(GaussianThompson(mean, sd), PlainGaussianThompson(mean, sd), bandit, seed, 150)


def test_thompson_draws_fewer_arms_and_chooses_as_if_it_drew_all():
    """Chi-square of 20,000 choices against those of drawing every arm."""
    rng = np.random.default_rng(4)
    mean, sd = rng.normal(size=40), rng.uniform(0.2, 1.5, size=40)
    share = threshold(40)
    most = mean + share.a * sd
    posterior = Posterior(mean, sd, most, tournament(most), np.full(40, -1))
    lazy = np.bincount([choose(posterior, share, t, rng) for t in range(20_000)], minlength=40)
    full = np.bincount((mean + sd * rng.standard_normal((200_000, 40))).argmax(axis=1), minlength=40)
    often = full > 100
    table = np.array([[*lazy[often], lazy[~often].sum()], [*full[often], full[~often].sum()]])
    assert stats.chi2_contingency(table).pvalue > 1e-4


@pytest.mark.parametrize("a", [0.7, 2.0])
def test_numbers_beyond_the_threshold_are_normal(a):
    """Kolmogorov-Smirnov against the normal distribution given that it exceeds ``a``."""
    rng = np.random.default_rng(5)
    drawn = [_tail(a, rng) for _ in range(5000)]
    assert min(drawn) > a
    assert stats.kstest(drawn, stats.truncnorm(a, np.inf).cdf).pvalue > 1e-3
