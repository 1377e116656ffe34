"""What z2-TS and z2-kl-UCB share: proper averages, hyper-parameters, the estimators of a problem's arms."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from causal_bandits.play.run import play
from causal_bandits.policies.scm.helpers.z2 import LEAST_VARIANCE, proper
from causal_bandits.policies.scm.z2_kl_ucb import Z2KLUCB
from causal_bandits.policies.scm.z2_thompson import Z2Thompson
from causal_bandits.problems.lee2019 import build
from causal_bandits.seeding import generators

POLICIES = [Z2Thompson, Z2KLUCB]


@given(st.floats(-1, 2), st.floats(1e-6, 1 / 12))
@example(0.5, 1 / 12)
@example(-0.3, 0.08)
@example(0.01, 0.01)
def test_a_proper_average_is_matched_by_a_beta_of_weight_one_or_more(mean, variance):
    new_mean, new_variance, clipped = proper(mean, variance)
    weight = new_mean * (1 - new_mean) / new_variance - 1
    a, b = new_mean * weight, (1 - new_mean) * weight
    assert min(a, b) > 0
    assert weight >= 1 - 1e-9
    assert a / (a + b) == pytest.approx(new_mean, rel=1e-12)
    assert a * b / ((a + b) ** 2 * (a + b + 1)) == pytest.approx(variance, rel=1e-9)
    assert clipped == (new_mean != mean)
    if clipped:  # only where it must, and no further than it must
        assert not mean * (1 - mean) >= 2 * variance * (1 + 1e-9)
        assert weight == pytest.approx(1, abs=1e-9)
        assert abs(new_mean - 0.5) < abs(mean - 0.5)


@pytest.mark.parametrize("variance", [0.0, -1e-20, 1e-15])
@pytest.mark.parametrize("mean", [-0.2, 0.0, 0.3, 1.0])
def test_no_average_is_infinitely_precise(mean, variance):
    new_mean, new_variance, clipped = proper(mean, variance)
    assert new_variance == LEAST_VARIANCE
    assert clipped
    assert new_mean == pytest.approx(min(max(mean, 0), 1), abs=1e-11)
    assert new_mean * (1 - new_mean) / new_variance - 1 == pytest.approx(1, abs=1e-3) or 0 < mean < 1


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_trivial_estimator_is_proper_and_gives_its_beta_back(ones, zeros):
    n = ones + zeros + 2
    mean = (ones + 1) / n
    variance = mean * (1 - mean) / (n + 1)
    assert proper(mean, variance) == (mean, variance, False)
    weight = mean * (1 - mean) / variance - 1
    assert (mean * weight, (1 - mean) * weight) == pytest.approx((ones + 1, zeros + 1), rel=1e-9)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    ("task", "family", "draw"),
    [("frontdoor", "uniform_cpt", 232), ("fourvar", "uniform_cpt", 40), ("sixvar", "noisy_xor", 611)],
)
def test_two_replicates_make_improper_averages_and_runs_count_them(policy, task, family, draw):
    """The covariance of two replicates has rank one: mixtures of estimators without variance are found often."""
    problem = build(task, family=family, draw=draw).with_arms("possibly_optimal")
    two, many = (play(policy(replicates=b), problem, 800, generators(1, "clip", 1)) for b in (2, 200))
    per_round = np.diff(two.extras["clipped"], prepend=0)
    assert (per_round >= 0).all()
    assert (per_round <= len(problem.arms)).all()
    if task != "frontdoor":  # an arm there has one estimator beside its own
        assert per_round.sum() > 40
    assert many.extras["clipped"][-1] == 0
