"""Causal bounds from a finite sample that all hold at once with a stated probability (L93).

`BCE.bounds` uses relative frequencies as if they were the distribution, so its interval can miss the effect. Here exact
one-sided confidence limits of binomial proportions (Clopper and Pearson 1934) replace them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from causal_bandits import checks
from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.bounds import BCE
from causal_bandits.estimation.count_tables import Table


def confident_bounds(
    bce: BCE, counts: ArrayLike, variables: Sequence[str], confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Compute bounds on P(Y=1 | do(x), c) that all hold at once with probability ``confidence``.

    For a substitute W the effect lies between the smallest and the largest P(y | x, c, w, S=1) over w. The smallest
    lower limit can exceed the effect only if the limit for the w with the smallest probability exceeds that
    probability. So each side of each cell (x, c) needs one statement per substitute, and the error is split among 2 x
    cells x substitutes statements (Bonferroni), whatever the number of states of W.

    Parameters
    ----------
    bce : BCE
        With conditional substitutes; bounds from c-factors have no such limits and are refused.
    counts : array, one axis per variable
        The numbers of selected units, which are independent draws from P(v | S=1).
    variables : sequence of str
        As in `BCE.bounds`.
    confidence : float
        In (0, 1).

    Returns
    -------
    lower, upper : arrays, shape (states of context 1, ..., states of treatment 1, ...)
        In [0, 1]; vacuous where no substitute implies a bound.

    Raises
    ------
    ValueError
        As in `BCE.bounds`; or if the method is not ``conditional_substitute``, a count is not a whole number, or
        ``confidence`` is not in (0, 1).
    """
    if bce.method != "conditional_substitute":
        raise ValueError(f"method: {bce.method!r}, expected 'conditional_substitute'")
    table = Table.checked(counts, variables, [v for v in bce.graph.nodes if v != bce.selection])
    check_confidence(confidence, table)
    cell = [*bce.context, *bce.treatment]
    if table.shape([bce.outcome]) != (2,):
        raise ValueError(f"outcome: {bce.outcome} has {table.shape([bce.outcome])[0]} states, expected 2")
    shape = table.shape(cell)
    lower, upper = np.zeros(shape), np.ones(shape)
    statements = 2 * prod(shape) * len(bce.substitutes)
    for substitute in bce.substitutes:
        w = sorted(substitute)
        zeros, ones = np.moveaxis(table.marginal([*cell, *w, bce.outcome]), -1, 0)
        low, high = share_limits(ones, zeros, (1 - confidence) / statements)
        over = tuple(range(len(cell), len(cell) + len(w)))
        lower, upper = np.maximum(lower, low.min(axis=over)), np.minimum(upper, high.max(axis=over))
    return np.minimum(lower, upper), np.maximum(lower, upper)


def check_confidence(confidence: float, table: Table) -> None:
    """Raise a ValueError unless ``confidence`` is in (0, 1) and the table holds counts."""
    checks.check("confidence", confidence, checks.CONFIDENCE)
    if (table.array != np.floor(table.array)).any():
        raise ValueError("the table holds numbers that are not counts; expected whole numbers")


def share_limits(ones: FloatArray, zeros: FloatArray, error: float) -> tuple[FloatArray, FloatArray]:
    """Compute one-sided confidence limits of proportions, each wrong with probability at most ``error``.

    The limits are those of Clopper and Pearson (1934).

    Parameters
    ----------
    ones, zeros : arrays of the same shape
        The numbers of independent units that have the property and that do not.
    error : float
        In (0, 1).

    Returns
    -------
    lower, upper : arrays of this shape
        In [0, 1]; 0 and 1 without data.
    """
    low = np.where(ones > 0, betaincinv(np.maximum(ones, 1), zeros + 1, error), 0.0)
    high = np.where(zeros > 0, betaincinv(ones + 1, np.maximum(zeros, 1), 1 - error), 1.0)
    return low, high
