"""The judges of a mean: few trials, few seeds, margins, and what drawn rewards add."""

import numpy as np
import pytest
from scipy import stats

from replication.judging import judges
from replication.judging.judges import Outcome, Why
from replication.judging.judges.means import explained_by


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


def test_trials_too_few_to_be_precise_leave_a_mean_open_whatever_the_seeds():
    values = np.random.default_rng(0).normal(100, 50, 2000)
    judged = judges.judge_mean(100, values, 5)
    assert judged.outcome == Outcome.OPEN
    assert judged.why is Why.UNTESTABLE
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
    assert (found.outcome, found.why) == (Outcome.OPEN, Why.SEEDS)
    assert judges.judge_mean(1000, np.arange(72.0), 5).outcome == Outcome.FAILS


def test_146_means_can_refute_few_trials():
    """None of 146 as far off bounds their share below 2.5 %, of 145 it does not."""
    values = np.tile([50.0, 150.0], 400)  # the mean of two in turn is 100
    far = judges.judge_mean(150.5, values[:292], 2, precision=0.01)
    assert far.outcome == Outcome.FAILS
    near = judges.judge_mean(150.5, values[:290], 2, precision=0.01)
    assert (near.outcome, near.why) == (Outcome.OPEN, Why.SEEDS)


def test_a_mean_that_is_off_says_by_how_much():
    judged = judges.judge_mean(20.0, np.random.default_rng(0).normal(10, 1, 100), trials=1000)
    assert judged.outcome == Outcome.FAILS
    assert judged.n == 100
    assert judged.ci_low < float(judged.replicated) < judged.ci_high


def test_a_declared_margin_counts():
    near = np.random.default_rng(0).normal(10, 0.01, 100)
    without = judges.judge_mean(10.5, near, trials=1000)
    assert without.outcome == Outcome.FAILS
    declared = judges.judge_mean(10.5, near, trials=1000, margin=0.1)
    assert declared.outcome == Outcome.HOLDS
    wide = np.random.default_rng(0).normal(11, 8, 100)  # the mean is near, but its interval reaches beyond the margin
    assert judges.judge_mean(11, wide, trials=10**9, margin=0.1).outcome == Outcome.OPEN


def test_a_published_zero_is_never_precise():
    values = np.random.default_rng(0).normal(0, 1, 1000)
    assert judges.judge_mean(0, values, 100).why is Why.UNTESTABLE
    assert judges.judge_mean(0, values + 9, 100).outcome == Outcome.FAILS


def test_what_a_tenth_of_the_seeds_show_is_not_refuted():
    """By one trial; values that are as far off as the published one count, and 1 % of them refute it."""
    for share, verdict in ((10, Outcome.OPEN), (1, Outcome.FAILS)):
        values = np.repeat([0.0, 1.0], [1000 - 10 * share, 10 * share])
        assert judges.judge_mean(1.0, values, 1).outcome == verdict


def test_what_trials_explain():
    """By hand: 2.2414 normal, or 1.95996 + 2.84146 / (3 sqrt(trials)) where that is more and trials are not too few."""
    expected = {1: 2.241403, 3: 2.241403, 4: 2.433540, 5: 2.383544, 11: 2.245541, 12: 2.241403, 1000: 2.241403}
    assert {trials: round(explained_by(trials), 6) for trials in expected} == expected


def borders(published, **changed):
    """The outcome beside 100 seeds with mean 100 and standard deviation 10, and four trials.

    The paper's standard error is 5, ours 1. Four trials explain 2.43354 * 5 = 12.1677. Half of our interval is 2.42793:
    t = 1.98422, widened by 3 (1 + 2 t^2) / (6 * 10). So the joint border is
    2.43354 sqrt(5^2 + 1) * 2.42793 / 1.95996 = 15.3714, and the precision is
    12.1677 * 2.42793 / 1.95996 + 2.42793 = 17.5008.
    """
    values = 100 + 10 * _standardised(np.random.default_rng(0).normal(size=100))
    return judges.judge_mean(published, values, 4, **changed).outcome


@pytest.mark.parametrize("side", [-1, 1])
def test_a_mean_just_inside_and_just_outside_each_border(side):
    expected = {12.16: "holds", 12.17: "open", 15.37: "open", 15.38: "fails"}
    assert {off: str(borders(100 + side * off)) for off in expected} == expected
    published = 100 + side * 12
    assert borders(published, precision=17.51 / published / 2) == Outcome.HOLDS
    assert borders(published, precision=17.49 / published / 2) == Outcome.OPEN


@pytest.mark.parametrize("side", [-1, 1])
def test_a_margin_just_inside_and_just_outside_its_border(side):
    """The interval reaches 2.428 beyond 100: it lies within a margin of 22.43 of what is 20 off, not of 22.42."""
    published = 100 + side * 20
    for margin, outcome in ((22.43, "holds"), (22.42, "open"), (17.58, "open"), (17.57, "fails")):
        assert borders(published, margin=margin / published) == outcome


def test_ours_has_at_most_half_of_the_papers_error():
    rng = np.random.default_rng(0)
    for n, outcome in ((399, Outcome.OPEN), (401, Outcome.HOLDS)):
        assert judges.judge_mean(100, 100 + 10 * _standardised(rng.normal(size=n)), 100).outcome == outcome


@pytest.mark.parametrize("draw", ["normal", "exponential"])
def test_equal_laws_are_hardly_ever_told_apart_and_mostly_confirmed(draw):
    """Both sides together: the paper's 100 trials and ours."""
    rng, found = np.random.default_rng(4), {}
    for n in (100, 400, 1000):
        pairs = [(getattr(rng, draw)(size=100), getattr(rng, draw)(size=n)) for _ in range(400)]
        found[n] = [judges.judge_mean(10 + a.mean(), 10 + b, 100).outcome for a, b in pairs]
        assert found[n].count(Outcome.FAILS) <= stats.binom.ppf(0.999, 400, 0.025)
    assert [found[n].count(Outcome.HOLDS) >= 0.9 * 400 for n in found] == [False, True, True]


def test_drawn_rewards_widen_what_the_papers_trials_explain():
    """By hand: a mean of 100 with sd 10 by expected rewards and 50 by drawn ones, 100 trials, 1,000 seeds (L16)."""
    rng = np.random.default_rng(0)
    values = _standardised(rng.normal(size=1000)) * 10 + 100
    drawn = _standardised(rng.normal(size=1000)) * 50 + 100
    for own, inside in ((None, 2.2414), (drawn, 11.207)):
        for off, outcome in ((inside - 0.001, Outcome.HOLDS), (inside + 0.001, Outcome.OPEN)):
            assert judges.judge_mean(100 + off, values, 100, drawn=own).outcome == outcome


def _standardised(values):
    return (values - values.mean()) / values.std(ddof=1)


@pytest.mark.parametrize(
    ("none", "trials", "outcome"),
    [(0, 1, "fails"), (10, 1, "open"), (10, 2, "fails"), (25, 2, "open"), (200, 1, "holds")],
)
def test_a_count_of_zero_fails_where_all_trials_would_rarely_have_none(none, trials, outcome):
    """One trial: a share of 2.5 %; two: 15.8 %. Of 200 seeds none shows at most 1.8 %, 10 show 9.0 %, 25 17.9 %."""
    values = np.repeat([0.0, 3.0], [none, 200 - none])
    assert judges.judge_zero(values, trials).outcome == outcome
