"""Minimum-variance weighted averages of an arm's estimators (bMVWA; lee2019, Algorithm 2).

They are updated with every sample. Three methods estimate the covariance of the estimators:

``bootstrap``
    Algorithm 2 as printed: B resamples of every data set, for each arm, at each call.
``online_bootstrap``
    B replicates that last for the whole run. Each takes every new sample with an independent Poisson(1)
    weight (Oza & Russell 2001), so at any time they are bootstrap replicates of the data so far. Only what depends
    on the new sample is recomputed.
``delta``
    No resampling: the delta method on the counts. Estimators do not change if all counts of an arm are
    multiplied by a number, so their covariance is ``sum over cells c of n_c g_i(c) g_j(c)``, with g the
    gradient with respect to the counts.

In all three the trivial estimator, the share of ones among the arm's own rewards, has the mean and variance of
Beta(ones + 1, zeros + 1), and an estimator takes part once its support is covered.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import BoolArray, FloatArray, IntArray, States
from causal_bandits.compiled import kernel
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
    MULTIPLY,
    SOURCE_ARMS,
    SOURCE_ESTIMATORS,
    SUPPORT_ESTIMATORS,
    CompiledEstimators,
)
from causal_bandits.estimation.minimum_variance import EXACT, WEIGHTS, Workspace, new_workspace, solve_as_asked
from causal_bandits.estimation.poisson import Digits, fill_poisson, new_digits
from causal_bandits.estimation.tape import (
    LANES,
    add_to_table,
    bounds,
    cell_of,
    compute_table,
    compute_values,
    new_table,
    sum_of_products,
)

BOOTSTRAP, DELTA = range(2)

#: The methods by the names that config files use. The usual method is None, not a number: the compiler drops branches
#: on None, and with them the code of the other two methods, which takes longer to compile than the rest.
METHODS = {"bootstrap": BOOTSTRAP, "online_bootstrap": None, "delta": DELTA}


class Averages(NamedTuple):
    """The state of a run: counts of the samples so far, and the averages that follow from them.

    Attributes
    ----------
    mean, variance : float64 arrays, shape (arms,)
        The weighted average of each arm's estimators and its estimated variance.
    borrowed : float64 array, shape (arms,)
        The total weight in this average of the expressions, that is, of all estimators but the trivial one.
    ones, zeros : float64 arrays, shape (arms,)
        How many of each arm's own samples had reward 1 and how many had reward 0.
    cells : float64 array, shape (cells,)
        Samples per cell.
    values : float64 array, shape (rows,)
        The tape of the data.
    table : float32 array, shape (rows, replicates)
        The tapes of the replicates; rows are padded (`tape.new_table`).
    covered : bool array, shape (estimators,)
        Whether the support of each estimator is covered.
    """

    mean: FloatArray
    variance: FloatArray
    borrowed: FloatArray
    ones: FloatArray
    zeros: FloatArray
    cells: FloatArray
    values: FloatArray
    table: NDArray[np.float32]
    covered: BoolArray
    replicates: int
    weights: NDArray[np.float32]  # of the new sample in each replicate
    digits: Digits
    live: BoolArray  # per row: whether a covered estimator depends on it
    missing: IntArray  # per estimator: marginal cells still without a sample
    seen: BoolArray  # per marginal cell
    changed: BoolArray  # per estimator
    covariance: FloatArray  # of estimators; only pairs of the same arm
    total: FloatArray  # per estimator: its sum over the replicates
    gradient: FloatArray  # per estimator and cell
    adjoint: FloatArray  # per row
    lanes: FloatArray
    own: FloatArray  # for the bootstrap as printed: an arm's own rewards, per replicate
    left: IntArray  # likewise: samples still to be drawn, per replicate
    chosen: IntArray  # the covered estimators of one arm
    work: Workspace


def new_averages(
    compiled: CompiledEstimators, method: int | None, replicates: int, solver: int = EXACT, tolerance: float = 0.0
) -> Averages:
    """Create the state before the first sample.

    Parameters
    ----------
    compiled : CompiledEstimators
    method : int or None
        A value of `METHODS`.
    replicates : int
        B >= 2; the delta method uses none.
    solver : int
        What finds the weights: a value of `minimum_variance.SOLVERS`.
    tolerance : float
        Where it stops.
    """
    arms, rows, estimators = len(compiled.cell_start) - 1, len(compiled.code), len(compiled.result)
    cells = compiled.cell_start[arms]
    b = 0 if method == DELTA else replicates
    table = new_table(compiled, b)
    of_arms = compiled.lists[ARM_ESTIMATORS] + np.arange(arms + 1)
    most = int(np.diff(compiled.lists[of_arms]).max())
    return Averages(
        np.full(arms, 0.5),
        np.full(arms, 1.0 / 12.0),
        np.zeros(arms),
        np.zeros(arms),
        np.zeros(arms),
        np.zeros(cells),
        compiled.constant.copy(),
        table,
        np.zeros(estimators, dtype=np.bool_),
        b,
        np.zeros(table.shape[1], dtype=np.float32),
        new_digits(table.shape[1]),
        np.zeros(rows, dtype=np.bool_),
        compiled.supports.copy(),
        np.zeros(compiled.lists[COUNT_CELLS] - compiled.lists[SUPPORT_ESTIMATORS] - 1, dtype=np.bool_),
        np.zeros(estimators, dtype=np.bool_),
        np.zeros((estimators, estimators)),
        np.zeros(estimators),
        np.zeros((estimators if method == DELTA else 0, cells)),
        np.zeros(rows),
        np.zeros(LANES),
        np.zeros(b),
        np.zeros(b, dtype=np.int64),
        np.zeros(most, dtype=np.int64),
        new_workspace(most + 1, solver, tolerance, estimators),
    )


@kernel
def trivial_estimate(ones: float, zeros: float) -> tuple[float, float]:
    """Return the mean and variance of Beta(ones + 1, zeros + 1)."""
    n = ones + zeros + 2.0
    mean = (ones + 1.0) / n
    return mean, mean * (1.0 - mean) / (n + 1.0)


@kernel
def weighted(
    result: IntArray, values: FloatArray, chosen: IntArray, work: Workspace, m: int, trivial: float
) -> tuple[float, float, float]:
    """Average the trivial and ``m - 1`` chosen estimators (Algorithm 2, lines 6 and 7).

    Their covariance is read from ``work``. Returns the mean, the variance and the weight of the expressions.
    """
    covariance, weights = work.covariance, work.vectors
    if m == 1:
        return trivial, covariance[0, 0], 0.0
    solve_as_asked(m, chosen, work)
    mean, variance = weights[WEIGHTS, 0] * trivial, 0.0
    for i in range(1, m):
        mean += weights[WEIGHTS, i] * values[result[chosen[i - 1]]]
    for i in range(m):
        for j in range(m):
            variance += weights[WEIGHTS, i] * covariance[i, j] * weights[WEIGHTS, j]
    return mean, variance, 1.0 - weights[WEIGHTS, 0]


@kernel
def observe(
    compiled: CompiledEstimators,
    state: Averages,
    method: int | None,
    arm: int,
    sample: States,
    reward: float,
    rng: np.random.Generator,
) -> None:
    """Add one sample of ``arm`` and update all averages.

    Parameters
    ----------
    compiled : CompiledEstimators
    state : Averages
        Changed in place.
    method : int or None
        A value of `METHODS`, the same as in `new_averages`.
    arm : int
    sample : int8 array, shape (variables,)
        All variables, in the order given to `compile_estimators`.
    reward : float
        The reward, 0 or 1.
    rng : numpy.random.Generator
        For the replicates.
    """
    # The helpers below take arrays one by one: passing a whole state takes longer than most of the helpers do.
    code, lists, result = compiled.code, compiled.lists, compiled.result
    covered, covariance, values, table = state.covered, state.covariance, state.values, state.table
    if reward == 1:
        state.ones[arm] += 1.0
    else:
        state.zeros[arm] += 1.0
    first, last = bounds(lists, SOURCE_ESTIMATORS, arm)
    if last > first:
        cell = cell_of(compiled.cell_start, compiled.stride, arm, sample)
        first_count, last_count = bounds(lists, CELL_COUNTS, cell)
        first_op, last_op = bounds(lists, CELL_OPS, cell)
        for k in range(first_count, last_count):
            values[lists[k]] += 1.0
        compute_values(code, values, state.live, lists, first_op, last_op)
        if method is None:
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
            add_to_table(table, state.weights, lists, first_count, last_count)
            compute_table(code, table, state.live, lists, first_op, last_op)
        if state.cells[cell] == 0.0:
            _cover(compiled, state, cell)
        state.cells[cell] += 1.0
    if method is not None and method == BOOTSTRAP:
        for x in range(len(state.mean)):
            bootstrap(compiled, state, x, rng)
        return
    for k in range(first, last):
        e = lists[k]
        state.changed[e] = covered[e]
        if not covered[e]:
            continue
        if method is not None and method == DELTA:
            update_gradient(code, lists, result, values, state.adjoint, state.gradient, e)
        else:
            state.total[e] = sum_of_products(table, result[e], -1, state.lanes)
    arms_first, arms_last = bounds(lists, SOURCE_ARMS, arm)
    for k in range(arms_first, arms_last):
        x = lists[k]
        if not _any_changed(lists, state.changed, x):
            continue
        if method is not None and method == DELTA:
            delta_covariances(lists, state.cells, state.gradient, covered, state.changed, covariance, x)
        else:
            sample_covariances(
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


@kernel
def _any_changed(lists: IntArray, changed: BoolArray, x: int) -> bool:
    """Return whether one of arm ``x``'s estimators has changed; if none has, neither has their average."""
    found = False
    first, last = bounds(lists, ARM_ESTIMATORS, x)
    for k in range(first, last):
        found = found or changed[lists[k]]
    return found


@kernel
def _cover(compiled: CompiledEstimators, state: Averages, cell: int) -> None:
    """Record the first sample in a cell, and mark the estimators that waited for it as covered."""
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
                compute_values(compiled.code, state.values, state.live, lists, first_op, last_op)
                compute_table(compiled.code, state.table, state.live, lists, first_op, last_op)


@kernel
def _average(
    lists: IntArray,
    result: IntArray,
    values: FloatArray,
    covered: BoolArray,
    covariances: FloatArray,
    ones: FloatArray,
    zeros: FloatArray,
    chosen: IntArray,
    work: Workspace,
    x: int,
) -> tuple[float, float, float]:
    """Compute arm ``x``'s mean, variance and weight of the expressions (Algorithm 2, lines 5 to 7)."""
    trivial, variance = trivial_estimate(ones[x], zeros[x])
    covariance = work.covariance
    covariance[0, 0] = variance
    m = 0
    first, last = bounds(lists, ARM_ESTIMATORS, x)
    for k in range(first, last):
        e = lists[k]
        if covered[e]:
            chosen[m] = e
            m += 1
            covariance[m, 0] = covariance[0, m] = 0.0  # no other estimator of an arm uses its own samples
            for i in range(1, m):
                covariance[m, i] = covariance[i, m] = covariances[e, chosen[i - 1]]
            covariance[m, m] = covariances[e, e]
    return weighted(result, values, chosen, work, m + 1, trivial)


@kernel
def bootstrap(compiled: CompiledEstimators, state: Averages, x: int, rng: np.random.Generator) -> None:
    """Compute bMVWA (Algorithm 2) for arm ``x``, with its own bootstrap samples."""
    lists, result, table, chosen = compiled.lists, compiled.result, state.table, state.chosen
    b, n = state.replicates, state.ones[x] + state.zeros[x]
    trivial, variance = trivial_estimate(state.ones[x], state.zeros[x])
    covariance = state.work.covariance
    covariance[0, 0] = variance
    m = 0
    first, last = bounds(lists, ARM_ESTIMATORS, x)
    for k in range(first, last):
        if state.covered[lists[k]]:
            chosen[m] = lists[k]
            m += 1
    if m > 0:
        first, last = bounds(lists, ARM_SOURCES, x)
        for k in range(first, last):
            _resample(compiled, state, lists[k], rng)  # lines 2 and 3
        for i in range(m):
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
        for i in range(1, m + 1):  # line 5
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
    state.mean[x], state.variance[x], state.borrowed[x] = weighted(
        result, state.values, chosen, state.work, m + 1, trivial
    )


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
