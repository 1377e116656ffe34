"""Bootstraps: lee2019's Algorithm 2 (bMVWA) as printed, and Poisson(1) weights (Oza & Russell 2001)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import BoolArray, FloatArray, IntArray
from causal_bandits.compiled import kernel
from causal_bandits.estimation.averages import Averages, trivial_estimate, weighted
from causal_bandits.estimation.compiled_expressions import (
    ARM_ESTIMATORS,
    ARM_SOURCES,
    CELL_COUNTS,
    CELL_OPS,
    ESTIMATOR_OPS,
    CompiledEstimators,
)
from causal_bandits.estimation.tape import add_to_table, bounds, compute_table, sum_of_products


@kernel
def bootstrap(compiled: CompiledEstimators, state: Averages, x: int, rng: np.random.Generator) -> None:
    """Compute bMVWA (Algorithm 2) for arm ``x``, with its own bootstrap samples."""
    lists, result, table, chosen = compiled.lists, compiled.result, state.table, state.chosen
    b, n = state.replicates, state.ones[x] + state.zeros[x]
    trivial, variance = trivial_estimate(state.ones[x], state.zeros[x])
    covariance = state.work.covariance
    covariance[0, 0] = variance
    m = 1
    first, last = bounds(lists, ARM_ESTIMATORS, x)
    for k in range(first, last):
        if state.covered[lists[k]]:
            chosen[m - 1] = lists[k]
            m += 1
    if m > 1:
        first, last = bounds(lists, ARM_SOURCES, x)
        for k in range(first, last):
            _resample(compiled, state, lists[k], rng)  # lines 2 and 3
        for i in range(m - 1):
            first, last = bounds(lists, ESTIMATOR_OPS, chosen[i])
            compute_table(compiled.code, table, state.live, lists, first, last)  # line 4
            state.total[chosen[i]] = sum_of_products(table, result[chosen[i]], -1, state.lanes)
        own, mean, squares = state.own, 0.0, 0.0
        for i in range(b):  # line 4 for the trivial estimator: bootstrap samples of the arm's own rewards
            own[i] = rng.binomial(int(n), state.ones[x] / n) / n if n > 0.0 else 0.5
            mean += own[i]
        mean /= b
        for i in range(b):
            own[i] -= mean
            squares += own[i] * own[i]
        # The trivial estimator's variance is that of the Beta distribution; its correlations are the bootstrap's
        # (ledger L12).
        spread = math.sqrt(squares / (b - 1))
        scale = math.sqrt(variance) / spread if spread > 0.0 else 0.0
        for i in range(1, m):  # line 5
            e = chosen[i - 1]
            for j in range(1, i + 1):
                f = chosen[j - 1]
                products = sum_of_products(table, result[e], result[f], state.lanes)
                value = (products - state.total[e] * state.total[f] / b) / (b - 1)
                covariance[i, j] = covariance[j, i] = value if e != f else max(value, 0.0)
            product = 0.0
            for k in range(b):
                product += own[k] * table[result[e], k]
            covariance[i, 0] = covariance[0, i] = scale * product / (b - 1)
    state.mean[x], state.variance[x], state.borrowed[x] = weighted(result, state.values, chosen, state.work, m, trivial)


@kernel
def _resample(compiled: CompiledEstimators, state: Averages, arm: int, rng: np.random.Generator) -> None:
    """Draw as many samples as ``arm`` has, with replacement, for every replicate, cell by cell."""
    lists, table, weights, b = compiled.lists, state.table, state.weights, state.replicates
    total = 0
    for cell in range(compiled.cell_start[arm], compiled.cell_start[arm + 1]):
        total += int(state.cells[cell])
        first, last = bounds(lists, CELL_COUNTS, cell)
        for k in range(first, last):
            for i in range(b):
                table[lists[k], i] = np.float32(0.0)
    left, left_of_data = state.left, total
    for i in range(b):
        left[i] = total
    for cell in range(compiled.cell_start[arm], compiled.cell_start[arm + 1]):
        here = int(state.cells[cell])
        if here == 0:
            continue
        for i in range(b):
            drawn = left[i] if here == left_of_data else rng.binomial(left[i], here / left_of_data)
            left[i] -= drawn
            weights[i] = drawn
        left_of_data -= here
        first, last = bounds(lists, CELL_COUNTS, cell)
        add_to_table(table, weights, lists, first, last)


@kernel
def count_weighted(
    code: IntArray,
    lists: IntArray,
    table: NDArray[np.float32],
    weights: NDArray[np.float32],
    live: BoolArray,
    cell: int,
) -> None:
    """Add a sample to the replicates' counts, with its weights, and update the rows that depend on them."""
    first, last = bounds(lists, CELL_COUNTS, cell)
    add_to_table(table, weights, lists, first, last)
    first, last = bounds(lists, CELL_OPS, cell)
    compute_table(code, table, live, lists, first, last)


@kernel
def sample_covariances(
    lists: IntArray,
    result: IntArray,
    table: NDArray[np.float32],
    total: FloatArray,
    b: int,
    lanes: FloatArray,
    covered: BoolArray,
    changed: BoolArray,
    covariances: FloatArray,
    x: int,
) -> None:
    """Update the covariances of arm ``x``'s estimators over the replicates, for pairs in which one has changed."""
    first, last = bounds(lists, ARM_ESTIMATORS, x)
    for k in range(first, last):
        e = lists[k]
        if not changed[e]:
            continue
        for j in range(first, last):
            f = lists[j]
            if covered[f] and (f <= e or not changed[f]):
                products = sum_of_products(table, result[e], result[f], lanes)
                value = (products - total[e] * total[f] / b) / (b - 1)
                covariances[e, f] = covariances[f, e] = value if e != f else max(value, 0.0)
