"""Judges keep their level, and fewer seeds never give a better verdict: on truths that are known."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from replication.judging import judges
from replication.judging.judges import Outcome

SIZES = (5, 8, 20, 50, 200, 1000, 2000)

REPETITIONS = 60

TRIALS = 400

SPREAD = 0.3

#: The standard error of the mean of so many trials, relative to it.
ERROR = SPREAD / np.sqrt(TRIALS)

#: By how many standard deviations 2.5 % of the means of five values are off: normal, or exponential.
FAR_OFF = {False: stats.norm.isf(0.0125) / np.sqrt(5), True: stats.gamma.isf(0.025, 5) / 5 - 1}


def unit(rng, n, skewed):
    """Mean 0, standard deviation 1: normal, or a regret's exponential tail."""
    return rng.exponential(1, n) - 1 if skewed else rng.normal(0, 1, n)


def mean(rng, n, truth, skewed):
    """The published mean is drawn too."""
    published = 100 * (1 + SPREAD * unit(rng, TRIALS, skewed)).mean()
    values = 100 * (truth + SPREAD * unit(rng, n, skewed))
    return lambda k: judges.judge_mean(published, values[:k], TRIALS)


def few_trials(rng, n, truth, skewed):
    """Five trials, too few ever to be reproduced; the truth in units of how far off 2.5 % of their means lie."""
    published = 100 + 50 * unit(rng, 5, skewed).mean()
    values = 100 + 50 * (truth * FAR_OFF[skewed] + unit(rng, n, skewed))
    return lambda k: judges.judge_mean(published, values[:k], 5)


def few_draws(rng, n, truth, skewed):
    """The same of a single trial."""
    far_off = stats.expon.isf(0.025) - 1 if skewed else stats.norm.isf(0.0125)
    values = 100 + 50 * (truth * far_off + unit(rng, n, skewed))
    return lambda k: judges.judge_mean(100, values[:k], 1)


def margin(rng, n, truth, skewed):
    values = 100 * truth * (1 + SPREAD * unit(rng, n, skewed))
    return lambda k: judges.judge_mean(100, values[:k], TRIALS, margin=0.1)


def above(rng, n, truth, skewed):
    smaller = 10 + unit(rng, n, skewed)
    larger = smaller + truth + unit(rng, n, skewed)
    return lambda k: judges.judge_above(larger[:k], smaller[:k], claimed=2.0)


def rate(rng, n, truth, skewed):
    kept = rng.random(n) < truth
    return lambda k: judges.judge_rate(kept[:k], 0.9)


def every(rng, n, truth, skewed):
    kept = rng.random(n) < truth
    return lambda k: judges.judge_rate(kept[:k], 1.0)


def zero(rng, n, truth, skewed):
    """A count of 0 over five trials; the truth is the share of seeds with none."""
    values = (rng.random(n) >= truth) * (1 + rng.exponential(1, n))
    return lambda k: judges.judge_zero(values[:k], 5)


def same(rng, n, truth, skewed):
    a = unit(rng, n, skewed)
    b = a + (rng.random(n) >= truth)
    return lambda k: judges.judge_same(a[:k], b[:k])


def mean_bound(rng, n, truth, skewed):
    values = truth + unit(rng, n, skewed)
    return lambda k: judges.judge_mean_bound(10.0, values[:k], worst=1000.0)


def trend(rng, n, truth, skewed):
    steps = np.array([1.0, truth, 1.0])[:, None]
    levels = np.concatenate([np.zeros((1, 1)), steps]).cumsum(axis=0)
    values = levels + 0.5 * np.stack([unit(rng, n, skewed) for _ in range(4)])
    return lambda k: judges.judge_trend(np.arange(4.0), values[:, :k], "rises")


def growth(rng, n, truth, skewed):
    x = np.geomspace(100, 10_000, 8)
    curve = (1 - truth) * np.log(x) + truth * 9 * np.sqrt(x) / 100
    values = curve[:, None] * (1 + 0.3 * unit(rng, n, skewed)) + 0.3 * rng.normal(0, 1, (8, n))
    return lambda k: judges.judge_growth(x, values[:, :k], model="log")


#: Judge: truths where the claim holds (most of them at the border), and where it does not. Truths of a mean are
#: relative to that of the paper.
TRUTHS = {
    mean: ((1.0,), (1.1, 1.2, 0.5)),
    few_trials: ((0.0,), (0.0, 0.99, 2.0, 10.0)),
    few_draws: ((0.0, 0.99), (0.0, 10.0)),
    margin: ((1.0, 1.05, 1.1), (0.895, 1.2, 3.0)),
    above: ((0.2, 1.0, 2.0), (0.2, 0.0, -1.0)),
    rate: ((0.9, 0.95, 1.0), (0.9, 0.85, 0.5)),
    every: ((1.0,), (0.995, 0.95, 0.5)),
    same: ((1.0,), (0.995, 0.95, 0.5)),
    zero: ((1.0, 0.95, 0.479), (0.95, 0.478, 0.2)),
    mean_bound: ((10.0, 9.0, 0.0), (10.0, 10.5, 12.0)),
    trend: ((0.1, 1.0), (0.0, -0.1, -1.0)),
    growth: ((0.0,), (0.8, 1.0)),
}

HOLDS = [(judge, truth) for judge, (truths, _) in TRUTHS.items() for truth in truths]

FAILS = [(judge, truth) for judge, (_, truths) in TRUTHS.items() for truth in truths]

skewed_or_not = pytest.mark.parametrize("skewed", [False, True], ids=["normal", "skewed"])


@cache
def counts(judge, truth, skewed):
    """How many of the repetitions have each verdict, by number of seeds: nested samples, the first n of 2,000."""
    rng = np.random.default_rng(7)
    found = {n: dict.fromkeys(judges.Outcome, 0) for n in SIZES}
    for _ in range(REPETITIONS):
        judged = judge(rng, max(SIZES), truth, skewed)
        for n in SIZES:
            found[n][judged(n).outcome] += 1
    return found


def named(value):
    return value.__name__ if callable(value) else None


@skewed_or_not
@pytest.mark.parametrize(("judge", "truth"), FAILS, ids=named)
def test_what_fails_holds_in_at_most_2_5_percent(judge, truth, skewed):
    allowed = stats.binom.ppf(0.9995, REPETITIONS, 0.025)
    assert all(found[Outcome.HOLDS] <= allowed for found in counts(judge, truth, skewed).values())


@skewed_or_not
@pytest.mark.parametrize(("judge", "truth"), HOLDS, ids=named)
def test_what_holds_fails_in_at_most_2_5_percent(judge, truth, skewed):
    allowed = stats.binom.ppf(0.9995, REPETITIONS, 0.025)
    assert all(found[Outcome.FAILS] <= allowed for found in counts(judge, truth, skewed).values())


@skewed_or_not
@pytest.mark.parametrize(("judge", "truth"), sorted({*HOLDS, *FAILS, (mean, 1 + 3 * ERROR)}, key=str), ids=named)
def test_fewer_seeds_only_leave_more_verdicts_open(judge, truth, skewed):
    """Neither the rate of reproduced nor that of not reproduced rises as seeds are taken away, but for noise.

    The exception is a claim about every seed: the seed that refutes it may be among those taken away.
    """
    found = counts(judge, truth, skewed)
    noise = 2.5 * np.sqrt(0.5 * REPETITIONS)
    for verdict in (Outcome.HOLDS, Outcome.FAILS):
        for few in SIZES:
            for many in SIZES[SIZES.index(few) :]:
                less, more = found[few][verdict], found[many][verdict]
                spread = np.sqrt(max(less * (1 - less / REPETITIONS), 1) + max(more * (1 - more / REPETITIONS), 1))
                assert less <= more + min(3.5 * spread, noise), (verdict, few, many)


@skewed_or_not
def test_enough_seeds_tell(skewed):
    """The judges are not merely cautious."""
    for judge, (holds, fails) in TRUTHS.items():
        if judge in (few_trials, few_draws):
            assert counts(judge, fails[-1], skewed)[2000][Outcome.FAILS] >= 0.9 * REPETITIONS, judge
            continue
        best, worst = {mean: (0, -1), mean_bound: (-1, -1)}.get(judge, (0 if judge is margin else -1, -1))
        best = 0 if judge in (growth, zero) else best
        assert counts(judge, holds[best], skewed)[2000][Outcome.HOLDS] >= 0.9 * REPETITIONS, judge
        assert counts(judge, fails[worst], skewed)[2000][Outcome.FAILS] >= 0.9 * REPETITIONS, judge


@skewed_or_not
def test_an_equal_truth_whose_published_mean_is_drawn_is_hardly_ever_rejected(skewed):
    rng = np.random.default_rng(2)
    for n in SIZES:
        for trials in (1, 5, 100):
            for spread in (0.3, 3, 30):  # precise enough for some of the trials, for all of them, for none
                found = [
                    judges.judge_mean(
                        10 + spread * unit(rng, trials, skewed).mean(), 10 + spread * unit(rng, n, skewed), trials
                    ).outcome
                    for _ in range(50)
                ]
                assert found.count(Outcome.FAILS) <= stats.binom.ppf(0.9995, 50, 0.025)


@skewed_or_not
def test_a_truth_off_by_twice_the_precision_holds_in_at_most_2_5_percent_whatever_the_spread(skewed):
    """Near the largest spread that the precision allows, where the paper's trials explain most."""
    rng = np.random.default_rng(5)
    for spread, trials in ((1.2, 1000), (0.3, 100), (0.14, 5), (0.07, 1)):
        for n in (5, 20, 100, 1000, 2000):
            found = 0
            for _ in range(50):
                values = 100 * (1.2 + spread * unit(rng, n, skewed))
                found += judges.judge_mean(100, values, trials).outcome == Outcome.HOLDS
            assert found <= stats.binom.ppf(0.9995, 50, 0.025), (spread, trials, n)


@pytest.mark.parametrize("n", [1, 5, 71])
def test_few_equal_values_and_a_single_seed_tell_nothing(n):
    zeros = np.zeros(n)
    assert judges.judge_mean(0, zeros, 5).outcome == Outcome.OPEN
    assert judges.judge_mean(7, zeros, 5).outcome == Outcome.OPEN
    assert judges.judge_above(zeros + 1, zeros).outcome == Outcome.OPEN
    assert judges.judge_same(zeros, zeros).outcome == Outcome.OPEN
    assert judges.judge_mean_bound(1, zeros, 9).outcome == Outcome.OPEN
    assert judges.judge_trend(np.arange(2), np.stack([zeros, zeros + 1]), "rises").outcome == Outcome.OPEN


def test_many_equal_values_are_told():
    zeros = np.zeros(72)
    assert judges.judge_mean(0, zeros, 5).outcome == Outcome.HOLDS
    assert judges.judge_mean(7, zeros, 5).outcome == Outcome.FAILS
    assert judges.judge_mean(0.3, zeros + 0.1 + 0.2, 5).outcome == Outcome.HOLDS
    assert judges.judge_above(zeros + 1, zeros).outcome == Outcome.HOLDS
    assert judges.judge_above(zeros, zeros).outcome == Outcome.FAILS
    assert judges.judge_trend(np.arange(2), np.stack([zeros, zeros]), "rises").outcome == Outcome.FAILS


@pytest.mark.parametrize(
    "call",
    [
        lambda: judges.judge_mean(1, np.ones(3), 0),
        lambda: judges.judge_mean(1, np.ones(3), 5, precision=0),
        lambda: judges.judge_above(np.ones(3), np.ones(3), claimed=-1),
        lambda: judges.judge_rate(np.ones(3), 0.5),
        lambda: judges.judge_rate(np.ones(3, bool), 0),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    with pytest.raises(ValueError, match=r"expected|constant"):
        call()
