"""Judges of curves: how something grows with rounds or size, and whether it always rises or falls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from replication.judging.judges.intervals import Estimate, FloatArray, mean_interval
from replication.judging.judges.judgement import Basis, Because, Judgement, Outcome, reason

#: The laws of growth that can be told apart.
GROWTHS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "log": np.log,
    "sqrt": np.sqrt,
    "linear": np.positive,
    "log_squared": lambda x: np.square(np.log(x)),
}

#: Those that a claim is judged against if it does not say. The square of log lies between two of them, so that only a
#: claim that names it is about it.
RIVALS = ("log", "sqrt", "linear")


def judge_growth(
    x: FloatArray, values: FloatArray, *, model: str = "log", against: Sequence[str] | None = None
) -> Judgement:
    """Judge "it grows like ``model``", against other laws of growth.

    Least squares fits a + b f(x) to the mean curve for each law; compared are the shares of its variance explained.
    Level: 95 % intervals over seeds, simultaneous over the competitors. Border: another law explains as much.
    The claim holds if b is positive and every competitor explains less; it fails if one explains more or b is negative.
    It is the best of the laws named; the reason says how much of the curve each explains.

    Noise is the same for all points of a seed's curve and would blur the fit of a mean over few seeds. So the
    difference of two explained sums of squares, a quadratic form of the mean curve, is estimated without bias from
    products of different seeds only, with jackknifed intervals.

    Parameters
    ----------
    x : array, shape (points,)
        Rounds or sizes, positive and increasing, at least 3.
    values : array, shape (points, seeds)
    model : {"log", "sqrt", "linear", "log_squared"}
    against : sequence of the same
        By default all of `RIVALS` but itself.
    """
    curves = _curves(x, values)
    against = [name for name in RIVALS if name != model] if against is None else list(against)
    if unknown := {model, *against}.difference(GROWTHS):
        raise ValueError(f"growth {', '.join(sorted(unknown))}: expected of {', '.join(GROWTHS)}")
    if x[0] <= 0 or len(x) < 3 or model in against or not against:
        raise ValueError(f"{len(x)} points from {x[0]:g}, {model} against {against}: expected three, positive, another")
    directions = {name: _direction(name, np.asarray(x, dtype=np.float64)) for name in (model, *against)}
    slope = mean_interval(curves @ directions[model])
    mean = curves.mean(axis=0)
    total = float(((mean - mean.mean()) ** 2).sum())
    explained = {name: (mean @ f) ** 2 / total if total else math.nan for name, f in directions.items()}
    over = {name: _more_explained(curves, directions[model], directions[name], len(against)) for name in against}
    shares = ", ".join(f"{name} {100 * explained[name]:.2f} %" for name in directions)
    nearest = min(against, key=lambda name: over[name].value)
    better = [name for name in against if over[name].high < 0]
    because = None
    if slope.high < 0 or better:
        outcome, told = Outcome.FAILS, f"{better[0]} explains more" if better else "it falls"
    elif slope.low > 0 and all(other.low > 0 for other in over.values()):
        outcome, told = Outcome.HOLDS, "no other law explains as much"
    else:
        outcome, because = Outcome.OPEN, Because.SEEDS
        told = f"{model} and {nearest} cannot be told apart by {curves.shape[0]} seeds"
    why = reason(told, f"explained of the mean curve: {shares}")
    at, scale = over[nearest], total or math.nan
    best = max(explained, key=lambda name: explained[name])
    return Judgement(outcome, why, Basis.SIMULATED, best, at.low / scale, at.high / scale, at.n, because=because)


def _direction(name: str, x: FloatArray) -> FloatArray:
    """Of f(x) about its mean, with length one: its product with a curve is b, times a positive number."""
    f = np.asarray(GROWTHS[name](x), dtype=np.float64)
    f = f - f.mean()
    return np.asarray(f / np.linalg.norm(f))


def _more_explained(curves: FloatArray, model: FloatArray, other: FloatArray, tests: int) -> Estimate:
    """By how much the sum of squares that one law explains of the mean curve exceeds the other's.

    With a_i and b_i the products of seed i's curve with the two directions, the mean of a_i a_j - b_i b_j over all
    pairs of different seeds: a U-statistic, whose jackknife pseudo-values are treated as seeds' values.
    """
    n = len(curves)
    if n < 3:
        return Estimate(0.0, math.nan, math.nan, math.nan, math.nan, n)
    pseudo = np.zeros(n)
    for projected, sign in ((curves @ model, 1), (curves @ other, -1)):
        total, squares = projected.sum(), (projected**2).sum()
        whole = (total**2 - squares) / (n * (n - 1))
        without = ((total - projected) ** 2 - (squares - projected**2)) / ((n - 1) * (n - 2))
        pseudo += sign * (n * whole - (n - 1) * without)
    return mean_interval(pseudo, tests)


def judge_trend(x: FloatArray, values: FloatArray, direction: str) -> Judgement:
    """Judge "it always rises" or "falls" along ``x``: every step, paired by seed.

    Level: 95 % intervals of the mean steps, simultaneous (Bonferroni). Border of each step: 0. The claim holds if
    all go the claimed way; it fails if one goes the other way or is zero on every seed, of at least 72.

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
    because = Because.SEEDS if outcome is Outcome.OPEN else None
    least = min(intervals, key=lambda at: at.value)
    shown = f"least step {least.value:.3g}"
    return Judgement(outcome, reason(why), Basis.SIMULATED, shown, least.low, least.high, least.n, because=because)


def _curves(x: FloatArray, values: FloatArray) -> FloatArray:
    """One row per seed."""
    values = np.asarray(values, dtype=np.float64)
    if len(x) < 2 or values.ndim != 2 or values.shape[0] != len(x) or not values.shape[1]:
        raise ValueError(f"values of shape {values.shape}: expected (points, seeds) with {len(x)} >= 2 points")
    if (np.diff(x) <= 0).any():
        raise ValueError("x does not increase")
    if not np.isfinite(values).all():
        raise ValueError("a value is not finite")
    return values.T
