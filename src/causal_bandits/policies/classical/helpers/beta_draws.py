"""The arm with the largest of many draws from Beta posteriors, only a few of which are made (`sparse_draws`)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import inlined, jit, kernel
from causal_bandits.policies.classical.helpers.sparse_draws import Share, contender, following, share_beyond, skipped
from causal_bandits.policies.classical.helpers.tournament import rematch, tournament

#: Relative precision of a quantile, and of the continued fraction for the probability beyond it.
PRECISION = 1e-15
#: Replaces parts of the continued fraction that are smaller, so that none is 0 (Lentz).
TINY = 1e-300


class ManyBetas(NamedTuple):
    """The posterior Beta(ones, zeros) of each arm's mean, with the data needed to draw only a few of them.

    Attributes
    ----------
    ones, zeros : float64 arrays, shape (arms,)
        >= 1.
    most : float64 array, shape (arms,)
        The quantiles of order 1 - p.
    winners : int64 array
        The tournament tree of ``most``.
    beyond : int64 array, shape (arms,)
        The last round in which the arm was drawn beyond its quantile; -1 before the first.
    share : Share
        The share of arms that are drawn beyond their quantiles.
    """

    ones: FloatArray
    zeros: FloatArray
    most: FloatArray
    winners: IntArray
    beyond: IntArray
    share: Share


def many_betas(ones: FloatArray, zeros: FloatArray) -> ManyBetas:
    """Prepare posteriors Beta(ones, zeros), float64 arrays of shape (arms,) with entries >= 1."""
    share = share_beyond(len(ones))
    most = quantiles(ones, zeros, share.p)
    return ManyBetas(ones, zeros, most, tournament(most), np.full(len(ones), -1, dtype=np.int64), share)


@jit
def quantiles(ones: FloatArray, zeros: FloatArray, p: float) -> FloatArray:
    """Return the quantiles of order 1 - p of Beta(ones, zeros), shape (arms,); ones and zeros are >= 1."""
    found = np.empty(len(ones))
    for x in range(len(ones)):
        found[x] = _quantile(ones[x], zeros[x], p)
    return found


@inlined
def update(posterior: ManyBetas, arm: int, reward: float) -> None:
    """Update the posterior of an arm with a reward of 0 or 1."""
    if reward:
        posterior.ones[arm] += 1
    else:
        posterior.zeros[arm] += 1
    posterior.most[arm] = _quantile(posterior.ones[arm], posterior.zeros[arm], posterior.share.p)
    rematch(posterior.most, posterior.winners, arm)


@inlined
def choose(posterior: ManyBetas, t: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest draw in round ``t``; no two rounds may have the same ``t``."""
    ones, zeros, most, winners = posterior.ones, posterior.zeros, posterior.most, posterior.winners
    chosen, largest = -1, -math.inf
    arm = skipped(posterior.share, rng)
    while arm < len(ones):
        posterior.beyond[arm] = t
        draw = _tail(ones[arm], zeros[arm], most[arm], posterior.share.p, rng)
        if draw > largest:
            chosen, largest = arm, draw
        arm += 1 + skipped(posterior.share, rng)
    leaf = contender(most, winners, largest, 1)
    while leaf:
        arm = leaf - len(winners) // 2
        if posterior.beyond[arm] != t:
            draw = rng.beta(ones[arm], zeros[arm])
            while draw > most[arm]:
                draw = rng.beta(ones[arm], zeros[arm])
            if draw > largest:
                chosen, largest = arm, draw
        leaf = contender(most, winners, largest, following(leaf))
    return chosen


@kernel
def _tail(a: float, b: float, quantile: float, p: float, rng: np.random.Generator) -> float:
    """Draw from Beta(a, b) given that it exceeds its quantile of order 1 - p; a, b >= 1.

    The logarithm of the density is concave, so it lies below its tangent at the quantile. If the tangent slopes
    downwards, it is, up to a constant, the logarithm of an exponential density, whose draws are thinned.
    """
    if a == 1.0:
        return 1.0 - math.pow(p * (1.0 - rng.random()), 1.0 / b)
    if b == 1.0:
        return math.pow(1.0 - p * rng.random(), 1.0 / a)
    slope = (b - 1.0) / (1.0 - quantile) - (a - 1.0) / quantile
    while True:
        if slope > 0:
            x = quantile - math.log(1.0 - rng.random()) / slope
            if x < 1.0 and math.log(1.0 - rng.random()) <= (
                (a - 1.0) * math.log(x / quantile)
                + (b - 1.0) * math.log((1.0 - x) / (1.0 - quantile))
                + slope * (x - quantile)
            ):
                return x
        else:
            x = rng.beta(a, b)
            if x > quantile:
                return x


@kernel
def _quantile(a: float, b: float, p: float) -> float:
    """Return the quantile of order 1 - p of Beta(a, b) for a, b >= 1, by Newton's method within a bracket."""
    if a == 1.0:
        return 1.0 - math.pow(p, 1.0 / b)
    if b == 1.0:
        return math.pow(1.0 - p, 1.0 / a)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    low, high = 0.0, 1.0
    x = a / (a + b)
    for _ in range(200):
        excess = _probability_beyond(a, b, x, scale) - p
        if excess > 0:
            low = x
        else:
            high = x
        density = math.exp(scale + (a - 1.0) * math.log(x) + (b - 1.0) * math.log(1.0 - x))
        step = excess / density if density > 0 else math.inf
        new = x + step
        if not low < new < high:
            new = (low + high) / 2
        if abs(new - x) <= PRECISION * x:
            return new
        x = new
    return x


@kernel
def _probability_beyond(a: float, b: float, x: float, scale: float) -> float:
    """Return P(X > x) for X ~ Beta(a, b), by the continued fraction of the incomplete beta function.

    Parameters
    ----------
    a, b : float
        > 0.
    x : float
        In (0, 1).
    scale : float
        log Gamma(a + b) - log Gamma(a) - log Gamma(b).
    """
    front = math.exp(scale + a * math.log(x) + b * math.log(1.0 - x))
    if x < (a + 1.0) / (a + b + 2.0):
        return 1.0 - front * _fraction(a, b, x) / a
    return front * _fraction(b, a, 1.0 - x) / b


@kernel
def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of I_x(a, b) (DLMF 8.17.22), by Lentz's method.

    It converges fast for x < (a + 1) / (a + b + 2).
    """
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > TINY else TINY)
    value = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        factor = 1.0
        for part in (even, odd):
            d = 1.0 + part * d
            c = 1.0 + part / c
            d = 1.0 / (d if abs(d) > TINY else TINY)
            c = c if abs(c) > TINY else TINY
            factor = d * c
            value *= factor
        if abs(factor - 1.0) < PRECISION:
            break
    return value
