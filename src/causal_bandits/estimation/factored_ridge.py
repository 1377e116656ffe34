"""Ridge regression, one sample at a time, for features of any scale.

A = lambda I + sum w x x' and b = sum w r x, as in `causal_bandits.estimation.ridge`. The state is the Cholesky factor L
of A = L L', and z = L^-1 b. A sample is added by Givens rotations of [L | sqrt(w) x] and [z | sqrt(w) r], which keep L
triangular (Golub & Van Loan, "Matrix Computations", Section 6.5). Neither A nor its inverse is ever formed, so rounding
errors stay small relative to each feature's own size: features may be time stamps. The loops do not call BLAS, so their
results do not depend, even in the last bit, on which BLAS is installed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.compiled import jit

#: The largest magnitude of features and rewards; their squares are then far from overflow.
LARGEST = 1e100
#: The minimum ratio of a pivot of L to its row's length; a smaller pivot has fewer than three correct digits.
LEAST_PIVOT = 1e3 * np.finfo(np.float64).eps


class FactoredRidge(NamedTuple):
    """The state of several regressions, for instance one per arm; `learn` changes it in place.

    Attributes
    ----------
    factor : float64 array, shape (models, d, d)
        L of each, lower triangular.
    projected : float64 array, shape (models, d)
        z = L^-1 b of each.
    """

    factor: FloatArray
    projected: FloatArray


def start(models: int, d: int, penalty: float) -> FactoredRidge:
    """Create ``models`` regressions on ``d`` features without samples: A = penalty I (> 0), b = 0."""
    factor = np.tile(np.eye(d) * math.sqrt(penalty), (models, 1, 1))
    return FactoredRidge(factor, np.zeros((models, d)))


def learn(ridge: FactoredRidge, model: int, x: FloatArray, reward: float, weight: float = 1.0) -> None:
    """Add a sample of ``weight`` w >= 0: A += w x x', b += w r x.

    Raises
    ------
    ValueError
        If the reward, a feature or the weight is not finite or exceeds 1e100 in magnitude, or if features have
        become so nearly dependent for their size that double precision cannot tell them apart. The state is then
        unchanged.
    """
    for name, values, fit in (
        ("reward", reward, abs(reward) <= LARGEST),
        ("features", x, _fits(x)),
        ("weight", weight, abs(weight) <= LARGEST),
    ):
        if not fit:
            raise ValueError(f"{name}={np.asarray(values).tolist()}: expected finite numbers of at most {LARGEST:g}")
    scale = math.sqrt(weight)
    factor, projected, lost = _rotated(ridge.factor[model], ridge.projected[model], scale * x, scale * reward)
    if lost >= 0:
        raise ValueError(
            f"features {x.tolist()}: feature {lost} is so large, or so nearly a combination of those "
            "before it, that double precision loses the regression; subtract its mean, divide by its spread, or leave "
            "it out"
        )
    ridge.factor[model], ridge.projected[model] = factor, projected


def indices(ridge: FactoredRidge, features: FloatArray, arms: int, alpha: float) -> FloatArray:
    """Return each arm's theta' x + alpha sqrt(x' A^-1 x), shape (arms,).

    Parameters
    ----------
    ridge : FactoredRidge
        One regression per arm, or one for all.
    features : float64 array, shape (arms, d) or (1, d)
        One row per arm, or one for all.
    arms : int
    alpha : float
    """
    return np.asarray(_indices(ridge.factor, ridge.projected, features, arms, alpha))


@jit
def _fits(x: FloatArray) -> bool:
    """Return whether all numbers are finite and at most `LARGEST`."""
    return bool((np.abs(x) <= LARGEST).all())


@jit
def _rotated(
    factor: FloatArray, projected: FloatArray, x: FloatArray, reward: float
) -> tuple[FloatArray, FloatArray, int]:
    """Return L and z with one more sample, and the first feature whose pivot lost too many digits, or -1."""
    new, z, row = factor.copy(), projected.copy(), x.copy()
    for i in range(len(x)):
        length = math.hypot(new[i, i], row[i])
        c, s = new[i, i] / length, row[i] / length
        for j in range(i, len(x)):
            kept = new[j, i]
            new[j, i] = c * kept + s * row[j]
            row[j] = c * row[j] - s * kept
        kept = z[i]
        z[i] = c * kept + s * reward
        reward = c * reward - s * kept
    for i in range(len(x)):
        if new[i, i] < LEAST_PIVOT * math.sqrt((new[i] ** 2).sum()):
            return new, z, i
    return new, z, -1


@jit
def _projections(factor: FloatArray, projected: FloatArray, x: FloatArray) -> tuple[float, float]:
    """Return z' u and u' u, where L u = x."""
    u = x.copy()
    estimate, squared = 0.0, 0.0
    for i in range(len(x)):
        for j in range(i):
            u[i] -= factor[i, j] * u[j]
        u[i] /= factor[i, i]
        estimate += projected[i] * u[i]
        squared += u[i] * u[i]
    return estimate, squared


@jit
def _indices(factor: FloatArray, projected: FloatArray, features: FloatArray, arms: int, alpha: float) -> FloatArray:
    value = np.empty(arms)
    for a in range(arms):
        model = a if len(factor) > 1 else 0
        estimate, squared = _projections(factor[model], projected[model], features[a if len(features) > 1 else 0])
        value[a] = estimate + alpha * math.sqrt(squared)
    return value
