"""Sums of products of tables; the order of summation is kept for tables with the same axes and shapes."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import opt_einsum

from causal_bandits.arrays import FloatArray


def contract(factors: Sequence[tuple[FloatArray, Sequence[int]]], output: Sequence[int]) -> FloatArray:
    """Multiply tables and sum over every axis that is not in the output.

    Parameters
    ----------
    factors : sequence of (array, sequence of int)
        Tables, and a label for each of their axes; axes with the same label have the same length.
    output : sequence of int
        Labels of the result's axes, in order; each is a label of a factor.

    Returns
    -------
    array, one axis per label of ``output``
    """
    tables = [table for table, _ in factors]
    labelled = tuple((table.shape, tuple(axes)) for table, axes in factors)
    return np.asarray(_plan(labelled, tuple(output))(*tables), dtype=np.float64)


@lru_cache(maxsize=4096)
def _plan(
    labelled: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...], output: tuple[int, ...]
) -> Callable[..., FloatArray]:
    """Find the best order of summation (kept, because finding it takes longer than the summation itself)."""
    plan: Callable[..., FloatArray] = opt_einsum.contract_expression(*(part for f in labelled for part in f), output)
    return plan
