"""Intervals keep their level, for few seeds and skewed values too."""

import numpy as np
import pytest
from loaded import loaded_by
from scipy import stats

from replication.judging.judges.intervals import (
    clopper_pearson,
    difference,
    mean_interval,
    percent_below,
    percents_below,
    quantile,
    ratio_interval,
)

SIZES = (5, 8, 20, 50, 200, 1000, 2000)


def at_most(hits, n, level):
    """Whether a rate of ``level`` shows so many hits in one of a thousand repetitions."""
    return hits <= stats.binom.ppf(0.999, n, level)


@pytest.mark.parametrize("draw", ["normal", "exponential"])
@pytest.mark.parametrize("n", SIZES)
def test_either_side_of_a_mean_is_missed_in_at_most_2_5_percent(draw, n):
    rng = np.random.default_rng(n)
    repetitions = 1000
    truth = {"normal": 0.0, "exponential": 1.0}[draw]
    found = [mean_interval(getattr(rng, draw)(size=n)) for _ in range(repetitions)]
    assert at_most(sum(at.low > truth for at in found), repetitions, 0.025)
    assert at_most(sum(at.high < truth for at in found), repetitions, 0.025)


def test_both_ends_of_an_interval_from_twenty_values():
    """By hand: t = 2.09302, widened by 3 (1 + 2 t^2) / (6 sqrt(20)) to 3.18439, times sqrt(35 / 20)."""
    at = mean_interval(np.arange(1.0, 21.0))
    assert (at.value, at.low, at.high) == pytest.approx((10.5, 6.28744, 14.71256), abs=1e-5)


def test_a_plain_t_interval_would_not_keep_it():
    """What the widening is for: the same check fails without it."""
    values = np.random.default_rng(0).exponential(size=(1000, 5))
    missed = (stats.t.interval(0.95, 4, loc=values.mean(axis=1), scale=stats.sem(values, axis=1))[1] < 1).sum()
    assert not at_most(missed, 1000, 0.025)


def test_many_normal_values_have_students_interval():
    values = np.random.default_rng(0).normal(3, 2, 10**6)
    expected = stats.t.interval(0.95, len(values) - 1, loc=values.mean(), scale=stats.sem(values))
    at = mean_interval(values)
    assert (at.low, at.high) == pytest.approx(expected, abs=2e-5)
    assert at.value == pytest.approx(values.mean())


def test_intervals_that_hold_at_once_share_the_error():
    """By hand for five of twenty values: 0.5 % on each side, t = 2.86093, plus 3 (1 + 2 t^2) / (6 sqrt(20))."""
    assert quantile(20, tests=5) == pytest.approx(4.80295, abs=1e-5)


def test_values_that_show_more_skewness_have_a_wider_interval():
    """By hand, and the same on either side: t = 1.96234, plus a skewness of 18.1479 (1 + 2 t^2) / (6 sqrt(1000))."""
    rare = np.zeros(1000)
    rare[:3] = 100.0
    at, mirrored = mean_interval(rare), mean_interval(-rare)
    assert at.quantile == mirrored.quantile == pytest.approx(2.79463, abs=1e-5)
    assert (mirrored.low, mirrored.high) == pytest.approx((-at.high, -at.low))


@pytest.mark.parametrize("n", [5, 8, 30, 1000])
@pytest.mark.parametrize("skewed", [False, True])
def test_fiellers_interval_covers_a_ratio(n, skewed):
    rng, hits = np.random.default_rng(n), 0
    for _ in range(1000):
        shared = rng.exponential(1, n) if skewed else rng.normal(1, 0.5, n)
        base = 4 + shared + (rng.exponential(2, n) if skewed else rng.normal(2, 1, n))
        other = 2 + shared
        at = ratio_interval(other, base)
        hits += at.low <= 3 / 7 <= at.high
    assert at_most(1000 - hits, 1000, 0.05)


def test_fiellers_interval_is_where_the_difference_cannot_be_told_from_zero():
    rng = np.random.default_rng(3)
    a, b = rng.normal(3, 1, 40), rng.normal(7, 1, 40)
    at = ratio_interval(a, b)
    for end in (at.low, at.high):
        rest = a - end * b
        assert abs(rest.mean()) == pytest.approx(at.quantile * rest.std(ddof=1) / np.sqrt(40))


def test_fiellers_and_the_bootstraps_interval_agree_for_many_seeds():
    rng = np.random.default_rng(4)
    shared = rng.gamma(20, 1, 1000)
    a, b = shared + rng.gamma(5, 1, 1000), shared + rng.gamma(20, 1, 1000)
    result = stats.bootstrap(
        (a, b),
        lambda a, b, axis: a.mean(axis=axis) / b.mean(axis=axis),
        paired=True,
        method="percentile",
        n_resamples=2000,
        rng=rng,
    )
    at = ratio_interval(a, b)
    width = result.confidence_interval.high - result.confidence_interval.low
    assert (at.low, at.high) == pytest.approx(tuple(result.confidence_interval), abs=0.1 * width)


def test_a_percentage_below_has_the_ends_and_the_spread_of_its_ratio():
    """Another formula: one value per seed, whose spread gives the standard error to first order."""
    rng = np.random.default_rng(5)
    base, other = rng.gamma(20, 1, 300), rng.gamma(15, 1, 300)
    at, ratio = percent_below(base, other), ratio_interval(other, base)
    assert (at.low, at.high) == pytest.approx((100 - 100 * ratio.high, 100 - 100 * ratio.low))
    of_seeds = percents_below(base, other)
    assert (at.value, at.sd, at.n) == pytest.approx((of_seeds.mean(), of_seeds.std(ddof=1), 300))
    assert at.low < 100 * (1 - other.mean() / base.mean()) < at.high


@pytest.mark.parametrize("unit", [1.0, 0.01, 100.0])
def test_a_ratio_to_what_may_be_zero_has_no_ends(unit):
    at = ratio_interval(np.arange(1.0, 9), unit * np.array([-1, 1, -1, 1, -1, 1, -1, 2.0]))
    assert (at.low, at.high) == (-np.inf, np.inf)


def test_a_ratio_to_a_mean_of_zero_is_refused():
    with pytest.raises(ValueError, match="the denominator of the ratio has mean zero"):
        ratio_interval(np.arange(4.0), np.array([-1, 1, -1, 1.0]))
    at = ratio_interval(np.arange(1.0, 5), np.full(4, -1.0) + np.array([0.1, -0.1, 0.1, -0.1]))
    assert at.value == pytest.approx(-2.5)  # to a mean of -1 it is one


@pytest.mark.parametrize("n", [1, 5, 71, 72, 400])
def test_clopper_and_pearsons_interval_is_scipys(n):
    for hits in {0, 1, n // 2, n - 1, n}:
        expected = stats.binomtest(hits, n).proportion_ci(0.95, method="exact")
        assert clopper_pearson(hits, n) == pytest.approx((expected.low, expected.high))


def test_equal_values_have_an_interval_from_72_on():
    assert np.isnan(mean_interval(np.full(71, 0.1)).low)
    at = mean_interval(np.full(72, 0.1))
    assert (at.low, at.high) == pytest.approx((0.1, 0.1))
    assert at.sd == 0


def test_one_value_has_no_interval():
    assert np.isnan(mean_interval(np.array([3.0]))[2:5]).all()


@pytest.mark.parametrize("values", [[], [[1.0]], [1.0, np.nan], [np.inf]])
def test_only_finite_values_one_per_seed(values):
    with pytest.raises(ValueError, match=r"expected one per seed|not finite"):
        mean_interval(np.array(values))


def test_pairs_need_one_value_each():
    with pytest.raises(ValueError, match="not paired"):
        difference(np.ones(3), np.ones(2))


def test_judges_import_nothing_slow():
    slow = {"pandas", "scipy", "seaborn", "matplotlib", "numba"}
    assert slow.isdisjoint(loaded_by("replication.judging.judges"))
