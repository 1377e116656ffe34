"""Weights of the minimum-variance convex combination of correlated estimators.

``min w' S w`` over ``w >= 0, sum w = 1`` is the search for the point of least norm in the convex hull of m points
whose inner products are S. Wolfe's algorithm solves it exactly in finitely many steps, even if S is singular. Where
general-purpose solvers stop before the minimum can be asked for too (`SOLVERS`).

Source: Wolfe (1976), "Finding the nearest point in a polytope"; the problem is lee2019, Algorithm 2, line 6.
"""

from __future__ import annotations

import math
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
    solver : int
        A value of `SOLVERS`.
    tolerance : float
        Where it stops.
    last : float64 array, shape (estimators,)
        The weight that each of many estimators had last.
    """

    covariance: FloatArray
    vectors: FloatArray
    members: IntArray
    system: FloatArray
    solver: int
    tolerance: float
    last: FloatArray


#: Rows of `Workspace.vectors`.
WEIGHTS, PREVIOUS, GRADIENT, CANDIDATE = range(4)

EXACT, EARLY, WARM = range(3)

#: What finds the weights, by the names that config files use (ledger L14). ``exact``: the minimum. ``early``: the way
#: from equal weights straight to the minimum, up to where the variance is at most the tolerance above its minimum.
#: ``warm``: as SLSQP started from the last weights, which it keeps if the slope of its first step is below the
#: tolerance; otherwise the minimum.
SOLVERS = {"exact": EXACT, "early": EARLY, "warm": WARM}


def new_workspace(m: int, solver: int = EXACT, tolerance: float = 0.0, estimators: int = 0) -> Workspace:
    """Allocate the workspace for problems of up to ``m`` of a number of ``estimators``."""
    vectors, members, system = np.zeros((4, m)), np.zeros(m, dtype=np.int64), np.zeros((m + 1, m + 2))
    return Workspace(np.zeros((m, m)), vectors, members, system, solver, tolerance, np.zeros(estimators))


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
def solve_as_asked(m: int, chosen: IntArray, work: Workspace) -> None:
    """Solve the problem of size ``m`` in ``work`` as ``work.solver`` does.

    Parameters
    ----------
    m : int
    chosen : int64 array, shape (at least m - 1,)
        Which of all estimators follow the first one.
    work : Workspace
    """
    solve(m, work)
    if work.solver == EXACT:
        return
    x, last = work.vectors, work.last
    x[PREVIOUS, 0] = 1.0
    for i in range(1, m):
        x[PREVIOUS, i] = 1.0 / m if work.solver == EARLY else last[chosen[i - 1]]
        x[PREVIOUS, 0] -= x[PREVIOUS, i]
    back = _way_back(m, work) if work.solver == EARLY else 1.0 if _slope(m, work) < work.tolerance else 0.0
    for i in range(m):
        x[WEIGHTS, i] += back * (x[PREVIOUS, i] - x[WEIGHTS, i])
    for i in range(1, m):
        last[chosen[i - 1]] = x[WEIGHTS, i]


@kernel
def _way_back(m: int, work: Workspace) -> float:
    """Compute how far from the minimum towards the start, as a share, the variance is at most ``tolerance`` higher."""
    covariance, x, tolerance = work.covariance, work.vectors, work.tolerance
    square, slope = 0.0, 0.0  # the variance at a share s is square s^2 + slope s higher
    for i in range(m):
        for j in range(m):
            away = covariance[i, j] * (x[PREVIOUS, i] - x[WEIGHTS, i])
            square += away * (x[PREVIOUS, j] - x[WEIGHTS, j])
            slope += 2.0 * away * x[WEIGHTS, j]
    if square + slope <= tolerance:
        return 1.0
    slope, square = max(slope, 0.0), max(square, 0.0)  # negative only through rounding
    root = math.sqrt(slope * slope + 4.0 * square * tolerance)
    return 2.0 * tolerance / (slope + root) if tolerance > 0.0 else 0.0


@kernel
def _slope(m: int, work: Workspace) -> float:
    """Compute by how much the variance falls per step of SLSQP's first direction, at the start.

    That is the projection of the negative gradient on ``sum w = 1``, without the weights that are zero and would become
    negative; its slope is its squared length.
    """
    covariance, x = work.covariance, work.vectors
    for i in range(m):
        x[GRADIENT, i] = 0.0
        for j in range(m):
            x[GRADIENT, i] += 2.0 * covariance[i, j] * x[PREVIOUS, j]
    size, level = m + 1, math.inf
    while True:
        total, free = 0.0, 0
        for i in range(m):
            if x[PREVIOUS, i] > 0.0 or x[GRADIENT, i] < level:
                total += x[GRADIENT, i]
                free += 1
        if free == size:
            break
        size, level = free, total / free
    slope = 0.0
    for i in range(m):
        if x[PREVIOUS, i] > 0.0 or x[GRADIENT, i] < level:
            slope += (x[GRADIENT, i] - level) ** 2
    return slope


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
