"""The smallest asymptotic regret of any consistent learner on arms that say nothing about each other.

A learner is consistent if its regret grows more slowly than every power of the number T of rounds, on every problem of
a class. On arms with rewards of 0 and 1, each with any mean in [0, 1], its regret is then asymptotically at least
C log T (natural logarithm). C says nothing about the regret after a small number of rounds.

Source: Lai & Robbins (1985), "Asymptotically efficient adaptive allocation rules".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import rel_entr

from causal_bandits.arrays import FloatArray

#: Means that differ by less than this count as equal.
EQUAL = 1e-12


def bernoulli_divergence(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """Compute the Kullback-Leibler divergence kl(p, q) of two Bernoulli distributions in nats.

    It is infinite where q is 0 or 1 and p differs from it.
    """
    p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    return np.asarray(rel_entr(p, q) + rel_entr(1.0 - p, 1.0 - q))


def lai_robbins(means: ArrayLike) -> float:
    """Compute the constant of Lai and Robbins for independent arms with binary rewards.

    Parameters
    ----------
    means : array, shape (arms,)
        Each in [0, 1].

    Returns
    -------
    float
        The sum of (largest mean - mean) / kl(mean, largest mean) over the arms that are not best.

    Raises
    ------
    ValueError
        If there is no arm, or a mean is not in [0, 1].

    Examples
    --------
    >>> round(lai_robbins([0.3, 0.6]), 6)
    1.632325
    """
    mu = np.asarray(means, dtype=np.float64)
    if mu.ndim != 1 or not len(mu) or not ((mu >= 0) & (mu <= 1)).all():
        raise ValueError(f"means={mu.tolist()}: expected at least one number, all from 0 to 1")
    gaps = mu.max() - mu
    worse = gaps > EQUAL
    return float((gaps[worse] / bernoulli_divergence(mu[worse], mu.max())).sum())
