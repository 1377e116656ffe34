"""Evaluate the regret bounds of Theorems 5 to 8 for a problem and the causal bounds in its prior.

All of them concern one theta shared by all arms, with x = [context, arm, 1], and assume 1-sub-Gaussian noise (that of a
binary reward is 1/2-sub-Gaussian). None applies to LinUCB with one theta per arm.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.allocation import allocate
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.policies.contextual.helpers.features import feature_vectors, prior_bounds
from causal_bandits.policies.contextual.oam import confidence


def ruled_out(problem: ContextualBandit) -> NDArray[np.bool_]:
    """Return whether the bounds rule out each arm, U_{a,c} < mu*_c for the true mu*, shape (contexts, arms).

    The number of arms ruled out is N_pcb (after Theorem 6).
    """
    return np.asarray(prior_bounds(problem, "upper") < problem.means.max(axis=1, keepdims=True) - 1e-12)


def _kept(problem: ContextualBandit, with_bounds: bool) -> NDArray[np.bool_]:
    return ~ruled_out(problem) if with_bounds else np.ones(problem.means.shape, dtype=bool)


def _gaps(problem: ContextualBandit) -> FloatArray:
    gaps = problem.means.max(axis=1, keepdims=True) - problem.means
    return np.where(gaps < 1e-12, 0.0, gaps)


def linear_model(problem: ContextualBandit) -> FloatArray:
    """Solve E[reward | do(a), c] = theta' x for theta, shape (d,); of several solutions, that with the smallest norm.

    Raises
    ------
    ValueError
        If the mean reward is not linear in the features.
    """
    features = feature_vectors(problem, True)
    x, means = features.reshape(-1, features.shape[-1]), problem.means.ravel()
    theta = np.linalg.lstsq(x, means)[0]
    error = float(np.abs(x @ theta - means).max())
    if error > 1e-9:
        raise ValueError(f"the mean reward is not linear in context and arm (off by up to {error:.2g})")
    return np.asarray(theta)


def lin_ucb_bound(
    problem: ContextualBandit,
    horizon: int,
    *,
    with_bounds: bool,
    penalty: float = 1.0,
    delta: float | None = None,
) -> float:
    """Compute Theorem 5's bound on the regret of LinUCB-PCB, which holds with probability 1 - delta.

    It is sqrt(2 T g) * 2 (sqrt(lambda) M + sqrt(2 log(1/delta) + g)) with g = d log(1 + T L^2/(d lambda)). The causal
    bounds enter only through L, the largest norm of a feature vector that they do not rule out; Theorem 6 relies on
    this.

    Parameters
    ----------
    problem : ContextualBandit
        Its mean reward must be linear in the features; M is the norm of its theta.
    horizon : int
        T.
    with_bounds : bool
        Whether L leaves out the arms that the problem's prior rules out (LinUCB-PCB) or not (LinUCB).
    penalty : float
        lambda. The proof (Lemma 3) needs at least max(1, L^2), which Algorithm 4's lambda = 1 violates if L > 1.
    delta : float, optional
        Not published; 1/T by default.
    """
    features = feature_vectors(problem, True)
    d = features.shape[-1]
    longest = float(np.linalg.norm(features, axis=-1)[_kept(problem, with_bounds)].max())
    growth = d * math.log(1 + horizon * longest**2 / (d * penalty))
    norm = float(np.linalg.norm(linear_model(problem)))
    log_inverse_delta = math.log(horizon) if delta is None else -math.log(delta)
    radius = math.sqrt(penalty) * norm + math.sqrt(2 * log_inverse_delta + growth)
    return math.sqrt(2 * horizon * growth) * 2 * radius


def allocation_value(problem: ContextualBandit, *, with_bounds: bool, bounded: str = "kept") -> float:
    """Compute V(theta, A) of Theorem 7: the smallest regret per log T that separates every arm from the best.

    Parameters
    ----------
    problem : ContextualBandit
    with_bounds : bool
        Whether arms that the problem's prior rules out are left out of the sums of Eq. 21 and 22.
    bounded : "kept" or "all"
        Which suboptimal arms must meet the constraint (22): those that are not ruled out, or all, as printed. With
        "all", the bounds can only raise V: they remove plays but no constraint (ledger E13).

    Returns
    -------
    float
        ``inf`` if no allocation meets the constraints.
    """
    if bounded not in ("kept", "all"):
        raise ValueError(f"bounded={bounded!r}: expected 'kept' or 'all'")
    linear_model(problem)
    features, gaps, kept = feature_vectors(problem, True), _gaps(problem).ravel(), _kept(problem, with_bounds).ravel()
    constrained = kept if bounded == "kept" else np.ones_like(kept)
    w = allocate(features.reshape(-1, features.shape[-1]), gaps, kept, constrained)
    if np.isnan(w).any():
        return math.inf
    suboptimal = gaps > 0
    return float(2 * (w[suboptimal] @ gaps[suboptimal]))  # Eq. 22 has Delta^2 / 2: twice the plays that Delta^2 needs


def oam_bound(problem: ContextualBandit, horizon: int, *, with_bounds: bool, bounded: str = "kept") -> float:
    """Compute Theorem 7's bound: log T times `allocation_value`; it holds only in the limit of large T."""
    return math.log(horizon) * allocation_value(problem, with_bounds=with_bounds, bounded=bounded)


def oam_confidence(problem: ContextualBandit, horizon: int, c: float = 1.0) -> float:
    """Compute f_n of Algorithm 5, the confidence that its allocation asks for (ledger L57).

    Here delta = 1/n.
    """
    return confidence(horizon, math.log(horizon), feature_vectors(problem, True).shape[-1], c)


def smallest_gap(problem: ContextualBandit) -> float:
    """Compute Delta_min: the smallest positive gap of any arm in any context."""
    gaps = _gaps(problem)
    return float(gaps[gaps > 0].min())


def ucb_bound(problem: ContextualBandit, horizon: int, *, with_bounds: bool) -> float:
    """Compute Theorem 8's bound: 3 sum_a Delta_a + 16 log T sum of 1 / Delta_a over arms not ruled out.

    Raises
    ------
    ValueError
        If the problem has a context.
    """
    if len(problem.contexts) > 1:
        raise ValueError(f"context {list(problem.context)}: Theorem 8 needs a problem without context")
    gaps = _gaps(problem)
    explored = gaps[_kept(problem, with_bounds) & (gaps > 0)]
    return float(3 * gaps.sum() + (16 * math.log(horizon) / explored).sum())
