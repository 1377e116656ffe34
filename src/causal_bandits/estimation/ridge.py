"""Ridge regression, one sample at a time, for compiled loops.

A = lambda I + sum w x x', b = sum w r x, theta = A^-1 b. Only A^-1 is stored, updated by the Sherman-Morrison formula.
Its rounding errors are proportional to 1 / lambda, while the smallest eigenvalue of A^-1 is that of the direction seen
most, 1 / (lambda + sum of squares). So the features and the number of samples must not be too large for lambda: once 1
/ lambda is about 10^12 times that eigenvalue, x' A^-1 x can come out negative. `check_condition` refuses such
regressions. After 15,000 updates with features of length up to about 2, the inverse is off by less than 1e-9 (lambda >=
1; a test compares it with the inverse of the accumulated A). `causal_bandits.estimation.factored_ridge` is for features
of any scale. The loops do not call BLAS: with a small number of features they are as fast, and their results do not
depend, even in the last bit, on which BLAS is installed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.compiled import kernel

#: The minimum ratio of the smallest eigenvalue of A^-1 to the largest.
LEAST = 1e-12


class Ridge(NamedTuple):
    """The state of several regressions, for instance one per arm; `learn` changes it in place.

    Attributes
    ----------
    inverse : float64 array, shape (models, d, d)
        A^-1 of each, exactly symmetric.
    b : float64 array, shape (models, d)
    theta : float64 array, shape (models, d)
        A^-1 b of each.
    room : float64 array, shape (d,)
        Memory for `learn`: A^-1 x.
    """

    inverse: FloatArray
    b: FloatArray
    theta: FloatArray
    room: FloatArray


def start(models: int, d: int, penalty: float) -> Ridge:
    """Create ``models`` regressions on ``d`` features without samples: A = penalty I (> 0), b = 0."""
    inverse = np.tile(np.eye(d) / penalty, (models, 1, 1))
    return Ridge(inverse, np.zeros((models, d)), np.zeros((models, d)), np.empty(d))


def check_condition(ridge: Ridge, penalty: float) -> None:
    """Refuse regressions whose inverse has lost precision in the directions seen most.

    Parameters
    ----------
    ridge : Ridge
    penalty : float
        > 0, the initial lambda.

    Raises
    ------
    ValueError
        If an entry is not finite, or the smallest eigenvalue of an A^-1 is below `LEAST` times the largest, now or at
        the start.
    """
    lost = ~np.array(
        [np.isfinite(a).all() and np.isfinite(t).all() for a, t in zip(ridge.inverse, ridge.theta, strict=True)]
    )
    if not lost.any() and ridge.inverse.size:
        eigenvalues = np.linalg.eigvalsh(ridge.inverse)
        lost = eigenvalues[:, 0] < LEAST * np.maximum(eigenvalues[:, -1], 1 / penalty)
    if lost.any():
        raise ValueError(
            f"ridge regression {int(lost.argmax())} of {len(lost)}: the features or rewards are so large for the "
            "penalty that double precision loses the regression; divide them by their spread, or use a larger penalty"
        )


@kernel
def learn(ridge: Ridge, model: int, x: FloatArray, reward: float, weight: float = 1.0) -> None:
    """Add a sample of ``weight`` w >= 0: A += w x x', b += w r x."""
    inverse, b, theta = ridge.inverse[model], ridge.b[model], ridge.theta[model]
    d, z = len(x), ridge.room
    scale = 1.0  # 1 + w x' A^-1 x
    for i in range(d):
        total = 0.0
        for j in range(d):
            total += inverse[i, j] * x[j]
        z[i] = total
        scale += weight * x[i] * total
    shrink = weight / scale
    for i in range(d):
        for j in range(d):
            inverse[i, j] -= shrink * (z[i] * z[j])
        b[i] += weight * reward * x[i]
    for i in range(d):
        total = 0.0
        for j in range(d):
            total += inverse[i, j] * b[j]
        theta[i] = total


@kernel
def estimate(ridge: Ridge, model: int, x: FloatArray) -> float:
    """Return theta' x, the estimate of the mean at ``x``."""
    total = 0.0
    for i in range(len(x)):
        total += ridge.theta[model, i] * x[i]
    return total


@kernel
def width(ridge: Ridge, model: int, x: FloatArray) -> float:
    """Return sqrt(x' A^-1 x), the norm of ``x`` in A^-1."""
    return math.sqrt(max(squared_width(ridge, model, x), 0.0))


@kernel
def squared_width(ridge: Ridge, model: int, x: FloatArray) -> float:
    """Return x' A^-1 x, the square of `width`."""
    inverse = ridge.inverse[model]
    total = 0.0
    for i in range(len(x)):
        row = 0.0
        for j in range(len(x)):
            row += inverse[i, j] * x[j]
        total += x[i] * row
    return total
