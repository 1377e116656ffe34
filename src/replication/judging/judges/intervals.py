"""95 % intervals of means, of ratios of means and of shares, for few seeds and skewed values.

All are two-sided, 2.5 % on each side. Regrets are skewed: a t interval of five exponential values misses their mean
in 12 % of cases, not 5 %. Every interval of a mean here is therefore widened by the first Edgeworth term of Student's t
(Hall 1992, The Bootstrap and Edgeworth Expansion, section 2.6),

    quantile = t + skewness (1 + 2 t^2) / (6 sqrt(n)),

for a skewness of at least `SKEWNESS`. The interval is symmetric: the wider side is used for both. The quantile is 2.3
times that of t for n = 5, 1.22 times for n = 100 and 1.07 times for n = 1,000. No interval covers a skewness that the
values do not show (a rare disaster that no seed met).
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray

CONFIDENCE = 0.95

#: The minimum skewness to allow for. An exponential distribution's is 2; with 3, which makes up for the higher terms,
#: each side misses its mean in at most 2.5 % of cases for every n (tested from 5 to 2,000).
SKEWNESS = 3.0

#: A share of seeds below this counts as zero if a claim is about every seed.
RARE = 0.05


class Estimate(NamedTuple):
    """A mean, or a ratio of means, over ``n`` seeds, with its interval.

    Attributes
    ----------
    value : float
    sd : float
        Standard deviation of one seed's contribution; ``sd / sqrt(n)`` is the standard error.
    quantile : float
        Half the width of the interval, in standard errors.
    low, high : float
        The interval; NaN if it cannot be computed from the values, infinite if it is unbounded.
    n : int
    skewness : float
        The absolute skewness for which the interval is widened: that of the values, or `SKEWNESS` if that is larger.
    """

    value: float
    sd: float
    quantile: float
    low: float
    high: float
    n: int
    skewness: float = SKEWNESS

    def with_values(self, n: int, tests: int = 1) -> tuple[float, float]:
        """Return the interval that ``n`` values of this mean, spread and skewness would have."""
        half = quantile(n, self.skewness, tests) * self.sd / math.sqrt(n)
        return self.value - half, self.value + half


def no_interval(at: Estimate, unit: str) -> str:
    """Say why there is no interval."""
    return f"one {unit} has no interval" if at.n == 1 else f"{at.n} equal values do not show the spread (72 would)"


def quantile(n: int, skewness: float = SKEWNESS, tests: int = 1) -> float:
    """Return half the width of an interval in standard errors, widened for skewness.

    With several ``tests``, that many intervals hold simultaneously (Bonferroni).
    """
    if n < 2:
        return math.nan
    t = _student(n - 1, tests)
    return t + skewness * (1 + 2 * t * t) / (6 * math.sqrt(n))


def normal() -> float:
    """Return the normal quantile: half the width of an interval, in standard errors, if the standard error is known."""
    return _student(math.inf, 1)


@cache
def _student(freedom: float, tests: int) -> float:
    """Return a quantile of Student's t, cached because each is needed again and again."""
    from scipy.special import stdtrit  # loads slowly, and what declares claims needs no interval

    return float(stdtrit(freedom, 1 - (1 - CONFIDENCE) / (2 * tests)))


def mean_interval(values: FloatArray, tests: int = 1) -> Estimate:
    """Estimate the mean of ``values``, shape (n,).

    A single value has no interval. Equal values have one only if there are enough (72) to bound the share of other
    values below `RARE`; fewer say nothing about the spread.

    Raises
    ------
    ValueError
        If there are no values, or one is not a finite number.
    """
    values = checked(values)
    n, mean = len(values), float(values.mean())
    off = values - mean
    squares = off * off
    sd = math.sqrt(float(squares.sum()) / (n - 1)) if n > 1 else math.nan
    if sd <= 1e-12 * float(np.abs(values).max()):  # equal but for rounding
        sd = 0.0
    if n < 2 or (sd == 0 and clopper_pearson(0, n)[1] > RARE):
        return Estimate(mean, sd, math.nan, math.nan, math.nan, n)
    skewness = max(abs(float((squares * off).mean())) / sd**3 if sd else 0.0, SKEWNESS)
    q = quantile(n, skewness, tests)
    half = q * sd / math.sqrt(n)
    return Estimate(mean, sd, q, mean - half, mean + half, n, skewness)


def ratio_interval(numerator: FloatArray, denominator: FloatArray) -> Estimate:
    """Estimate the ratio of the means of paired values, shape (n,) each, with Fieller's interval.

    The interval contains all r for which the mean of ``numerator - r denominator`` cannot be distinguished from zero.
    It is unbounded if the denominator's own mean cannot be.

    Raises
    ------
    ValueError
        As for `mean_interval`; or if the lengths differ, or the denominator's mean is zero.
    """
    a, b = checked(numerator), checked(denominator)
    difference(a, b)
    n, mean_a, mean_b = len(a), float(a.mean()), float(b.mean())
    if mean_b == 0:
        raise ValueError("the denominator of the ratio has mean zero")
    ratio = mean_a / mean_b
    rest = mean_interval(a - ratio * b)
    sd = rest.sd / abs(mean_b)
    if math.isnan(rest.quantile):
        return Estimate(ratio, sd, math.nan, math.nan, math.nan, n)
    # (mean_a - r mean_b)^2 <= q^2 (var_a - 2 r cov + r^2 var_b) / n is a quadratic inequality in r.
    var_a, cov, _, var_b = (rest.quantile**2 * np.cov(a, b) / n).ravel().tolist()
    square, half_linear, constant = mean_b**2 - var_b, mean_a * mean_b - cov, mean_a**2 - var_a
    if square <= 0:
        return Estimate(ratio, sd, rest.quantile, -math.inf, math.inf, n, rest.skewness)
    root = math.sqrt(max(half_linear**2 - square * constant, 0.0))
    ends = (half_linear - root) / square, (half_linear + root) / square
    return Estimate(ratio, sd, rest.quantile, *ends, n, rest.skewness)


def percent_below(base: FloatArray, other: FloatArray) -> Estimate:
    """Estimate the percentage by which the mean of ``other`` is below ``base``'s, paired; see `ratio_interval`."""
    ratio = ratio_interval(other, base)
    ends = (100 * (1 - ratio.high), 100 * (1 - ratio.low))
    return Estimate(100 * (1 - ratio.value), 100 * ratio.sd, ratio.quantile, *ends, ratio.n, ratio.skewness)


def percents_below(base: FloatArray, other: FloatArray) -> FloatArray:
    """Return one value per seed, shape (n,); their mean is the percentage by which one mean is below another.

    The mean of ``other`` is below that of ``base``. With r the ratio of the means, a seed's value is
    100 (1 - r + (r base - other) / mean(base)). The spread of these values gives the standard error of the percentage
    to first order.

    Raises
    ------
    ValueError
        As for `ratio_interval`.
    """
    a, b = checked(other), checked(base)
    difference(a, b)  # checks the lengths
    if b.mean() == 0:
        raise ValueError("the denominator of the ratio has mean zero")
    ratio = a.mean() / b.mean()
    percents: FloatArray = 100 * (1 - ratio + (ratio * b - a) / b.mean())
    return percents


def clopper_pearson(hits: float, n: int) -> tuple[float, float]:
    """Compute the exact interval of a share, from ``hits`` of ``n`` (Clopper and Pearson 1934).

    It is smooth between whole numbers of hits.
    """
    if not 0 <= hits <= n or n < 1:
        raise ValueError(f"{hits} of {n}: expected n of at least 1, and hits from 0 to n")
    from scipy.special import betaincinv

    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(hits, n - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, n - hits, 1 - tail)) if hits < n else 1.0
    return low, high


def difference(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return ``a - b``, seed by seed."""
    a, b = checked(a), checked(b)
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} values: the two are not paired")
    return a - b


def checked(values: FloatArray) -> FloatArray:
    """Return ``values`` as an array of finite floats, shape (n,), n >= 1."""
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"values of shape {values.shape}: expected one per seed")
    if not np.isfinite(values).all():
        raise ValueError(f"{int((~np.isfinite(values)).sum())} of {len(values)} values are not finite")
    return values
