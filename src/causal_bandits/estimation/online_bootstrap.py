"""``online_bootstrap``: replicates with Poisson(1) weights of samples (Oza & Russell 2001)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import BoolArray, FloatArray, IntArray
from causal_bandits.compiled import kernel
from causal_bandits.estimation.compiled_expressions import ARM_ESTIMATORS, CELL_COUNTS, CELL_OPS
from causal_bandits.estimation.tape import add_to_table, bounds, compute_table, sum_of_products


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
    """Update the covariances of arm ``x``'s estimators over the replicates, where one has changed."""
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
