"""What the linear policies of a contextual bandit share: features, and prior knowledge by name."""

from __future__ import annotations

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.models.contextual import ContextualBandit


def feature_vectors(problem: ContextualBandit, intercept: bool) -> FloatArray:
    """X = [c, x_a], and a constant one if ``intercept``; shape (contexts, arms, d) (ledger L53)."""
    if not intercept:
        return problem.features
    ones = np.ones((*problem.features.shape[:2], 1))
    return np.ascontiguousarray(np.concatenate([problem.features, ones], axis=-1))


def context_indicators(problem: ContextualBandit) -> FloatArray:
    """X of a context: which of the contexts it is, whatever the arm; shape (contexts, arms, contexts)."""
    indicators = np.eye(len(problem.contexts))[:, None]
    return np.ascontiguousarray(np.repeat(indicators, len(problem.arms), axis=1))


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
    """Causal bounds in the prior, ``lower`` or ``upper`` or another, shape (contexts, arms).

    Raises
    ------
    ValueError
        If there is none, or an entry is not a number (a cell about which nothing is known has a vacuous bound).
    """
    bounds = prior_knowledge(problem, name)
    if np.isnan(bounds).any():
        raise ValueError(f"prior {name!r}: an entry is not a number; a cell without a bound has a vacuous one")
    return bounds
