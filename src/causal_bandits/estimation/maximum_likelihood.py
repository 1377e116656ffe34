"""Maximum likelihood of a binary GLM (BGLM-estimate; xiong2023, Algorithm 2).

For every variable the estimate solves sum_t (X_t - f(theta V_t)) V_t = 0, where V_t holds the values of its parents and
a 1 for the global variable. The sum is over configurations of the parents, not rounds, so its cost does not depend on
the number of rounds. Newton's method starts from the last estimate. With a linear link the equation is that of least
squares, solved in one step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray, States
from causal_bandits.compiled import kernel
from causal_bandits.models.compiled_glm import CompiledGLM

#: The maximum number of parents of a variable: a variable's counts have a cell for each joint value of its parents.
MOST_PARENTS = 16
#: A logistic coefficient larger than this counts as infinite: the classes are separated, and no estimate exists (yet).
LARGEST = 30.0
#: Newton's method has converged once no coefficient moves by more than this times the largest of 1 and the
#: coefficients' magnitudes.
CONVERGED = 1e-11
#: The longest step that is not shortened, and the maximum number of steps.
LONGEST, STEPS = 5.0, 100


class ParentCounts(NamedTuple):
    """Counts of observations by the configuration of each variable's parents.

    Attributes
    ----------
    start : int64 array, shape (variables + 1,)
        The cells of variable ``v`` are ``start[v]`` to ``start[v + 1]``; bit i of a cell's index is the i-th parent.
    rounds, ones : float64 arrays
        How often each cell was observed, and how often the variable was 1 in it.
    room : float64 array, shape (coefficients + 2, coefficients)
        Memory for `fit`, sized for the variable with the most parents: coefficients, score and information.
    """

    start: IntArray
    rounds: FloatArray
    ones: FloatArray
    room: FloatArray

    @classmethod
    def empty(cls, model: CompiledGLM) -> ParentCounts:
        """Create the counts before the first observation.

        Raises
        ------
        ValueError
            If a variable has more than `MOST_PARENTS` parents.
        """
        parents = np.diff(model.start)
        if parents.max() > MOST_PARENTS:
            raise ValueError(f"a variable has {parents.max()} parents; expected at most {MOST_PARENTS}")
        start = np.concatenate([[0], np.cumsum(1 << parents)])
        most = parents.max() + 1
        return cls(start, np.zeros(start[-1]), np.zeros(start[-1]), np.zeros((most + 2, most)))


@kernel
def observe(counts: ParentCounts, model: CompiledGLM, values: States) -> None:
    """Count one observation: the states of all variables."""
    for v in range(len(values)):
        cell = counts.start[v]
        for i in range(model.start[v], model.start[v + 1]):
            cell += np.int64(values[model.parent[i]]) << (i - model.start[v])
        counts.rounds[cell] += 1
        counts.ones[cell] += values[v]


@kernel
def fit(counts: ParentCounts, model: CompiledGLM) -> bool:
    """Update the coefficients ``model.base`` and ``model.weight`` in place, starting from their current values.

    Returns
    -------
    bool
        Whether every variable has an estimate. A variable has none while too few configurations have been observed, or,
        with a logistic link, while the observations are separated; its coefficients are then 0.
    """
    whole = True
    for v in range(len(model.base)):
        first, d = model.start[v], model.start[v + 1] - model.start[v] + 1
        theta = counts.room[0]
        theta[0] = model.base[v]
        for i in range(1, d):
            theta[i] = model.weight[first + i - 1]
        found = _newton(counts, v, model.logistic[v], d)
        model.base[v] = theta[0] if found else 0.0
        for i in range(1, d):
            model.weight[first + i - 1] = theta[i] if found else 0.0
        whole &= found
    return whole


@kernel
def _newton(counts: ParentCounts, v: int, logistic: bool, d: int) -> bool:
    """Solve the equation of variable ``v`` by Newton's method; return whether it has a solution.

    The ``d`` coefficients are in the first row of ``counts.room``, before and after.
    """
    theta, score, information = counts.room[0], counts.room[1], counts.room[2:]
    for _ in range(STEPS):
        _gather(counts, v, logistic, d)
        if not _solve(information, score, d):
            return False
        longest, largest = 0.0, 0.0
        for i in range(d):
            longest = max(longest, abs(score[i]))
        part = LONGEST / longest if logistic and longest > LONGEST else 1.0
        for i in range(d):
            theta[i] += part * score[i]
            largest = max(largest, abs(theta[i]))
        if not logistic:
            return True
        if largest > LARGEST:
            return False
        if longest <= CONVERGED * max(1.0, largest):
            return True
    return False


@kernel
def _gather(counts: ParentCounts, v: int, logistic: bool, d: int) -> None:
    """Write the score and the lower half of the information matrix of variable ``v`` into ``counts.room``."""
    theta, score, information, start = counts.room[0], counts.room[1], counts.room[2:], counts.start[v]
    for i in range(d):
        score[i] = 0.0
        for j in range(i + 1):
            information[i, j] = 0.0
    for cell in range(counts.start[v + 1] - start):
        n = counts.rounds[start + cell]
        if n == 0.0:
            continue
        mean = theta[0]
        for i in range(1, d):
            if cell >> (i - 1) & 1:
                mean += theta[i]
        slope = 1.0
        if logistic:
            mean = 1.0 / (1.0 + math.exp(-mean))
            slope = mean * (1.0 - mean)
        residual, weight = counts.ones[start + cell] - n * mean, n * slope
        for i in range(d):
            if i == 0 or cell >> (i - 1) & 1:
                score[i] += residual
                for j in range(i + 1):
                    if j == 0 or cell >> (j - 1) & 1:
                        information[i, j] += weight


@kernel
def _solve(matrix: FloatArray, right: FloatArray, d: int) -> bool:
    """Solve a symmetric d x d system, overwriting ``right``; return False if it is singular.

    Only the lower half of ``matrix`` is read.
    """
    for i in range(d):
        largest = matrix[i, i]
        for j in range(i + 1):
            for k in range(j):
                matrix[i, j] -= matrix[i, k] * matrix[j, k]
            if i == j:
                if matrix[i, i] <= 1e-10 * largest or largest <= 0.0:
                    return False
                matrix[i, i] = math.sqrt(matrix[i, i])
            else:
                matrix[i, j] /= matrix[j, j]
    for i in range(d):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(d - 1, -1, -1):
        for k in range(i + 1, d):
            right[i] -= matrix[k, i] * right[k]
        right[i] /= matrix[i, i]
    return True
