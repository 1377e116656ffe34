"""Minimum-variance weighted averages of an arm's estimators (lee2019, Algorithm 2, bMVWA), kept up to date.

Three ways to the covariance of the estimators, one interface:

``bootstrap``
    Algorithm 2 as it reads: B resamples of every data set, for each arm, at each call.
``online_bootstrap``
    B replicates that live as long as the run. Each takes every new sample with an independent Poisson(1)
    weight (Oza & Russell 2001), so that at any time they are bootstrap replicates of the data so far; only
    what the new sample touches is computed anew.
``delta``
    No resampling: the delta method on the counts. Estimators are quotients that do not change when all counts
    of an arm are scaled, so their covariance is ``sum over cells c of n_c g_i(c) g_j(c)``, with g the
    gradient in the counts.

In all three the trivial estimator, the share of ones among the arm's own rewards, has mean and variance of
Beta(ones + 1, zeros + 1), and an estimator takes part once its support is covered.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_bandits.compiled import jit
from causal_bandits.estimation.compiled_expressions import (
    ADD,
    ARM_ESTIMATORS,
    ARM_SOURCES,
    CELL_COUNTS,
    CELL_OPS,
    CELL_SUPPORTS,
    COUNT_CELLS,
    ESTIMATOR_CELLS,
    ESTIMATOR_COUNTS,
    ESTIMATOR_OPS,
    LANES,
    MULTIPLY,
    SOURCE_ARMS,
    SOURCE_ESTIMATORS,
    SUPPORT_ESTIMATORS,
    CompiledEstimators,
    add_to_table,
    bounds,
    cell_of,
    compute_table,
    compute_values,
    new_table,
    new_values,
    sum_of_products,
)
from causal_bandits.estimation.minimum_variance import WEIGHTS, Workspace, new_workspace, solve
from causal_bandits.estimation.poisson import Digits, fill_poisson, new_digits

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

BOOTSTRAP, ONLINE_BOOTSTRAP, DELTA = range(3)

#: Names that config files use.
METHODS = {"bootstrap": BOOTSTRAP, "online_bootstrap": ONLINE_BOOTSTRAP, "delta": DELTA}


class Averages(NamedTuple):
    """Everything that is remembered of the samples so far, and the averages that follow from it.

    Attributes
    ----------
    mean, variance : float64 arrays, shape (arms,)
        The weighted average of each arm's estimators and its estimated variance.
    borrowed : float64 array, shape (arms,)
        The weight that expressions have in it, beside the trivial estimator.
    ones, zeros : float64 arrays, shape (arms,)
        Rewards of each arm's own samples.
    cells : float64 array, shape (cells,)
        Samples per cell.
    values : float64 array, shape (rows,)
        The tape of the data.
    table : float32 array, shape (blocks, rows, lanes)
        The tapes of the replicates.
    covered : bool array, shape (estimators,)
        Whether the support of an estimator is covered.
    """

    mean: FloatArray
    variance: FloatArray
    borrowed: FloatArray
    ones: FloatArray
    zeros: FloatArray
    cells: FloatArray
    values: FloatArray
    table: NDArray[np.float32]
    covered: NDArray[np.bool_]
    replicates: int
    weights: NDArray[np.float32]  # of the new sample in each replicate
    digits: Digits
    live: NDArray[np.bool_]  # per row: whether a covered estimator depends on it
    missing: NDArray[np.int64]  # per estimator: marginal cells still without a sample
    seen: NDArray[np.bool_]  # per marginal cell
    changed: NDArray[np.bool_]  # per estimator
    covariance: FloatArray  # of estimators; only pairs of one arm
    total: FloatArray  # per estimator: its sum over the replicates
    gradient: FloatArray  # per estimator and cell
    adjoint: FloatArray  # per row
    lanes: FloatArray
    chosen: NDArray[np.int64]  # the covered estimators of one arm
    work: Workspace


@jit
def new_averages(compiled: CompiledEstimators, method: int, replicates: int) -> Averages:
    """The state before the first sample.

    Parameters
    ----------
    compiled : CompiledEstimators
    method : int
        A value of `METHODS`.
    replicates : int
        B >= 2; the delta method has none.
    """
    arms, rows, estimators = len(compiled.cell_start) - 1, len(compiled.code), len(compiled.result)
    cells = compiled.cell_start[arms]
    b = 0 if method == DELTA else replicates
    table = new_table(compiled, b)
    most = 0
    for arm in range(arms):
        first, last = bounds(compiled.lists, ARM_ESTIMATORS, arm)
        most = max(most, last - first)
    return Averages(
        np.full(arms, 0.5),
        np.full(arms, 1.0 / 12.0),
        np.zeros(arms),
        np.zeros(arms),
        np.zeros(arms),
        np.zeros(cells),
        new_values(compiled),
        table,
        np.zeros(estimators, dtype=np.bool_),
        b,
        np.zeros(len(table) * LANES, dtype=np.float32),
        new_digits(len(table) * LANES),
        np.zeros(rows, dtype=np.bool_),
        compiled.supports.copy(),
        np.zeros(compiled.lists[COUNT_CELLS] - compiled.lists[SUPPORT_ESTIMATORS] - 1, dtype=np.bool_),
        np.zeros(estimators, dtype=np.bool_),
        np.zeros((estimators, estimators)),
        np.zeros(estimators),
        np.zeros((estimators if method == DELTA else 0, cells)),
        np.zeros(rows),
        np.zeros(LANES),
        np.zeros(most, dtype=np.int64),
        new_workspace(most + 1),
    )


@jit
def observe(
    compiled: CompiledEstimators,
    state: Averages,
    method: int,
    arm: int,
    sample: NDArray[np.int8],
    reward: int,
    rng: np.random.Generator,
) -> None:
    """Take in one sample of ``arm`` and bring all averages up to date.

    Parameters
    ----------
    compiled : CompiledEstimators
    state : Averages
        Changed in place.
    method : int
        A value of `METHODS`, the same as in `new_averages`.
    arm : int
    sample : int8 array, shape (variables,)
        All variables, in the order given to `compile_estimators`.
    reward : int
        The reward, 0 or 1.
    rng : numpy.random.Generator
        For the replicates.
    """
    # Helpers below take the arrays they need one by one: to hand on a tuple of arrays costs more than most of
    # them do.
    code, lists, result = compiled.code, compiled.lists, compiled.result
    covered, covariance, values, table = state.covered, state.covariance, state.values, state.table
    if reward == 1:
        state.ones[arm] += 1.0
    else:
        state.zeros[arm] += 1.0
    first, last = bounds(lists, SOURCE_ESTIMATORS, arm)
    if last > first:
        cell = cell_of(compiled.cell_start, compiled.stride, arm, sample)
        _count(code, lists, values, cell)
        if method == ONLINE_BOOTSTRAP:
            digits = state.digits
            fill_poisson(
                state.weights,
                state.replicates,
                digits.words,
                digits.digits,
                digits.undecided,
                digits.undecided_words,
                rng,
            )
            _count_weighted(code, lists, table, state.weights, state.live, cell)
        if state.cells[cell] == 0.0:
            _cover(compiled, state, cell)
        state.cells[cell] += 1.0
    if method == BOOTSTRAP:
        for x in range(len(state.mean)):
            _bootstrap(compiled, state, x, rng)
        return
    for k in range(first, last):
        e = lists[k]
        state.changed[e] = covered[e]
        if covered[e] and method == DELTA:
            _gradient(code, lists, result, values, state.adjoint, state.gradient, e)
        elif covered[e]:
            state.total[e] = sum_of_products(table, result[e], -1, state.lanes)
    arms_first, arms_last = bounds(lists, SOURCE_ARMS, arm)
    for k in range(arms_first, arms_last):
        x = lists[k]
        if method == DELTA:
            _delta_covariance(lists, state.cells, state.gradient, covered, state.changed, covariance, x)
        else:
            _sample_covariance(
                lists,
                result,
                table,
                state.total,
                state.replicates,
                state.lanes,
                covered,
                state.changed,
                covariance,
                x,
            )
        state.mean[x], state.variance[x], state.borrowed[x] = _average(
            lists, result, values, covered, covariance, state.ones, state.zeros, state.chosen, state.work, x
        )
    for k in range(first, last):
        state.changed[lists[k]] = False
    state.mean[arm], state.variance[arm], state.borrowed[arm] = _average(
        lists, result, values, covered, covariance, state.ones, state.zeros, state.chosen, state.work, arm
    )


# ---------------------------------------------------------------------- counts and support


@jit
def _count(code: IntArray, lists: IntArray, values: FloatArray, cell: int) -> None:
    """Enter a sample into the counts of the data, and compute anew what depends on them."""
    first, last = bounds(lists, CELL_COUNTS, cell)
    for k in range(first, last):
        values[lists[k]] += 1.0
    first, last = bounds(lists, CELL_OPS, cell)
    compute_values(code, values, lists, first, last)


@jit
def _count_weighted(
    code: IntArray,
    lists: IntArray,
    table: NDArray[np.float32],
    weights: NDArray[np.float32],
    live: NDArray[np.bool_],
    cell: int,
) -> None:
    """The same for the replicates."""
    first, last = bounds(lists, CELL_COUNTS, cell)
    add_to_table(table, weights, lists, first, last)
    first, last = bounds(lists, CELL_OPS, cell)
    compute_table(code, table, live, lists, first, last)


@jit
def _cover(compiled: CompiledEstimators, state: Averages, cell: int) -> None:
    """The first sample in a cell: some estimators may have waited for it."""
    lists = compiled.lists
    first_support, last_support = bounds(lists, CELL_SUPPORTS, cell)
    for k in range(first_support, last_support):
        support = lists[k]
        if state.seen[support]:
            continue
        state.seen[support] = True
        first, last = bounds(lists, SUPPORT_ESTIMATORS, support)
        for i in range(first, last):
            e = lists[i]
            state.missing[e] -= 1
            if state.missing[e] == 0:
                state.covered[e] = True
                first_op, last_op = bounds(lists, ESTIMATOR_OPS, e)
                for j in range(first_op, last_op):
                    state.live[lists[j]] = True
                compute_table(compiled.code, state.table, state.live, lists, first_op, last_op)


# ---------------------------------------------------------------------- the weighted average


@jit
def _average(
    lists: IntArray,
    result: IntArray,
    values: FloatArray,
    covered: NDArray[np.bool_],
    covariances: FloatArray,
    ones: FloatArray,
    zeros: FloatArray,
    chosen: IntArray,
    work: Workspace,
    x: int,
) -> tuple[float, float, float]:
    """Lines 5 to 7 of Algorithm 2 for arm ``x``, from the covariances at hand: mean and variance."""
    trivial, variance = _trivial(ones[x], zeros[x])
    covariance = work.covariance
    covariance[0, 0] = variance
    m = 1
    first, last = bounds(lists, ARM_ESTIMATORS, x)
    for k in range(first, last):
        e = lists[k]
        if covered[e]:
            covariance[m, 0] = covariance[0, m] = 0.0  # an arm's own samples are in no other estimator of it
            for i in range(1, m):
                covariance[m, i] = covariance[i, m] = covariances[e, chosen[i - 1]]
            covariance[m, m] = covariances[e, e]
            chosen[m - 1] = e
            m += 1
    return _weighted(result, values, chosen, work, m, trivial)


@jit
def _trivial(ones: float, zeros: float) -> tuple[float, float]:
    """Mean and variance of Beta(ones + 1, zeros + 1)."""
    n = ones + zeros + 2.0
    mean = (ones + 1.0) / n
    return mean, mean * (1.0 - mean) / (n + 1.0)


@jit
def _weighted(
    result: IntArray, values: FloatArray, chosen: IntArray, work: Workspace, m: int, trivial: float
) -> tuple[float, float, float]:
    """Lines 6 and 7 of Algorithm 2: the trivial and ``m - 1`` chosen estimators, covariance laid out."""
    covariance, weights = work.covariance, work.vectors
    if m == 1:
        return trivial, covariance[0, 0], 0.0
    solve(m, work)
    mean, variance = weights[WEIGHTS, 0] * trivial, 0.0
    for i in range(1, m):
        mean += weights[WEIGHTS, i] * values[result[chosen[i - 1]]]
    for i in range(m):
        for j in range(m):
            variance += weights[WEIGHTS, i] * covariance[i, j] * weights[WEIGHTS, j]
    return mean, variance, 1.0 - weights[WEIGHTS, 0]


# ---------------------------------------------------------------------- covariances


@jit
def _sample_covariance(
    lists: IntArray,
    result: IntArray,
    table: NDArray[np.float32],
    total: FloatArray,
    b: int,
    lanes: FloatArray,
    covered: NDArray[np.bool_],
    changed: NDArray[np.bool_],
    covariances: FloatArray,
    x: int,
) -> None:
    """Covariances over the replicates: estimators of arm ``x`` that have changed with all of arm ``x``."""
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


@jit
def _delta_covariance(
    lists: IntArray,
    counts: FloatArray,
    gradient: FloatArray,
    covered: NDArray[np.bool_],
    changed: NDArray[np.bool_],
    covariances: FloatArray,
    x: int,
) -> None:
    """The same by the delta method: the sum of n_c g_e(c) g_f(c) over the cells of e."""
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


@jit
def _gradient(
    code: IntArray,
    lists: IntArray,
    result: IntArray,
    values: FloatArray,
    adjoint: FloatArray,
    gradient: FloatArray,
    e: int,
) -> None:
    """Derivative of estimator ``e`` by the samples in each cell: the tape of the data, backwards."""
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


# ---------------------------------------------------------------------- Algorithm 2 as it reads


@jit
def _bootstrap(compiled: CompiledEstimators, state: Averages, x: int, rng: np.random.Generator) -> None:
    """BMVWA (Algorithm 2) for arm ``x``, with bootstrap samples of its own."""
    lists, result, table, chosen = compiled.lists, compiled.result, state.table, state.chosen
    b, n = state.replicates, state.ones[x] + state.zeros[x]
    trivial, variance = _trivial(state.ones[x], state.zeros[x])
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
        own = np.full(b, 0.5)  # line 4 for the trivial estimator: bootstrap samples of the arm's own rewards
        if n > 0.0:
            for i in range(b):
                own[i] = rng.binomial(int(n), state.ones[x] / n) / n
        own -= own.mean()
        # The trivial estimator's variance is that of the Beta; its correlations are the bootstrap's (ledger
        # L12).
        spread = math.sqrt((own * own).sum() / (b - 1))
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
                product += own[k] * table[k // LANES, result[e], k % LANES]
            covariance[i, 0] = covariance[0, i] = scale * product / (b - 1)
    state.mean[x], state.variance[x], state.borrowed[x] = _weighted(
        result, state.values, chosen, state.work, m, trivial
    )


@jit
def _resample(compiled: CompiledEstimators, state: Averages, arm: int, rng: np.random.Generator) -> None:
    """Draw as many samples as ``arm`` has, with replacement, for every replicate, cell by cell."""
    lists, table, weights, b = compiled.lists, state.table, state.weights, state.replicates
    total = 0
    for cell in range(compiled.cell_start[arm], compiled.cell_start[arm + 1]):
        total += int(state.cells[cell])
        first, last = bounds(lists, CELL_COUNTS, cell)
        for k in range(first, last):
            table[:, lists[k], :] = np.float32(0.0)
    left, left_of_data = np.full(b, total), total
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
