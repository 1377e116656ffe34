"""Prediction intervals of ensembles: by hand, at their level, and never better for fewer members."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from replication.judging.judges import Because, Outcome, judge_predicted


def test_the_interval_of_a_normal_ensemble_by_hand():
    """t(39) = 2.0227; members have variance 100, of which their own errors are 36."""
    members = 110 + 10 * _standardised(np.arange(40.0))
    found = judge_predicted(111.0, members, 5.0, errors=np.full(40, 6.0))
    half = 2.02269 * np.sqrt(100 - 36 + 100 / 40 + 25)
    reach = max(half, members.max() - 110 + 1.95996 * np.hypot(6, 5))
    assert (found.ci_low, found.ci_high) == pytest.approx((110 - reach, 110 + reach), abs=1e-3)
    assert (found.n, found.replicated) == (40, "110.00")


def _standardised(values):
    return (values - values.mean()) / values.std(ddof=1)


def test_few_members_decide_nothing_and_say_how_many_would():
    for n in (1, 3, 19):
        found = judge_predicted(100.0, np.linspace(99, 101, n), 0.1)
        assert (found.outcome, found.because) == (Outcome.OPEN, Because.SEEDS)
    assert found.needs.count == 20
    assert judge_predicted(100.0, np.linspace(99, 101, 20), 0.1).outcome == Outcome.HOLDS


@pytest.mark.parametrize(
    ("published", "verdict"),
    [(100.0, Outcome.HOLDS), (105.0, Outcome.HOLDS), (125.0, Outcome.FAILS), (80.0, Outcome.FAILS)],
)
def test_a_narrow_ensemble_tells(published, verdict):
    assert judge_predicted(published, np.linspace(95, 105, 40), 1.0).outcome == verdict
    assert judge_predicted(-published, -np.linspace(95, 105, 40), 1.0).outcome == verdict


def test_a_wide_ensemble_cannot_reproduce_what_lies_inside():
    members = np.linspace(50, 150, 40)
    found = judge_predicted(100, members, 1.0)
    assert (found.outcome, found.because) == (Outcome.OPEN, Because.OMITTED)
    assert judge_predicted(100, members, 1.0, precision=1.0).outcome == Outcome.HOLDS
    assert judge_predicted(500, members, 1.0).outcome == Outcome.FAILS


def test_the_published_number_counts_for_what_its_trials_leave_open():
    members = np.linspace(99, 101, 40)
    assert judge_predicted(108, members, 0.0).outcome == Outcome.FAILS
    assert judge_predicted(108, members, 5.0).outcome == Outcome.HOLDS


def normal(rng, size):
    return 100 + 5 * rng.normal(size=size)


def skewed(rng, size):
    return 100 + 5 * rng.exponential(size=size)


def bimodal(rng, size):
    return 100 + 80 * (rng.random(size) < 0.5) + rng.normal(size=size)


def rare(rng, size):
    return 100 + 80 * (rng.random(size) < 0.05) + rng.normal(size=size)


def rate(outcome, ensemble, n, published=None, **settings):
    """How often one more member, or a number, has the outcome."""
    rng = np.random.default_rng(n)
    draws = [ensemble(rng, n + 1) for _ in range(800)]
    found = [judge_predicted(d[0] if published is None else published, d[1:], 0.0, **settings) for d in draws]
    return np.mean([judged.outcome == outcome for judged in found])


@pytest.mark.parametrize("n", [3, 20, 40, 200])
@pytest.mark.parametrize("ensemble", [normal, skewed, bimodal, rare])
def test_one_more_member_fails_in_at_most_five_of_a_hundred(ensemble, n):
    assert rate(Outcome.FAILS, ensemble, n) <= stats.binom.ppf(0.999, 800, 0.05) / 800


@pytest.mark.parametrize("n", [3, 20, 40, 200])
def test_an_ensemble_of_two_kinds_confirms_neither(n):
    assert rate(Outcome.HOLDS, bimodal, n, published=100.0) <= 0.025


def test_the_members_own_noise_is_no_spread():
    """Forty problems that are all 100, known to 15 each."""
    rng = np.random.default_rng(0)
    members = 100 + 15 * rng.normal(size=40)
    with_errors, without = (judge_predicted(100.0, members, 0.0, errors=e) for e in (np.full(40, 15.0), None))
    assert with_errors.ci_high - with_errors.ci_low > without.ci_high - without.ci_low  # of members that lie far off
    many = 100 + 5 * np.tile([-1.0, 1.0], 200)
    narrow = judge_predicted(100.0, many, 0.0, errors=np.full(400, 5.0))
    assert narrow.ci_high < 100 + 5 + 1.96 * 5 + 1e-9


def test_fewer_members_only_open_the_claim():
    """At published numbers near and far, the rates of both other outcomes fall with the number of members."""
    for published in (100, 135):
        for outcome in (Outcome.HOLDS, Outcome.FAILS):
            rates = [rate(outcome, normal, n, published) for n in (200, 40, 10, 4)]
            assert all(a >= b - 0.02 for a, b in pairwise(rates)), (published, outcome, rates)


@given(
    members=st.lists(st.floats(0.1, 1e4), min_size=2, max_size=60),
    noise=st.floats(0, 100),
    error=st.floats(0, 100),
)
def test_no_regret_is_below_zero_and_no_reduction_above_all(members, noise, error):
    """Whatever the ensemble; and percentages are the regrets' ratios, seen from 100 %."""
    members = np.array(members)
    errors = np.full(len(members), error)
    regret = judge_predicted(50.0, members, noise, errors=errors, scale="logarithms")
    assert 0 <= regret.ci_low <= members.min() * (1 + 1e-9)
    assert regret.ci_high >= members.max() * (1 - 1e-9)
    below = judge_predicted(50.0, 100 - members, noise, errors=errors, scale="percentages")
    assert below.ci_high <= 100
    assert (100 - below.ci_low, 100 - below.ci_high) == pytest.approx(
        (regret.ci_high, regret.ci_low), rel=1e-6, abs=1e-6
    )


def test_logarithms_are_those_of_the_linear_interval():
    members = np.exp(np.linspace(1, 2, 40))
    found = judge_predicted(5.0, members, 0.0, scale="logarithms")
    linear = judge_predicted(5.0, np.linspace(1, 2, 40), 0.0)
    assert (found.ci_low, found.ci_high) == pytest.approx((np.exp(linear.ci_low), np.exp(linear.ci_high)))


def test_what_has_no_logarithm_is_taken_as_it_is():
    members = np.array([0.0, *np.linspace(1, 3, 30)])
    assert judge_predicted(2.0, members, 0.1, scale="logarithms") == judge_predicted(2.0, members, 0.1)


@pytest.mark.parametrize("n", [3, 20, 40, 200])
def test_one_more_skewed_regret_fails_in_at_most_five_of_a_hundred_by_logarithms(n):
    def regrets(rng, size):
        return 50 * np.exp(0.6 * rng.normal(size=size))

    assert rate(Outcome.FAILS, regrets, n, scale="logarithms") <= stats.binom.ppf(0.999, 800, 0.05) / 800
    assert rate(Outcome.FAILS, bimodal, n, scale="logarithms") <= stats.binom.ppf(0.999, 800, 0.05) / 800


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="precision=0: expected a positive number"):
        judge_predicted(1.0, np.array([1.0, 2.0]), 0.1, precision=0)
