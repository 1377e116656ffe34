"""Judges of curves: how something grows with rounds or size, and whether it always rises or falls."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from causal_bandits.arrays import FloatArray
from replication.judging.judges.intervals import Estimate, mean_interval, mean_intervals
from replication.judging.judges.judgement import Basis, Because, Judgement, Outcome, reason
from replication.judging.judges.telling import DECIDED, Open, needed, needed_by_all

#: The laws of growth that can be told apart; each is a rival of the others.
GROWTHS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "log": np.log,
    "log_squared": lambda x: np.square(np.log(x)),
    "sqrt": np.sqrt,
    "linear": np.positive,
}

#: How far, relative to its rise, a mean curve may lie from a law that it follows.
FIT = 0.05

#: By how much a mean curve may outgrow a law that bounds it, from its first point to its last, relative to that law.
OUTGROWN = 0.1


def judge_growth(x: FloatArray, values: FloatArray, *, model: str = "log") -> Judgement:
    """Judge "it grows like ``model``".

    The law must fit the mean curve, and fit better than every other law of `GROWTHS`. Least squares fits a + b f(x) to
    the mean curve for each law; compared are the shares of its variance explained. Level: 95 % intervals over seeds,
    simultaneous over all that is compared. Borders: another law explains as much; the mean curve lies 5 % of its rise
    off the fitted law at some point (`FIT`). The claim holds if b is positive, every rival explains less and the curve
    is nearer everywhere; it fails if b is negative, a rival explains more, or the curve is further off somewhere.

    Noise is the same for all points of a seed's curve and would blur the fit of a mean over few seeds. So the
    difference of two explained sums of squares, a quadratic form of the mean curve, is estimated without bias from
    products of different seeds only, with jackknifed intervals.

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
    directions = {name: _direction(name, np.asarray(x, dtype=np.float64)) for name in (model, *against)}
    slope = mean_interval(curves @ directions[model])
    mean = curves.mean(axis=0)
    total = float(((mean - mean.mean()) ** 2).sum())
    explained = {name: (mean @ f) ** 2 / total if total else math.nan for name, f in directions.items()}
    over = {name: _more_explained(curves, directions[model], directions[name], len(against)) for name in against}
    shares = ", ".join(f"{name} {100 * explained[name]:.2f} %" for name in directions)
    nearest = min(against, key=lambda name: over[name].value)
    better = [name for name in against if over[name].high < 0]
    slack = _slack(curves, directions[model])
    off = [float(x[point]) for point, at in slack if at.high < 0]
    missing = DECIDED
    if slope.high < 0 or better or off:
        told = f"{better[0]} explains more" if better else "it falls" if slope.high < 0 else f"no fit at {off[0]:g}"
        outcome = Outcome.FAILS
    elif slope.low > 0 and all(other.low > 0 for other in over.values()) and all(at.low > 0 for _, at in slack):
        outcome, told = Outcome.HOLDS, "it fits, and no other law explains as much"
    else:
        outcome = Outcome.OPEN
        missing = needed_by_all([slope, *over.values(), *(at for _, at in slack)], len(against), "seed")
        told = f"{curves.shape[0]} seeds tell neither the fit nor {model} from {nearest}"
    why = reason(told, str(missing["needs"] or ""), f"explained of the mean curve: {shares}")
    best = max(explained, key=lambda name: explained[name])
    shown = f"{best} explains {100 * explained[best]:.1f} %"
    if best != model:
        shown += f", {model} {100 * explained[model]:.1f} %"
    return Judgement(outcome, why, Basis.SIMULATED, shown, n=slope.n, **missing)


def _slack(curves: FloatArray, direction: FloatArray) -> list[tuple[int, Estimate]]:
    """Estimate how much room each point of the mean curve has around the fitted law, on both sides.

    It is `FIT` times the curve's rise, less the distance between the point and the law.
    """
    points = curves.shape[1]
    centred = curves - curves.mean(axis=1, keepdims=True)
    off = centred - np.outer(curves @ direction, direction)  # each seed's share of the distance
    rise = curves[:, -1] - curves[:, 0]
    if rise.mean() < 0:
        rise = -rise
    sides = np.stack([FIT * rise + off.T, FIT * rise - off.T], axis=1).reshape(2 * points, -1)
    return [(i // 2, room) for i, room in enumerate(mean_intervals(sides, 2 * points))]


def judge_growth_bound(x: FloatArray, values: FloatArray, *, model: str) -> Judgement:
    """Judge "it grows no faster than ``model``", an upper bound without its constant.

    From the first point to the last, the mean may rise by at most the factor by which the law does, and a tenth more
    (`OUTGROWN`), which is the border. Level: 95 % interval over seeds.

    Parameters
    ----------
    x, values, model
        As `judge_growth`; two points suffice.
    """
    curves = _curves(x, values)
    _check_law(x, model, least=2)
    first, last = (float(GROWTHS[model](np.array([end]))[0]) for end in (x[0], x[-1]))
    allowed = (1 + OUTGROWN) * last / first
    at = mean_interval(allowed * curves[:, 0] - curves[:, -1])
    mean = curves.mean(axis=0)
    shown = f"{mean[-1] / mean[0]:.2f} times" if mean[0] > 0 else "no ratio"
    ratio = f"from {x[0]:g} to {x[-1]:g} it rises {shown}, the law {last / first:.2f} times"

    def outcome(low: float, high: float, _width: float) -> Outcome:
        return Outcome.HOLDS if low >= 0 else Outcome.FAILS if high < 0 else Outcome.OPEN

    found = outcome(at.low, at.high, at.quantile)
    if found is not Outcome.OPEN:
        return Judgement(found, ratio, Basis.SIMULATED, shown, n=at.n)
    missing: Open = {"because": Because.SEEDS, "needs": None}
    if not math.isnan(at.low):
        missing = needed(at, outcome, "seed")
    return Judgement(found, reason(ratio, str(missing["needs"] or "")), Basis.SIMULATED, shown, n=at.n, **missing)


def _check_law(x: FloatArray, model: str, least: int = 3) -> None:
    if model not in GROWTHS:
        raise ValueError(f"growth {model}: expected of {', '.join(GROWTHS)}")
    if x[0] <= 0 or len(x) < least:
        raise ValueError(f"{len(x)} points from {x[0]:g}: expected {least}, positive")


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
    missing = DECIDED
    if outcome is Outcome.OPEN:
        missing = needed_by_all(intervals, len(intervals), "seed")
        why = reason(why, str(missing["needs"] or ""))
    least = min(intervals, key=lambda at: at.value)
    shown = f"least step {least.value:.3g}"
    return Judgement(outcome, reason(why), Basis.SIMULATED, shown, least.low, least.high, least.n, **missing)


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
