"""Compiled loops over the tapes of `compiled_expressions`: that of the data and those of the replicates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import BoolArray, FloatArray, IntArray, States
from causal_bandits.compiled import kernel
from causal_bandits.estimation.compiled_expressions import ADD, MULTIPLY, CompiledEstimators

#: How many partial sums over replicates are computed in parallel.
LANES = 128


@kernel
def bounds(lists: IntArray, family: np.int64, i: int) -> tuple[int, int]:
    """Return ``first`` and ``last``: the items of list ``i`` of a family are ``lists[first:last]``."""
    place = lists[family] + i
    return lists[place], lists[place + 1]


def new_table(compiled: CompiledEstimators, replicates: int) -> NDArray[np.float32]:
    """Create the tapes of many replicates before the first sample, shape (rows, replicates).

    Constants are filled in; rows are padded to a multiple of `LANES`. Single precision suffices: counts below 2**24
    are exact, and replicates serve only for covariances.
    """
    shape = len(compiled.code), (replicates + LANES - 1) // LANES * LANES
    return np.broadcast_to(compiled.constant.astype(np.float32)[:, None], shape).copy()


@kernel
def cell_of(cell_start: IntArray, stride: IntArray, arm: int, sample: States) -> int:
    """Return the cell of a sample of ``arm``; the first two arguments are fields of `CompiledEstimators`."""
    cell = cell_start[arm]
    for v in range(len(sample)):
        cell += stride[arm, v] * sample[v]
    return cell  # type: ignore[no-any-return]


# The loops below take arrays one by one and index them in place: tuples of arrays, and views, take longer than the
# arithmetic. The reciprocal of zero is zero (ledger L11).


@kernel
def compute_values(code: IntArray, values: FloatArray, live: BoolArray, lists: IntArray, first: int, last: int) -> None:
    """Compute, from their operands, those rows of ``lists[first:last]`` of one tape for which ``live`` is true."""
    for k in range(first, last):
        row = lists[k]
        if not live[row]:
            continue
        op, a, b = code[row, 0], code[row, 1], code[row, 2]
        if op == ADD:
            values[row] = values[a] + values[b]
        elif op == MULTIPLY:
            values[row] = values[a] * values[b]
        else:
            values[row] = 1.0 / values[a] if values[a] > 0.0 else 0.0


@kernel
def compute_table(
    code: IntArray,
    table: NDArray[np.float32],
    live: BoolArray,
    lists: IntArray,
    first: int,
    last: int,
) -> None:
    """Compute, for all replicates, those rows of ``lists[first:last]`` for which ``live`` is true."""
    zero, one = np.float32(0.0), np.float32(1.0)
    replicates = table.shape[1]
    for k in range(first, last):
        row = lists[k]
        if not live[row]:
            continue
        op, a, b = code[row, 0], code[row, 1], code[row, 2]
        if op == ADD:
            for i in range(replicates):
                table[row, i] = table[a, i] + table[b, i]
        elif op == MULTIPLY:
            for i in range(replicates):
                table[row, i] = table[a, i] * table[b, i]
        else:
            for i in range(replicates):
                table[row, i] = one / table[a, i] if table[a, i] > zero else zero


@kernel
def add_to_table(
    table: NDArray[np.float32], weights: NDArray[np.float32], lists: IntArray, first: int, last: int
) -> None:
    """Add ``weights``, one per replicate, to the rows ``lists[first:last]``."""
    for k in range(first, last):
        row = lists[k]
        for i in range(table.shape[1]):
            table[row, i] += weights[i]


@kernel
def sum_of_products(table: NDArray[np.float32], a: int, b: int, lanes: FloatArray) -> float:
    """Sum row ``a`` times row ``b`` over all replicates, or row ``a`` alone if ``b`` is negative.

    ``lanes`` is memory for `LANES` partial sums, which the processor computes in parallel; they are added up as a
    balanced tree.
    """
    n = table.shape[1]
    fours = n // (4 * LANES) * (4 * LANES)
    for i in range(LANES):
        lanes[i] = 0.0
    for first in range(0, fours, 4 * LANES):  # four products are added before they go back to memory
        second, third, fourth = first + LANES, first + 2 * LANES, first + 3 * LANES
        if b < 0:
            for i in range(LANES):
                two = lanes[i] + np.float64(table[a, first + i]) + np.float64(table[a, second + i])
                lanes[i] = two + np.float64(table[a, third + i]) + np.float64(table[a, fourth + i])
        else:
            for i in range(LANES):
                one = lanes[i] + np.float64(table[a, first + i]) * np.float64(table[b, first + i])
                two = one + np.float64(table[a, second + i]) * np.float64(table[b, second + i])
                three = two + np.float64(table[a, third + i]) * np.float64(table[b, third + i])
                lanes[i] = three + np.float64(table[a, fourth + i]) * np.float64(table[b, fourth + i])
    for first in range(fours, n, LANES):
        if b < 0:
            for i in range(LANES):
                lanes[i] += np.float64(table[a, first + i])
        else:
            for i in range(LANES):
                lanes[i] += np.float64(table[a, first + i]) * np.float64(table[b, first + i])
    for i in range(64):
        lanes[i] += lanes[i + 64]
    for i in range(32):
        lanes[i] += lanes[i + 32]
    for i in range(16):
        lanes[i] += lanes[i + 16]
    for i in range(8):
        lanes[i] += lanes[i + 8]
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))  # type: ignore[no-any-return]
