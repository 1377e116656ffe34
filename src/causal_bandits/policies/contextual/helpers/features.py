"""Code shared by policies for contextual bandits: features, and prior knowledge by name."""

from __future__ import annotations

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.models.contextual import ContextualBandit


def feature_vectors(problem: ContextualBandit, intercept: bool) -> FloatArray:
    """Return x = [c, x_a], with a constant 1 if ``intercept``; shape (contexts, arms, d) (L53)."""
    if not intercept:
        return problem.features
    ones = np.ones((*problem.features.shape[:2], 1))
    return np.ascontiguousarray(np.concatenate([problem.features, ones], axis=-1))


def context_indicators(problem: ContextualBandit) -> FloatArray:
    """Return one-hot indicators of the context as x, the same for all arms; shape (contexts, arms, contexts)."""
    indicators = np.eye(len(problem.contexts))[:, None]
    return np.ascontiguousarray(np.repeat(indicators, len(problem.arms), axis=1))


def prior_knowledge(problem: ContextualBandit, name: str) -> FloatArray:
    """Return one array of ``problem.prior``, shape (contexts, arms).

    Raises
    ------
    ValueError
        If the prior has no array of this name.
    """
    if name not in problem.prior:
        raise ValueError(f"no prior {name!r}; the problem has {', '.join(sorted(problem.prior)) or 'none'}")
    return np.ascontiguousarray(problem.prior[name], dtype=np.float64)


def prior_bounds(problem: ContextualBandit, name: str) -> FloatArray:
    """Return causal bounds of the prior, for instance ``lower`` or ``upper``; shape (contexts, arms).

    Raises
    ------
    ValueError
        If the prior has no bounds of this name, or an entry is NaN (if nothing is known, a bound should be vacuous).
    """
    bounds = prior_knowledge(problem, name)
    if np.isnan(bounds).any():
        raise ValueError(f"prior {name!r}: an entry is not a number; expected a vacuous bound where nothing is known")
    return bounds
