"""What the linear policies of a contextual bandit share: features, prior knowledge by name, the largest index."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from causal_bandits.compiled import jit
from causal_bandits.models.contextual import ContextualBandit

FloatArray = NDArray[np.float64]

#: Indices that agree this closely tie: far above rounding errors, far below what samples tell apart.
TIE = 1e-10


def feature_vectors(problem: ContextualBandit, intercept: bool) -> FloatArray:
    """X = [c, x_a], and a constant one if ``intercept``; shape (contexts, arms, d) (ledger L53)."""
    if not intercept:
        return problem.features
    ones = np.ones((*problem.features.shape[:2], 1))
    return np.ascontiguousarray(np.concatenate([problem.features, ones], axis=-1))


def prior_knowledge(problem: ContextualBandit, name: str) -> FloatArray:
    """One array of ``problem.prior``, shape (contexts, arms).

    Raises
    ------
    ValueError
        If the problem has none of this name.
    """
    if name not in problem.prior:
        raise ValueError(f"no prior {name!r}; the problem has {', '.join(sorted(problem.prior)) or 'none'}")
    return np.ascontiguousarray(problem.prior[name], dtype=np.float64)


def prior_bounds(problem: ContextualBandit, name: str) -> FloatArray:
    """The prior ``lower`` or ``upper``, shape (contexts, arms).

    Raises
    ------
    ValueError
        If there is none, or an entry is not a number (a cell about which nothing is known has a vacuous bound).
    """
    bounds = prior_knowledge(problem, name)
    if np.isnan(bounds).any():
        raise ValueError(f"prior {name!r}: an entry is not a number; a cell without a bound has a vacuous one")
    return bounds


@jit
def largest(index: FloatArray, rng: np.random.Generator, tie: float = TIE) -> int:
    """The number of the largest entry; ties, within ``tie``, uniformly at random (ledger L54)."""
    bound = index[0]
    for a in range(1, len(index)):
        bound = max(bound, index[a])
    bound -= tie
    ties = 0
    for a in range(len(index)):
        ties += index[a] >= bound
    chosen = int(rng.random() * ties) if ties > 1 else 0
    for a in range(len(index)):
        if index[a] >= bound:
            if chosen == 0:
                return a
            chosen -= 1
    return 0
