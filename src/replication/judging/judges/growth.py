"""Judges of curves: how something grows with rounds or size, and whether it always rises or falls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from causal_bandits.arrays import FloatArray
from replication.judging.judges.intervals import Estimate, mean_interval
from replication.judging.judges.judgement import Judgement, Outcome, Why, reason, seeds_or_never

#: The laws of growth that can be distinguished; each is a rival of the others.
GROWTHS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "log": np.log,
    "log_squared": lambda x: np.square(np.log(x)),
    "sqrt": np.sqrt,
    "linear": np.positive,
}

#: The minimum share of a mean curve's variance that a law must explain if the curve follows it.
FIT = 0.99

#: How much a mean curve may outgrow a law that bounds it, from the middle point to the last, relative to the law.
OUTGROWN = 0.1


def judge_growth(x: FloatArray, values: FloatArray, *, model: str = "log") -> Judgement:
    """Judge "it grows like ``model``".

    Least squares fits a + b f(x) to the mean curve for each law of `GROWTHS`. The claim holds if b is positive, the law
    explains at least 99 % of the curve's variance (`FIT`), and more than every other law. It fails if b is negative or
    one of the other conditions is reversed. Level: 95 % intervals over seeds, simultaneous over the fit and the three
    rivals; b has its own.

    All points of a seed's curve share its noise, which would blur the fit of a mean over few seeds. So sums of squares,
    which are quadratic forms of the mean curve, are estimated without bias, from products of distinct seeds only, with
    jackknife intervals.

    Parameters
    ----------
    x : array, shape (points,)
        Rounds or sizes, positive and increasing, at least 3.
    values : array, shape (points, seeds)
    model : {"log", "log_squared", "sqrt", "linear"}
    """
    curves = _curves(x, values)
    _check_law(x, model)
    against = [name for name in GROWTHS if name != model]
    squares = {name: _explained(name, np.asarray(x, dtype=np.float64)) for name in (model, *against)}
    whole = np.eye(len(x)) - 1 / len(x)
    slope = mean_interval(curves @ (GROWTHS[model](x) - GROWTHS[model](x).mean()))
    beaten = {name: _form(curves, squares[model] - squares[name], len(GROWTHS)) for name in against}
    fit = _form(curves, squares[model] - FIT * whole, len(GROWTHS))
    mean = curves.mean(axis=0)
    total = float(mean @ whole @ mean)
    explained = {name: float(mean @ square @ mean) / total if total else math.nan for name, square in squares.items()}
    shares = ", ".join(f"{name} {100 * explained[name]:.2f} %" for name in squares)
    better = [name for name, at in beaten.items() if at.high < 0]
    missing: Why | None = None
    if slope.high < 0 or better or fit.high < 0:
        told = f"{better[0]} explains more" if better else "it falls" if slope.high < 0 else f"{model} does not fit"
        outcome = Outcome.FAILS
    elif slope.low > 0 and fit.low > 0 and all(at.low > 0 for at in beaten.values()):
        outcome, told = Outcome.HOLDS, "it fits, and no other law explains as much"
    else:
        outcome, nearest = Outcome.OPEN, min(against, key=lambda name: beaten[name].value)
        missing = undecided([slope, fit, *beaten.values()], len(GROWTHS))
        told = f"{curves.shape[0]} seeds decide neither the fit nor the choice between {model} and {nearest}"
    why = reason(told, f"explained share of the mean curve: {shares}")
    best = max(explained, key=lambda name: explained[name])
    shown = f"{best} explains {100 * explained[best]:.1f} %"
    if best != model:
        shown += f", {model} {100 * explained[model]:.1f} %"
    return Judgement(outcome, why, shown, n=slope.n, why=missing)


def judge_growth_bound(x: FloatArray, values: FloatArray, *, model: str) -> Judgement:
    """Judge "over this range it grows no faster than ``model``", which decides nothing about larger sizes.

    A bound without its constant is about large sizes, where terms of lower order do not matter. So growth is measured
    from the middle size to the last. The boundary is 1.1 times the factor by which the law rises (`OUTGROWN`): the mean
    may rise by no more. Level: 95 % interval over seeds. Slower growth satisfies the bound; the reason says so if it is
    surely slower.

    Parameters
    ----------
    x, values, model
        As for `judge_growth`.
    """
    curves = _curves(x, values)
    _check_law(x, model)
    middle = len(x) // 2
    first, last = (float(GROWTHS[model](np.array([size]))[0]) for size in (x[middle], x[-1]))
    law, start, end = last / first, curves[:, middle], curves[:, -1]
    at = mean_interval((1 + OUTGROWN) * law * start - end)
    slower = mean_interval(law * start / (1 + OUTGROWN) - end).low > 0
    shown = f"{end.mean() / start.mean():.2f} times" if start.mean() > 0 else "no ratio"
    grown = f"becomes {shown} as large" if start.mean() > 0 else "has no ratio"
    ratio = f"from {x[middle]:g} to {x[-1]:g} it {grown}, and the law allows {law:.2f} times"

    def outcome(low: float, high: float) -> Outcome:
        return Outcome.HOLDS if low >= 0 else Outcome.FAILS if high < 0 else Outcome.OPEN

    found = outcome(at.low, at.high)
    if found is not Outcome.OPEN:
        return Judgement(found, reason(ratio, "slower than the bound allows" if slower else ""), shown, n=at.n)
    missing = Why.SEEDS
    if not math.isnan(at.low):
        missing = seeds_or_never(lambda n: outcome(*at.with_values(n)) is not Outcome.OPEN)
    return Judgement(found, ratio, shown, n=at.n, why=missing)


def _check_law(x: FloatArray, model: str) -> None:
    if model not in GROWTHS:
        raise ValueError(f"growth {model}: expected one of {', '.join(GROWTHS)}")
    if x[0] <= 0 or len(x) < 3:
        raise ValueError(f"{len(x)} points from {x[0]:g}: expected at least 3, all positive")


def _explained(name: str, x: FloatArray) -> FloatArray:
    """Return the quadratic form of a curve that gives the sum of squares explained by a law."""
    f = np.asarray(GROWTHS[name](x), dtype=np.float64)
    f = (f - f.mean()) / np.linalg.norm(f - f.mean())
    return np.outer(f, f)


def _form(curves: FloatArray, form: FloatArray, tests: int) -> Estimate:
    """Estimate a quadratic form of the mean curve: the mean of c_i' Q c_j over all pairs of distinct seeds.

    This is a U-statistic, whose jackknife pseudo-values are treated as values of seeds.
    """
    n, weighted = len(curves), curves @ form
    if n < 3:
        return Estimate(0.0, math.nan, math.nan, math.nan, math.nan, n)
    own, with_all = (weighted * curves).sum(axis=1), weighted @ curves.sum(axis=0)
    pairs = with_all.sum() - own.sum()
    without = (pairs - 2 * (with_all - own)) / ((n - 1) * (n - 2))
    return mean_interval(pairs / (n - 1) - (n - 1) * without, tests)


def judge_trend(x: FloatArray, values: FloatArray, direction: str) -> Judgement:
    """Judge "it always rises" or "falls" along ``x``: every step, paired by seed.

    Level: 95 % intervals of the mean steps, simultaneous (Bonferroni). Boundary of each step: 0. The claim holds if
    all steps go in the claimed direction; it fails if one goes in the other direction or is zero on every one of at
    least 72 seeds.

    Parameters
    ----------
    x : array, shape (points,)
        Increasing.
    values : array, shape (points, seeds)
    direction : {"rises", "falls"}
    """
    if direction not in ("rises", "falls"):
        raise ValueError(f"direction={direction!r}: expected 'rises' or 'falls'")
    curves = _curves(x, values)
    steps = np.diff(curves, axis=1) * (1 if direction == "rises" else -1)
    intervals = [mean_interval(step, steps.shape[1]) for step in steps.T]
    held = sum(at.low > 0 for at in intervals)
    broken = [i for i, at in enumerate(intervals) if at.high <= 0]
    why = f"it {direction} at {held} of {len(intervals)} steps, simultaneous 95 % intervals, paired by seed"
    if broken:
        why = f"{why}; not from {x[broken[0]]:g} to {x[broken[0] + 1]:g}"
    outcome = Outcome.FAILS if broken else Outcome.HOLDS if held == len(intervals) else Outcome.OPEN
    missing = undecided(intervals, len(intervals)) if outcome is Outcome.OPEN else None
    least = min(intervals, key=lambda at: at.value)
    return Judgement(outcome, reason(why), f"least step {least.value:.3g}", least.low, least.high, least.n, missing)


def undecided(every: Sequence[Estimate], tests: int) -> Why:
    """Return why a claim is open that holds if all means are above zero and fails if one is below."""
    if any(math.isnan(at.low) for at in every):
        return Why.SEEDS

    def decides(n: int) -> bool:
        ends = [at.with_values(n, tests) for at in every]
        return min(low for low, _ in ends) > 0 or any(high < 0 for _, high in ends)

    return seeds_or_never(decides)


def _curves(x: FloatArray, values: FloatArray) -> FloatArray:
    """Check the values and return them with one row per seed."""
    values = np.asarray(values, dtype=np.float64)
    if len(x) < 2 or values.ndim != 2 or values.shape[0] != len(x) or not values.shape[1]:
        raise ValueError(f"values of shape {values.shape}: expected (points, seeds) with {len(x)} >= 2 points")
    if (np.diff(x) <= 0).any():
        raise ValueError("x does not increase")
    if not np.isfinite(values).all():
        raise ValueError("a value is not finite")
    return values.T
