"""Growth is told apart where the data can; trends hold at every step at once."""

import numpy as np
import pytest
from scipy import stats

from replication.judging.judges import Outcome
from replication.judging.judges.growth import (
    FIT,
    GROWTHS,
    _explained,
    _form,
    judge_growth,
    judge_growth_bound,
    judge_trend,
)

X = np.geomspace(100, 10_000, 30)


def curves(law, seeds, rng, x=X, scale=1.0):
    """Every seed has its own slope, and noise that stays with it."""
    f = GROWTHS[law](x)
    slopes = rng.exponential(1, seeds)
    walk = rng.normal(0, 1, (len(x), seeds)).cumsum(axis=0)
    return scale * (f - f[0])[:, None] / (f[-1] - f[0]) * slopes + 0.02 * walk


@pytest.mark.parametrize("law", GROWTHS)
def test_each_law_is_recognised_and_the_others_are_not(law):
    values = curves(law, 1500, np.random.default_rng(0))
    for model in GROWTHS:
        judged = judge_growth(X, values, model=model)
        assert judged.outcome == (Outcome.HOLDS if model == law else Outcome.FAILS)
        assert judged.replicated.startswith(f"{law} explains ")


def rates(values_of, model, repetitions=30):
    """Shares of `holds` and `fails` over repeated simulations."""
    rng = np.random.default_rng(9)
    found = [judge_growth(X, values_of(rng), model=model).outcome for _ in range(repetitions)]
    return [found.count(outcome) / repetitions for outcome in (Outcome.HOLDS, Outcome.FAILS)]


@pytest.mark.parametrize("seeds", [5, 20, 200])
@pytest.mark.parametrize("law", GROWTHS)
def test_a_law_is_hardly_ever_taken_for_another(law, seeds):
    for model in GROWTHS:
        holds, fails = rates(lambda rng: curves(law, seeds, rng), model)
        assert (fails if model == law else holds) <= stats.binom.ppf(0.999, 30, 0.025) / 30


@pytest.mark.parametrize("seeds", [20, 200])
def test_a_bounded_curve_follows_no_law(seeds):
    """It levels off at a third of the range."""

    def bounded(rng):
        return (1 - np.exp(-X / 3000))[:, None] * rng.exponential(1, seeds) + 0.02 * rng.normal(0, 1, (len(X), seeds))

    for model in GROWTHS:
        holds, _ = rates(bounded, model)
        assert holds <= stats.binom.ppf(0.999, 30, 0.025) / 30


def test_a_law_explains_so_much_of_a_curve_and_no_less():
    """Beside the law a wave that no law explains, with its share of the variance just below and above the border."""
    noise = np.random.default_rng(3).normal(0, 1e-4, (len(X), 200))
    log = np.log(X) - np.log(X).mean()
    wave = np.cos(np.pi * np.arange(len(X)))
    wave -= wave.mean() + log * (wave @ log) / (log @ log)
    for share, outcome in ((0.9 * (1 - FIT), Outcome.HOLDS), (1.1 * (1 - FIT), Outcome.FAILS)):
        off = np.sqrt(share / (1 - share) * (log @ log) / (wave @ wave))
        assert judge_growth(X, (log + off * wave)[:, None] + noise, model="log").outcome == outcome


def test_a_true_law_is_mostly_said_to_hold():
    """126 seeds with a noise of a fifth of the rise; (log n)^2 is told from it."""
    rng, x = np.random.default_rng(8), np.array([10.0, 30, 100, 300, 1000, 3000, 10_000])
    for law, outcome in (("log", Outcome.HOLDS), ("log_squared", Outcome.FAILS)):
        f = GROWTHS[law](x)
        found = [
            judge_growth(x, f[:, None] + 0.2 * np.ptp(f) * rng.normal(size=(7, 126)), model="log").outcome
            for _ in range(100)
        ]
        assert found.count(outcome) >= 70


@pytest.mark.parametrize(
    ("law", "outcomes"),
    [
        ("log", (Outcome.HOLDS,) * 4),
        ("log_squared", (Outcome.FAILS, Outcome.HOLDS, Outcome.HOLDS, Outcome.HOLDS)),
        ("linear", (Outcome.FAILS, Outcome.FAILS, Outcome.FAILS, Outcome.HOLDS)),
    ],
)
def test_an_upper_bound_is_no_law(law, outcomes):
    """What grows slower keeps it."""
    values = GROWTHS[law](X)[:, None] * (1 + 0.1 * np.random.default_rng(1).normal(size=400))
    assert tuple(judge_growth_bound(X, values, model=model).outcome for model in GROWTHS) == outcomes


def bounded(times, rng, n):
    """Three sizes; from the middle one to the last the law doubles."""
    return judge_growth_bound(
        np.array([0.01, 1.0, 4.0]),
        np.array([[9.0], [1.0], [2 * times]]) * (1 + 0.3 * rng.normal(size=(3, n))),
        model="sqrt",
    )


def test_an_upper_bound_keeps_its_level():
    """At the border, and beyond it: the last point lies the law's factor above the middle one, and a tenth more."""
    rng = np.random.default_rng(2)
    for more, wrong in ((1.1, Outcome.HOLDS), (1.1, Outcome.FAILS), (1.2, Outcome.HOLDS), (1.0, Outcome.FAILS)):
        for n in (5, 20, 200):
            found = [bounded(more, rng, n).outcome for _ in range(100)]
            assert found.count(wrong) <= stats.binom.ppf(0.9995, 100, 0.025), (more, wrong, n)


def test_an_upper_bound_just_inside_and_just_outside():
    """Terms of lower order at the smallest size do not count, and what grows slower keeps the bound."""
    noise = 1 + 1e-6 * np.random.default_rng(2).normal(size=100)
    for last, outcome, slower in ((2.199, "holds", False), (2.201, "fails", False), (1.8, "holds", True)):
        values = np.array([[0.01], [1.0], [last]]) * noise
        judged = judge_growth_bound(np.array([0.01, 1.0, 4.0]), values, model="sqrt")
        assert (judged.outcome, "slower" in judged.reason) == (outcome, slower)


def test_of_an_even_number_of_sizes_the_middle_one_is_the_upper():
    """From 4 to 16 the root doubles; from 1 it would quadruple."""
    values = np.array([[1.0], [1.0], [1.0], [3.0]]) * (1 + 0.01 * np.random.default_rng(0).normal(size=(4, 50)))
    judged = judge_growth_bound(np.array([0.25, 1.0, 4.0, 16.0]), values, model="sqrt")
    assert judged.outcome == Outcome.FAILS
    assert judged.reason.startswith("from 4 to 16 it becomes")
    assert "the law allows 2.00 times" in judged.reason


def test_a_range_too_short_tells_nothing():
    x = np.linspace(1000, 1020, 20)
    values = curves("log", 100, np.random.default_rng(1), x)
    assert Outcome.HOLDS not in [judge_growth(x, values, model=model).outcome for model in GROWTHS]


def test_few_seeds_tell_nothing():
    values = curves("log", 200, np.random.default_rng(2))
    assert [judge_growth(X, values[:, :n]).outcome for n in (1, 2, 4)] == [Outcome.OPEN] * 3


def test_what_falls_does_not_grow():
    values = -curves("log", 200, np.random.default_rng(3))
    judged = judge_growth(X, values)
    assert judged.outcome == Outcome.FAILS


def test_the_comparison_is_unbiased_and_keeps_its_level():
    """A curve that two laws explain equally well: neither is preferred, though noise is far larger than the curve."""
    log, sqrt = (_explained(name, X) for name in ("log", "sqrt"))
    rng = np.random.default_rng(4)
    equal = np.linalg.eigh(log + sqrt)[1][:, -1]
    for n in (5, 20, 100):
        found = [_form(equal + rng.normal(0, 1, (n, len(X))).cumsum(axis=1), log - sqrt, 1) for _ in range(300)]
        values = np.array([at.value for at in found])
        assert abs(values.mean()) < 4 * values.std() / np.sqrt(len(values))
        for missed in (sum(at.low > 0 for at in found), sum(at.high < 0 for at in found)):
            assert missed <= stats.binom.ppf(0.999, 300, 0.025)


def test_a_form_is_the_mean_over_pairs_of_different_seeds_and_its_jackknife():
    rng = np.random.default_rng(5)
    curves, form = rng.normal(size=(6, 4)), np.diag([1.0, -2, 3, 0.5])

    def plain(rows):
        return np.mean([a @ form @ b for i, a in enumerate(rows) for j, b in enumerate(rows) if i != j])

    pseudo = [6 * plain(curves) - 5 * plain(np.delete(curves, i, axis=0)) for i in range(6)]
    found = _form(curves, form, 1)
    assert (found.value, found.sd) == pytest.approx((plain(curves), np.std(pseudo, ddof=1)))


def test_trends():
    rng = np.random.default_rng(6)
    x, noise = np.arange(5.0), rng.normal(0, 1, (5, 100))
    falling = -x[:, None] + noise + 5 * rng.normal(0, 1, 100)  # paired: what a seed's points share does not count
    assert judge_trend(x, falling, "falls").outcome == Outcome.HOLDS
    assert judge_trend(x, falling, "rises").outcome == Outcome.FAILS
    flat = falling.copy()
    flat[3] = flat[2] + noise[3] - noise[2]
    assert judge_trend(x, flat, "falls").outcome == Outcome.OPEN
    broken = falling.copy()
    broken[3] += 3
    judged = judge_trend(x, broken, "falls")
    assert (judged.outcome, judged.replicated[:10]) == (Outcome.FAILS, "least step")


def test_steps_are_judged_at_once():
    """Of twenty flat steps one or two lie beyond their own 95 % interval; a trend is not broken by that."""
    rng, broken = np.random.default_rng(7), 0
    for _ in range(150):
        values = rng.normal(0, 1, (21, 200))
        broken += judge_trend(np.arange(21), values, "rises").outcome == Outcome.FAILS
    assert broken <= stats.binom.ppf(0.999, 150, 0.025)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: judge_trend([0, 1], np.ones((2, 9)), "up"), "expected 'rises' or 'falls'"),
        (lambda: judge_trend([1, 1], np.ones((2, 9)), "rises"), "does not increase"),
        (lambda: judge_trend([0, 1], np.ones((9, 2)), "rises"), "expected \\(points, seeds\\)"),
        (lambda: judge_trend([0], np.ones((1, 9)), "rises"), "with 1 >= 2 points"),
        (lambda: judge_trend([0, 1], np.ones((2, 0)), "rises"), "expected \\(points, seeds\\)"),
        (lambda: judge_growth([0, 1, 2], np.ones((3, 9))), "3 points from 0"),
        (lambda: judge_growth([1, 2, 3], np.ones((3, 9)), model="cubic"), "growth cubic"),
        (lambda: judge_growth([1, 2, 3], np.full((3, 9), np.nan)), "not finite"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
