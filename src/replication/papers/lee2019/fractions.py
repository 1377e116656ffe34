"""Read the best arm's mean, and the noises that its arm passes, off published curves of regret.

See ledger L194. A curve is the mean over runs of mu* t less the rewards drawn up to round t, which are whole numbers
(ledger L16). So runs x regret(t) and runs x mu* x t differ by a whole number in every round and under every strategy:
all points have the same fraction, and many rounds fix it to many digits. Which whole thousandth is left open by this;
the spread of the rewards of round one leaves some fifty. In a model of noisy exclusive ors with probabilities of two
decimals, 2 mu* - 1 is a product of one (50 - 100 p) / 50 per noise p between the arm and the reward: of the fifty, one
is.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray

#: A two-decimal probability p has the bias |1 - 2 p| = k / 50, k a whole number from 0 to 50.
STEPS = 50
#: Quantile of the normal distribution behind a 95 % band.
NORMAL = 1.96


class Curve(NamedTuple):
    """A published curve.

    Attributes
    ----------
    rounds : int64 array, shape (checkpoints,)
        Rounds played, ascending.
    regrets : float64 array, shape (checkpoints,)
        Mean cumulative regret.
    low, high : float64 arrays, shape (checkpoints,)
        The 95 % band.
    """

    rounds: NDArray[np.int64]
    regrets: FloatArray
    low: FloatArray
    high: FloatArray


class Fraction(NamedTuple):
    """The fractional part of runs x mu*.

    ``value`` lies in [0, 1); ``error`` is its standard error; ``residuals`` are all of them.
    """

    value: float
    error: float
    residuals: FloatArray


def read_curves(path: str | Path) -> dict[str, Curve]:
    """Read published curves by strategy.

    Parameters
    ----------
    path : path
        CSV with the columns ``t``, ``strategy``, ``regret``, ``band_low``, ``band_high``.

    Raises
    ------
    ValueError
        If a column is missing, or a strategy's rounds do not ascend.
    """
    with Path(path).open(newline="") as file:
        rows = list(csv.DictReader(file))
    expected = {"t", "strategy", "regret", "band_low", "band_high"}
    if not rows or not expected <= set(rows[0]):
        raise ValueError(f"{path}: columns {list(rows[0]) if rows else []}; expected {sorted(expected)}")
    curves = {}
    for strategy in dict.fromkeys(row["strategy"] for row in rows):
        own = [row for row in rows if row["strategy"] == strategy]
        rounds = np.array([int(row["t"]) for row in own])
        if (np.diff(rounds) <= 0).any():
            raise ValueError(f"{path}: strategy {strategy}: rounds do not ascend")
        curves[strategy] = Curve(
            rounds, *(np.array([float(row[c]) for row in own]) for c in ("regret", "band_low", "band_high"))
        )
    return curves


def fraction_of(curves: Mapping[str, Curve], runs: int) -> Fraction:
    """Find the fraction that runs x mu* has, by least squares over all points of all curves.

    Points are taken in the order of their rounds. Each fixes the fraction better than the ones before it, well enough
    to know by how many whole numbers the next one is off.

    Parameters
    ----------
    curves : mapping from str to Curve
        Their first rounds must be few: a first guess comes from the earliest ones.
    runs : int
        Runs that a curve averages, >= 1.

    Raises
    ------
    ValueError
        If the points have no common fraction: some lie a tenth or more off.
    """
    rounds = np.concatenate([curve.rounds for curve in curves.values()]).astype(np.float64)
    points = runs * np.concatenate([curve.regrets for curve in curves.values()])
    order = np.argsort(rounds, kind="stable")
    rounds, points = rounds[order], points[order]
    value, above, below = points[0] / rounds[0] % 1, 0.0, 0.0
    for t, point in zip(rounds, points, strict=True):
        whole = round(value * t - point)
        above, below = above + t * (point + whole), below + t * t
        value = above / below
    residuals = (points - value * rounds + 0.5) % 1 - 0.5
    if np.abs(residuals).max() >= 0.1:
        raise ValueError(f"curves have no common fraction: a point is {np.abs(residuals).max():.2f} off")
    error = float(residuals.std(ddof=1) / math.sqrt(below))
    return Fraction(float(value % 1), error, residuals)


def optimal_means(curves: Mapping[str, Curve], runs: int, fraction: float, rounding: float = 1e-4) -> FloatArray:
    """Means of the best arm with a fraction under which round one has the published bands.

    A reward of mean p has the standard deviation sqrt(p (1 - p)), and p is mu* less the regret of round one.

    Parameters
    ----------
    curves : mapping from str to Curve
        With round 1.
    runs : int
    fraction : float
        Of runs x mu*.
    rounding : float
        How far half a published band may be off. Rounding both ends to four digits makes up half of the default.
    """
    first = [(float(c.regrets[0]), float(c.high[0] - c.low[0]) / 2) for c in curves.values()]
    found = []
    for whole in range(runs):
        mean = (whole + fraction) / runs
        rewards = [mean - regret for regret, _ in first]
        if min(rewards) >= 0 and all(
            abs(NORMAL * math.sqrt(p * (1 - p) / runs) - half) <= rounding
            for p, (_, half) in zip(rewards, first, strict=True)
        ):
            found.append(mean)
    return np.array(found)


def noises(mean: float, count: int, error: float = 1e-10) -> list[tuple[int, ...]]:
    """All ways in which ``count`` noises of two decimals give an arm this mean.

    Parameters
    ----------
    mean : float
        In (0.5, 1).
    count : int
        Noises between the arm and the reward, >= 1.
    error : float
        Of the mean.

    Returns
    -------
    list of tuple of int
        Biases |1 - 2 p| in fiftieths, the largest first; none if (2 mean - 1) 50^count is no whole number.
    """
    product = (2 * mean - 1) * STEPS**count
    whole = round(product)
    if abs(product - whole) > 2 * error * STEPS**count + 1e-6:  # the rest is of floating point
        return []
    return list(_splits(whole, count, STEPS))


def _splits(product: int, count: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Divide a whole number into ``count`` factors that do not ascend."""
    if count == 0:
        if product == 1:
            yield ()
        return
    for factor in range(min(largest, product), 0, -1):
        if factor**count < product:
            return
        if product % factor == 0:
            for rest in _splits(product // factor, count - 1, factor):
                yield (factor, *rest)


def share_of_products(near: int, count: int, width: float = 0.1) -> float:
    """Share of the whole numbers near one that are a product of ``count`` factors up to 50.

    Parameters
    ----------
    near : int
    count : int
    width : float
        Relative: numbers between (1 - width) and (1 + width) times ``near``.
    """
    products = np.ones(1, dtype=np.int64)
    for _ in range(count):
        products = np.unique(np.multiply.outer(products, np.arange(1, STEPS + 1)))
    low, high = near * (1 - width), near * (1 + width)
    return float(((products > low) & (products < high)).sum() / (high - low))
