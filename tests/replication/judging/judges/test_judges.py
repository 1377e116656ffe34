"""Judges keep their level, and fewer seeds never give a better verdict: on truths that are known."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from replication.judging import judges
from replication.judging.judges import Basis, Because, Needs, Outcome
from replication.judging.judges.intervals import mean_interval, quantile

SIZES = (5, 8, 20, 50, 200, 1000, 2000)
REPETITIONS = 60
TRIALS = 1000
SPREAD = 0.3

#: By how much a truth of `SPREAD` may be off for 1,000 trials to explain it, relative to the published value.
EXPLAINED = stats.norm.isf(0.0125) * SPREAD / np.sqrt(TRIALS)

#: By how many standard deviations 2.5 % of the means of five values are off: normal, or exponential.
FAR_OFF = {False: stats.norm.isf(0.0125) / np.sqrt(5), True: stats.gamma.isf(0.025, 5) / 5 - 1}


def unit(rng, n, skewed):
    """Mean 0, standard deviation 1: normal, or a regret's exponential tail."""
    return rng.exponential(1, n) - 1 if skewed else rng.normal(0, 1, n)


def mean(rng, n, truth, skewed):
    values = 100 * truth * (1 + SPREAD * unit(rng, n, skewed))
    return lambda k: judges.judge_mean(100, values[:k], TRIALS)


def few_trials(rng, n, truth, skewed):
    """Five trials, too few ever to be reproduced; the truth in units of how far off 2.5 % of their means lie."""
    values = 100 + 50 * (truth * FAR_OFF[skewed] + unit(rng, n, skewed))
    return lambda k: judges.judge_mean(100, values[:k], 5)


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
#: relative to the published value.
TRUTHS = {
    mean: ((1.0, 1 + EXPLAINED / 2, 1 + 0.99 * EXPLAINED), (1 - 1.05 * EXPLAINED, 1.1, 1.2, 0.5)),
    few_trials: ((0.0, 0.5, 0.99), (0.0, 0.99, 2.0, 10.0)),
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
@pytest.mark.parametrize(("judge", "truth"), sorted({*HOLDS, *FAILS}, key=str), ids=named)
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
        # As near as 1,000 trials explain is told by ten times as many seeds, not always by twice as many.
        enough = 0.5 if judge is mean else 0.9
        assert counts(judge, holds[best], skewed)[2000][Outcome.HOLDS] >= enough * REPETITIONS, judge
        assert counts(judge, fails[worst], skewed)[2000][Outcome.FAILS] >= 0.9 * REPETITIONS, judge


def test_ten_times_as_many_seeds_as_the_paper_has_trials_mostly_confirm_an_equal_truth():
    """The published mean is drawn too."""
    rng, found = np.random.default_rng(1), []
    for _ in range(200):
        published = rng.normal(10, 3, 100).mean()
        found.append(judges.judge_mean(published, rng.normal(10, 3, 1000), 100).outcome)
    assert found.count(Outcome.HOLDS) >= 0.8 * 200
    assert found.count(Outcome.FAILS) <= stats.binom.ppf(0.999, 200, 0.025)


@pytest.mark.parametrize("trials", [100, 1000])
def test_a_truth_that_the_trials_do_not_explain_is_refuted(trials):
    """1.6 times the published value, with a standard deviation of 1.2 times it."""
    rng = np.random.default_rng(1)
    found = [judges.judge_mean(1.0, 1.6 + 1.2 * rng.normal(size=1000), trials).outcome for _ in range(50)]
    assert found.count(Outcome.FAILS) >= 45


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


# What the single judges say.


def test_trials_too_few_to_be_precise_leave_a_mean_open_whatever_the_seeds():
    values = np.random.default_rng(0).normal(100, 50, 2000)
    judged = judges.judge_mean(100, values, 5)
    assert judged.outcome == Outcome.OPEN
    assert judged.because is Because.TRIALS
    assert judges.judge_mean(100, values, 5, precision=0.5).outcome == Outcome.HOLDS
    assert judges.judge_mean(1000, values, 5).outcome == Outcome.FAILS


def test_a_margin_is_wider_than_what_few_trials_explain():
    values = 100 + np.random.default_rng(4).normal(0, 50, 20_000)
    published = 100 + stats.norm.isf(0.005) * 50 / np.sqrt(20)
    assert judges.judge_mean(published, values, 20).outcome == Outcome.FAILS
    assert judges.judge_mean(published, values, 20, margin=0.5).outcome == Outcome.HOLDS


def test_few_seeds_decide_no_mean():
    """They may all have missed what is rare."""
    found = judges.judge_mean(1000, np.arange(71.0), 5, unit="draw")
    assert (found.outcome, found.needs) == (Outcome.OPEN, Needs(72, "draw"))
    assert judges.judge_mean(1000, np.arange(72.0), 5).outcome == Outcome.FAILS


def test_146_means_can_refute_few_trials():
    """None of 146 as far off bounds their share below 2.5 %, of 145 it does not."""
    values = np.tile([50.0, 150.0], 400)  # the mean of two in turn is 100
    far = judges.judge_mean(150.5, values[:292], 2, precision=0.01)
    assert far.outcome == Outcome.FAILS
    near = judges.judge_mean(150.5, values[:290], 2, precision=0.01)
    assert (near.outcome, near.needs) == (Outcome.OPEN, Needs(290, "seed"))


def test_how_many_seeds_would_tell_counts_with_the_skewness_that_they_show():
    rare = np.zeros(1000)
    rare[:3] = 100.0
    judged = judges.judge_mean_bound(0.45, rare, worst=100)
    told = judged.needs.count
    for factor, verdict in ((0.8, Outcome.OPEN), (1.1, Outcome.HOLDS)):
        n = round(told * factor)
        values = np.zeros(n)
        values[: round(0.003 * n)] = 100.0
        assert judges.judge_mean_bound(0.45, values, worst=100).outcome == verdict, told


def test_what_one_value_is_of_is_said():
    values = np.random.default_rng(0).normal(1, 10, 50)
    for judged in (
        judges.judge_mean(1, values, 1000, unit="draw"),
        judges.judge_above(values, np.zeros(50), unit="draw"),
    ):
        assert judged.needs.unit == "draw"


def test_how_many_seeds_would_tell_is_told():
    rng = np.random.default_rng(1)
    judged = judges.judge_mean(100, rng.normal(100, 30, 100), 1000)
    assert judged.outcome == Outcome.OPEN
    told = judged.needs.count
    values = (lambda v: 100 + 30 * (v - v.mean()) / v.std(ddof=1))(rng.normal(size=2 * told))
    assert judges.judge_mean(100, values, 1000).outcome == Outcome.HOLDS


def test_a_mean_that_is_off_says_by_how_much():
    judged = judges.judge_mean(20.0, np.random.default_rng(0).normal(10, 1, 100), trials=1000)
    assert judged.outcome == Outcome.FAILS
    assert judged.basis == Basis.SIMULATED
    assert judged.ci_low < float(judged.replicated) < judged.ci_high


def test_a_declared_margin_counts():
    near = np.random.default_rng(0).normal(10, 0.01, 100)
    without = judges.judge_mean(10.5, near, trials=1000)
    assert without.outcome == Outcome.FAILS
    declared = judges.judge_mean(10.5, near, trials=1000, margin=0.1)
    assert declared.outcome == Outcome.HOLDS
    wide = np.random.default_rng(0).normal(11, 8, 100)  # the mean is near, but its interval reaches beyond the margin
    assert judges.judge_mean(11, wide, trials=10**9, margin=0.1).outcome == Outcome.OPEN


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


def test_a_published_zero_needs_a_scale():
    values = np.random.default_rng(0).normal(0, 1, 1000)
    assert judges.judge_mean(0, values, 100).outcome == Outcome.OPEN
    assert judges.judge_mean(0, values, 100, scale=10).outcome == Outcome.HOLDS


@pytest.mark.parametrize(
    ("shift", "verdict"), [(1, Outcome.HOLDS), (0.1, Outcome.OPEN), (0, Outcome.FAILS), (-1, Outcome.FAILS)]
)
def test_orderings_are_paired_by_seed(shift, verdict):
    """A difference of 1 under noise of 10 shared by both shows only when paired."""
    rng = np.random.default_rng(0)
    shared = rng.normal(10, 10, 200)
    assert judges.judge_above(shared + shift + rng.normal(0, 0.5, 200), shared).outcome == verdict


def test_a_difference_too_small_to_matter_is_none():
    """A hundredth of the smaller's mean; a tenth of the difference that is claimed."""
    smaller = np.random.default_rng(0).normal(100, 10, 100)
    tiny = smaller + 0.5 + np.random.default_rng(1).normal(0, 0.1, 100)
    assert judges.judge_above(tiny, smaller).outcome == Outcome.FAILS
    assert judges.judge_above(tiny, smaller, claimed=0.5).outcome == Outcome.HOLDS
    assert judges.judge_above(tiny, smaller, claimed=20).outcome == Outcome.FAILS
    assert judges.judge_above(tiny, smaller, precision=0.001).outcome == Outcome.HOLDS


def test_equality_is_exact_and_one_seed_refutes_it():
    values = np.arange(736.0)
    off = values.copy()
    off[3] += 1e-12
    assert judges.judge_same(values, values).outcome == Outcome.HOLDS
    refuted = judges.judge_same(values, off, by_construction=True)
    assert (refuted.outcome, refuted.basis) == (Outcome.FAILS, Basis.SIMULATED)
    made = judges.judge_same(values[:2], values[:2], by_construction=True)
    assert (made.outcome, made.basis) == (Outcome.HOLDS, Basis.IDENTITY)


@pytest.mark.parametrize(
    ("hits", "n", "at_least", "verdict"),
    [
        (1000, 1000, 0.99, Outcome.HOLDS),
        (100, 100, 0.99, Outcome.OPEN),
        (736, 736, 1.0, Outcome.HOLDS),
        (735, 735, 1.0, Outcome.OPEN),
        (71, 71, 1.0, Outcome.OPEN),
        (999, 1000, 1.0, Outcome.FAILS),
        (999, 1000, 0.9999, Outcome.OPEN),
        (990, 1000, 0.9999, Outcome.FAILS),
        (1000, 1000, 0.9999, Outcome.HOLDS),
    ],
)
def test_rates(hits, n, at_least, verdict):
    assert judges.judge_rate(np.arange(n) < hits, at_least).outcome == verdict


def test_a_bound_that_nothing_can_break_stays_open():
    values = np.full(100, 3.0)
    assert judges.judge_bound(10, values, worst=10).outcome == Outcome.OPEN
    assert judges.judge_mean_bound(10, values, worst=10).outcome == Outcome.OPEN
    assert judges.judge_bound(5, values, worst=10, probability=-0.5).outcome == Outcome.OPEN
    assert judges.judge_bound(5, values, worst=10).needs == Needs(740, "seed")
    assert judges.judge_bound(3, np.full(736, 3.0), worst=10).outcome == Outcome.HOLDS
    assert judges.judge_bound(2, values, worst=10, probability=0.5).outcome == Outcome.FAILS
    mixed = np.arange(100) / 10
    assert judges.judge_bound(7, mixed, worst=10, probability=0.5).outcome == Outcome.HOLDS
    assert judges.judge_bound(7, mixed, worst=10).outcome == Outcome.FAILS


def test_a_run_without_end_breaks_a_bound():
    values = np.append(np.full(99, 3.0), np.inf)
    judged = judges.judge_bound(5, values, worst=np.inf)
    assert (judged.outcome, judged.replicated) == (Outcome.FAILS, "99 of 100")
    assert judges.judge_bound(5, values, worst=np.inf, probability=0.9).outcome == Outcome.HOLDS
    assert judges.judge_bound(5, np.full(100, np.inf), worst=np.inf, probability=0.9).outcome == Outcome.FAILS
    with pytest.raises(ValueError, match="1 of 2 values are no numbers"):
        judges.judge_bound(5, np.array([1, np.nan]), worst=np.inf)


def test_what_a_tenth_of_the_seeds_show_is_not_refuted():
    """By one trial; values that are as far off as the published one count, and 1 % of them refute it."""
    for share, verdict in ((10, Outcome.OPEN), (1, Outcome.FAILS)):
        values = np.repeat([0.0, 1.0], [1000 - 10 * share, 10 * share])
        assert judges.judge_mean(1.0, values, 1).outcome == verdict


def test_what_is_computed_is_exact():
    assert judges.judge_exact("{A}, {B}", "{A}, {B}").outcome == Outcome.HOLDS
    assert judges.judge_exact("4", "5").outcome == Outcome.FAILS
    found = judges.judge_exact("4", "5", implied_by="Table 2")
    assert (found.outcome, found.basis, found.replicated) == (Outcome.WRONG, Basis.EXACT, "5")
    assert "Table 2" in found.reason  # where the other value follows from
    assert judges.judge_exact("4", "4", implied_by="Table 2").outcome == Outcome.HOLDS
    assert judges.judge_member("b", ["a", "b"]).outcome == Outcome.HOLDS
    assert judges.judge_member("c", ["b", "a"]).replicated == "a | b"


@pytest.mark.parametrize(
    ("published", "computed", "verdict"),
    [
        ("0.512", 0.5124, Outcome.HOLDS),
        ("0.512", 0.5126, Outcome.FAILS),
        ("3", 3.4, Outcome.HOLDS),
        ("3.0", 3.06, Outcome.FAILS),
    ],
)
def test_a_printed_number_is_known_to_its_digits(published, computed, verdict):
    found = judges.judge_rounded(published, computed)
    assert found.outcome == verdict


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


def test_drawn_rewards_widen_what_the_papers_trials_explain():
    """By hand: a mean of 100 with sd 10 by expected rewards and 50 by drawn ones, 100 trials, 1,000 seeds (L16)."""
    rng = np.random.default_rng(0)
    values = _standardised(rng.normal(size=1000)) * 10 + 100
    drawn = _standardised(rng.normal(size=1000)) * 50 + 100
    half = mean_interval(values).high - 100
    assert half == pytest.approx(10 * quantile(1000) / np.sqrt(1000))
    for own, sd in ((None, 10), (drawn, 50)):
        border = stats.norm.isf(0.0125) * sd / np.sqrt(100)
        for off, outcome in ((-half - 0.01, Outcome.HOLDS), (-half + 0.01, Outcome.OPEN), (half + 0.01, Outcome.FAILS)):
            assert judges.judge_mean(100 + border + off, values, 100, drawn=own).outcome == outcome


def _standardised(values):
    return (values - values.mean()) / values.std(ddof=1)
