"""Weights of the minimum-variance convex combination of correlated estimators.

``min w' S w`` over ``w >= 0, sum w = 1`` is the search for the point of least norm in the convex hull of m points
whose inner products are S. Wolfe's algorithm solves it exactly in finitely many steps, even if S is singular.

Source: Wolfe (1976), "Finding the nearest point in a polytope"; the problem is lee2019, Algorithm 2, line 6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import kernel


class Workspace(NamedTuple):
    """Working memory of the solver, reused by loops that solve many problems.

    Attributes
    ----------
    covariance : float64 array, shape (m, m)
        The problem; a smaller problem uses the upper left corner.
    vectors : float64 array, shape (4, m)
        `WEIGHTS` is the solution; the others are intermediate results.
    members : int64 array, shape (m,)
        The estimators with positive weight.
    system : float64 array, shape (m + 1, m + 2)
        A linear system.
    """

    covariance: FloatArray
    vectors: FloatArray
    members: IntArray
    system: FloatArray


#: Rows of `Workspace.vectors`.
WEIGHTS, PREVIOUS, GRADIENT, CANDIDATE = range(4)


def new_workspace(m: int) -> Workspace:
    """Allocate the workspace for problems of up to ``m`` estimators."""
    return Workspace(np.zeros((m, m)), np.zeros((4, m)), np.zeros(m, dtype=np.int64), np.zeros((m + 1, m + 2)))


@kernel
def solve(m: int, work: Workspace) -> None:
    """Solve the problem of size ``m`` in ``work``; the solution is ``work.vectors[WEIGHTS]``."""
    covariance, x, members = work.covariance, work.vectors, work.members
    best = 0
    for i in range(m):
        x[WEIGHTS, i] = 0.0
        if covariance[i, i] < covariance[best, best]:
            best = i
    x[WEIGHTS, best] = 1.0
    members[0], size = best, 1  # the support ("corral"): affinely independent points
    for i in range(m):
        x[GRADIENT, i] = covariance[i, best]  # covariance @ weights
    variance = covariance[best, best]
    while size < m:
        # The point furthest below the plane through the current optimum.
        entering = -1
        for i in range(m):
            if x[WEIGHTS, i] == 0.0 and (entering < 0 or x[GRADIENT, i] < x[GRADIENT, entering]):
                entering = i
        if entering < 0 or x[GRADIENT, entering] >= variance - 1e-12 * abs(variance):
            return
        for i in range(m):
            x[PREVIOUS, i] = x[WEIGHTS, i]
        members[size] = entering
        size = _descend(size + 1, work)
        lower = 0.0
        for i in range(m):
            x[GRADIENT, i] = 0.0
            for k in range(size):
                x[GRADIENT, i] += covariance[i, members[k]] * x[WEIGHTS, members[k]]
            lower += x[WEIGHTS, i] * x[GRADIENT, i]
        if not lower < variance:  # no gain beyond rounding: the previous weights were optimal
            for i in range(m):
                x[WEIGHTS, i] = x[PREVIOUS, i]
            return
        variance = lower


@kernel
def _descend(size: int, work: Workspace) -> int:
    """Move towards the optimum over the members' affine hull; members whose weight reaches zero are removed."""
    x, members = work.vectors, work.members
    while True:
        _affine_minimum(size, work)
        step, blocking = 1.0, -1
        for k in range(size):
            i = members[k]
            if x[CANDIDATE, i] <= 0.0:
                reach = x[WEIGHTS, i] / (x[WEIGHTS, i] - x[CANDIDATE, i]) if x[WEIGHTS, i] > 0.0 else 0.0
                if reach < step or blocking < 0:
                    step, blocking = reach, i
        kept = 0
        for k in range(size):
            i = members[k]
            x[WEIGHTS, i] += step * (x[CANDIDATE, i] - x[WEIGHTS, i])
            if i == blocking or x[WEIGHTS, i] < 0.0:  # negative only through rounding: it blocks at the same step
                x[WEIGHTS, i] = 0.0
            else:
                members[kept] = i
                kept += 1
        size = kept
        if blocking < 0:
            return size


@kernel
def _affine_minimum(size: int, work: Workspace) -> None:
    """Minimise over weights of the members that sum to one and may be negative: solve one linear system.

    The system is ``covariance w = variance`` on the members and ``sum w = 1`` (the multiplier is the unknown after the
    weights).
    """
    covariance, x, members, system = work.covariance, work.vectors, work.members, work.system
    n = size + 1
    scale = 0.0
    for k in range(size):
        scale = max(scale, covariance[members[k], members[k]])
    scale = scale if scale > 0.0 else 1.0
    for k in range(size):
        for j in range(size):
            system[k, j] = covariance[members[k], members[j]] / scale
        system[k, size], system[k, n] = 1.0, 0.0
        system[size, k] = 1.0
    system[size, size], system[size, n] = 0.0, 1.0
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(system[i, k]) > abs(system[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(k, n + 1):
                system[k, j], system[pivot, j] = system[pivot, j], system[k, j]
        for i in range(k + 1, n):
            ratio = system[i, k] / system[k, k]
            for j in range(k + 1, n + 1):
                system[i, j] -= ratio * system[k, j]
    for k in range(n - 1, -1, -1):
        value = system[k, n]
        for j in range(k + 1, n):
            value -= system[k, j] * system[j, n]
        system[k, n] = value / system[k, k]
    for k in range(size):
        x[CANDIDATE, members[k]] = system[k, n]
