"""How much regret kl-UCB is expected to have on arms of given means.

It is computed without simulation, and by simulation.
"""

from __future__ import annotations

import math

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import jit
from causal_bandits.policies.kl_ucb import Indices, exploration, largest_index, negative_entropy


@jit
def index_regret(means: FloatArray, counts: FloatArray, t: int, c: float) -> float:
    """Approximate the expected regret of kl-UCB after t rounds from the arms' means alone.

    An index policy plays every arm until all indices are equal: at the level mu with
    ``sum over arms of f(t) / KL(mean, mu) = t``. Solved by Newton's method in the logarithms of both sides.

    Parameters
    ----------
    means : float64 array, shape (kinds,)
        Different means in (0, 1).
    counts : float64 array, shape (kinds,)
        Arms that have each of them.
    t : int
        >= 3.
    c : float
        Of the exploration function, see `causal_bandits.policies.kl_ucb.exploration`.
    """
    best = means.max()
    f = exploration(t, c)
    x = min(math.sqrt(2 * best * (1 - best) * f / t), 0.5 * (1 - best))
    for _ in range(60):
        level, plays, slope = best + x, 0.0, 0.0
        for i in range(len(means)):
            divergence = _divergence(means[i], level)
            plays += counts[i] / divergence
            slope -= counts[i] * (level - means[i]) / (level * (1 - level)) / divergence**2
        step = math.log(plays * f / t) * plays / (x * slope)
        x = min(x * math.exp(min(max(-step, -2.0), 2.0)), 0.5 * (x + 1 - best))
        if abs(step) < 1e-9:
            break
    regret = 0.0
    for i in range(len(means)):
        regret += counts[i] * (best - means[i]) * f / _divergence(means[i], best + x)
    return regret


@jit
def _divergence(p: float, q: float) -> float:
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


@jit
def play_curves(
    means: FloatArray, rounds: IntArray, runs: int, c: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Play runs of kl-UCB on Bernoulli arms, every arm once first in a random order.

    Parameters
    ----------
    means : float64 array, shape (arms,)
    rounds : int64 array, shape (checkpoints,)
        Ascending; a run ends with the last.
    runs : int
    c : float
    rng : numpy.random.Generator

    Returns
    -------
    expected, drawn : float64 arrays, shape (runs, checkpoints)
        Regret up to each checkpoint by the means of the arms played and by the rewards drawn.
    """
    best = means.max()
    expected, drawn = np.empty((runs, len(rounds))), np.empty((runs, len(rounds)))
    n = len(means)
    for run in range(runs):
        indices = Indices(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(1, dtype=np.int64))
        ones, order = np.zeros(n), rng.permutation(n)
        lost, missed, k = 0.0, 0.0, 0
        for t in range(rounds[-1]):
            arm = order[t] if t < n else largest_index(exploration(t, c), indices, rng)
            reward = 1.0 if rng.random() < means[arm] else 0.0
            ones[arm] += reward
            indices.pulls[arm] += 1
            indices.rate[arm] = ones[arm] / indices.pulls[arm]
            indices.entropy[arm] = negative_entropy(indices.rate[arm])
            indices.last[0] = arm
            lost += best - means[arm]
            missed += best - reward
            if t + 1 == rounds[k]:
                expected[run, k], drawn[run, k] = lost, missed
                k += 1
    return expected, drawn
