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

import numpy as np

from causal_bandits.arrays import BoolArray, FloatArray, IntArray, States
from causal_bandits.compiled import kernel
from causal_bandits.estimation.averages import BOOTSTRAP, DELTA, Averages, trivial_estimate, weighted
from causal_bandits.estimation.bootstrap import bootstrap, count_weighted, sample_covariances
from causal_bandits.estimation.compiled_expressions import (
    ARM_ESTIMATORS,
    CELL_COUNTS,
    CELL_OPS,
    CELL_SUPPORTS,
    ESTIMATOR_OPS,
    SOURCE_ARMS,
    SOURCE_ESTIMATORS,
    SUPPORT_ESTIMATORS,
    CompiledEstimators,
)
from causal_bandits.estimation.delta import delta_covariances, update_gradient
from causal_bandits.estimation.minimum_variance import Workspace
from causal_bandits.estimation.poisson import fill_poisson
from causal_bandits.estimation.tape import bounds, cell_of, compute_table, compute_values, sum_of_products


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
        A value of `averages.METHODS`, the same as in `averages.new_averages`.
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
        _count(code, lists, values, cell)
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
            count_weighted(code, lists, table, state.weights, state.live, cell)
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
def _count(code: IntArray, lists: IntArray, values: FloatArray, cell: int) -> None:
    """Add a sample to the counts of the data, and update the rows that depend on them."""
    first, last = bounds(lists, CELL_COUNTS, cell)
    for k in range(first, last):
        values[lists[k]] += 1.0
    first, last = bounds(lists, CELL_OPS, cell)
    compute_values(code, values, lists, first, last)


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
