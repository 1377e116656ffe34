"""The state of weighted averages, and lines 6 and 7 of Algorithm 2 (lee2019), for all methods."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import BoolArray, FloatArray, IntArray
from causal_bandits.compiled import kernel
from causal_bandits.estimation.compiled_expressions import (
    ARM_ESTIMATORS,
    COUNT_CELLS,
    SUPPORT_ESTIMATORS,
    CompiledEstimators,
)
from causal_bandits.estimation.minimum_variance import WEIGHTS, Workspace, new_workspace, solve
from causal_bandits.estimation.poisson import Digits, new_digits
from causal_bandits.estimation.tape import LANES, new_table

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


def new_averages(compiled: CompiledEstimators, method: int | None, replicates: int) -> Averages:
    """Create the state before the first sample.

    Parameters
    ----------
    compiled : CompiledEstimators
    method : int or None
        A value of `METHODS`.
    replicates : int
        B >= 2; the delta method uses none.
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
        new_workspace(most + 1),
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
    solve(m, work)
    mean, variance = weights[WEIGHTS, 0] * trivial, 0.0
    for i in range(1, m):
        mean += weights[WEIGHTS, i] * values[result[chosen[i - 1]]]
    for i in range(m):
        for j in range(m):
            variance += weights[WEIGHTS, i] * covariance[i, j] * weights[WEIGHTS, j]
    return mean, variance, 1.0 - weights[WEIGHTS, 0]
