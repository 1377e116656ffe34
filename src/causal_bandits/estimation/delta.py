"""The method ``delta``: the delta method applied to the counts."""

from __future__ import annotations

from causal_bandits.arrays import BoolArray, FloatArray, IntArray
from causal_bandits.compiled import kernel
from causal_bandits.estimation.compiled_expressions import (
    ADD,
    ARM_ESTIMATORS,
    COUNT_CELLS,
    ESTIMATOR_CELLS,
    ESTIMATOR_COUNTS,
    ESTIMATOR_OPS,
    MULTIPLY,
)
from causal_bandits.estimation.tape import bounds


@kernel
def update_gradient(
    code: IntArray,
    lists: IntArray,
    result: IntArray,
    values: FloatArray,
    adjoint: FloatArray,
    gradient: FloatArray,
    e: int,
) -> None:
    """Differentiate estimator ``e`` with respect to the counts of all cells: run the tape of the data backwards."""
    first_count, last_count = bounds(lists, ESTIMATOR_COUNTS, e)
    first_op, last_op = bounds(lists, ESTIMATOR_OPS, e)
    first_cell, last_cell = bounds(lists, ESTIMATOR_CELLS, e)
    for k in range(first_count, last_count):
        adjoint[lists[k]] = 0.0
    for k in range(first_op, last_op):
        adjoint[lists[k]] = 0.0
    adjoint[result[e]] = 1.0
    for k in range(last_op - 1, first_op - 1, -1):
        row = lists[k]
        op, a, b = code[row, 0], code[row, 1], code[row, 2]
        if op == ADD:
            adjoint[a] += adjoint[row]
            adjoint[b] += adjoint[row]
        elif op == MULTIPLY:
            adjoint[a] += adjoint[row] * values[b]
            adjoint[b] += adjoint[row] * values[a]
        else:
            adjoint[a] -= adjoint[row] * values[row] * values[row]
    for k in range(first_cell, last_cell):
        gradient[e, lists[k]] = 0.0
    for k in range(first_count, last_count):
        first, last = bounds(lists, COUNT_CELLS, lists[k])
        for i in range(first, last):
            gradient[e, lists[i]] += adjoint[lists[k]]


@kernel
def delta_covariances(
    lists: IntArray,
    counts: FloatArray,
    gradient: FloatArray,
    covered: BoolArray,
    changed: BoolArray,
    covariances: FloatArray,
    x: int,
) -> None:
    """Update the covariances of arm ``x``'s estimators, for those estimators that have changed.

    The covariance of e and f is the sum of ``n_c g_e(c) g_f(c)`` over the cells c of e.
    """
    first, last = bounds(lists, ARM_ESTIMATORS, x)
    for k in range(first, last):
        e = lists[k]
        if not changed[e]:
            continue
        first_cell, last_cell = bounds(lists, ESTIMATOR_CELLS, e)
        for j in range(first, last):
            f = lists[j]
            if covered[f] and (f <= e or not changed[f]):
                value = 0.0
                for i in range(first_cell, last_cell):
                    c = lists[i]
                    value += counts[c] * gradient[e, c] * gradient[f, c]
                covariances[e, f] = covariances[f, e] = value
