"""Compiled loops over the tapes of `compiled_expressions`, of the data and of the replicates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import BoolArray, FloatArray, IntArray, States
from causal_bandits.compiled import jit
from causal_bandits.estimation.compiled_expressions import ADD, MULTIPLY, CompiledEstimators

#: How many replicates a block of the table holds side by side: a row of a block is 512 bytes, so a whole tape fits into
#: the cache.
LANES = 128


@jit
def bounds(lists: IntArray, family: np.int64, i: int) -> tuple[int, int]:
    """Return ``first`` and ``last``: the items of list ``i`` of a family are ``lists[first:last]``."""
    place = lists[family] + i
    return lists[place], lists[place + 1]


def new_table(compiled: CompiledEstimators, replicates: int) -> NDArray[np.float32]:
    """Create the tapes of many replicates without samples, shape (blocks, rows, `LANES`).

    Constants are filled in; the last block may be padded. Single precision suffices: counts below 2**24 are exact, and
    replicates serve only for covariances.
    """
    shape = (replicates + LANES - 1) // LANES, len(compiled.code), LANES
    return np.broadcast_to(compiled.constant.astype(np.float32)[:, None], shape).copy()


@jit
def cell_of(cell_start: IntArray, stride: IntArray, arm: int, sample: States) -> int:
    """Return the cell of a sample of ``arm``; the first two arguments are fields of `CompiledEstimators`."""
    cell = cell_start[arm]
    for v in range(len(sample)):
        cell += stride[arm, v] * sample[v]
    return cell  # type: ignore[no-any-return]


# The loops below take arrays one by one and index them in place: tuples of arrays, and views, take longer than the
# arithmetic. The reciprocal of zero is zero (ledger L11).


@jit
def compute_values(code: IntArray, values: FloatArray, lists: IntArray, first: int, last: int) -> None:
    """Compute the rows ``lists[first:last]`` of one tape from their operands."""
    for k in range(first, last):
        row = lists[k]
        op, a, b = code[row, 0], code[row, 1], code[row, 2]
        if op == ADD:
            values[row] = values[a] + values[b]
        elif op == MULTIPLY:
            values[row] = values[a] * values[b]
        else:
            values[row] = 1.0 / values[a] if values[a] > 0.0 else 0.0


@jit
def compute_table(
    code: IntArray,
    table: NDArray[np.float32],
    live: BoolArray,
    lists: IntArray,
    first: int,
    last: int,
) -> None:
    """Compute those rows of ``lists[first:last]`` that are live, for all replicates."""
    zero, one = np.float32(0.0), np.float32(1.0)
    for block in range(len(table)):
        for k in range(first, last):
            row = lists[k]
            if not live[row]:
                continue
            op, a, b = code[row, 0], code[row, 1], code[row, 2]
            if op == ADD:
                for i in range(LANES):
                    table[block, row, i] = table[block, a, i] + table[block, b, i]
            elif op == MULTIPLY:
                for i in range(LANES):
                    table[block, row, i] = table[block, a, i] * table[block, b, i]
            else:
                for i in range(LANES):
                    operand = table[block, a, i]
                    table[block, row, i] = one / operand if operand > zero else zero


@jit
def add_to_table(
    table: NDArray[np.float32], weights: NDArray[np.float32], lists: IntArray, first: int, last: int
) -> None:
    """Add ``weights``, one per replicate, to the rows ``lists[first:last]``."""
    for block in range(len(table)):
        for k in range(first, last):
            row = lists[k]
            for i in range(LANES):
                table[block, row, i] += weights[block * LANES + i]


@jit
def sum_of_products(table: NDArray[np.float32], a: int, b: int, lanes: FloatArray) -> float:
    """Sum row ``a`` times row ``b`` over all replicates, or row ``a`` alone if ``b`` is negative.

    ``lanes`` is memory for `LANES` partial sums, which the processor computes in parallel; they are added up as a
    balanced tree.
    """
    for i in range(LANES):
        lanes[i] = 0.0
    if b < 0:
        for block in range(len(table)):
            for i in range(LANES):
                lanes[i] += np.float64(table[block, a, i])
    else:
        for block in range(len(table)):
            for i in range(LANES):
                lanes[i] += np.float64(table[block, a, i]) * np.float64(table[block, b, i])
    for i in range(64):
        lanes[i] += lanes[i + 64]
    for i in range(32):
        lanes[i] += lanes[i + 32]
    for i in range(16):
        lanes[i] += lanes[i + 16]
    for i in range(8):
        lanes[i] += lanes[i + 8]
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))  # type: ignore[no-any-return]
