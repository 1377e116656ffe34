"""Causal bounds that hold for a finite sample, all at once, with a stated probability (ledger L93).

`BCE.bounds` puts relative frequencies where the distribution should stand: its interval can miss the effect. Here exact
one-sided limits for binomial shares (Clopper and Pearson 1934) stand there instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.bounds import BCE
from causal_bandits.estimation.count_tables import Table


def confident_bounds(
    bce: BCE, counts: ArrayLike, variables: Sequence[str], confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Bounds on P(Y=1 | do(x), c) that contain the effects of all x and c at once with probability ``confidence``.

    For a substitute W the effect lies between the least and the greatest P(y | x, c, w, S=1) over w. The least of their
    lower limits can exceed the effect only if the limit for one of the w, the one whose probability is the least, does
    exceed that probability. So every side of every cell (x, c) takes one statement per substitute, and the error is
    shared among 2 x cells x substitutes of them (Bonferroni), however many states W has.

    Parameters
    ----------
    bce : BCE
        With conditional substitutes; what its c-factors say has no such limits and is left out.
    counts : array, one axis per variable
        How many selected units there are of each kind, independent draws of P(v | S=1).
    variables : sequence of str
        As in `BCE.bounds`.
    confidence : float
        In (0, 1).

    Returns
    -------
    lower, upper : arrays, shape (states of context 1, ..., states of treatment 1, ...)
        In [0, 1]; vacuous where no substitute tells more.

    Raises
    ------
    ValueError
        As in `BCE.bounds`; or if the method is another, a count is no whole number, or the confidence not in (0, 1).
    """
    if bce.method != "conditional_substitute":
        raise ValueError(f"method: {bce.method!r}, expected 'conditional_substitute'")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence}: expected a probability above 0 and below 1")
    table = Table.checked(counts, variables, [v for v in bce.graph.nodes if v != bce.selection])
    if (table.array != np.floor(table.array)).any():
        raise ValueError("the table holds numbers that are no counts")
    cell = [*bce.context, *bce.treatment]
    if table.shape([bce.outcome]) != (2,):
        raise ValueError(f"outcome: {bce.outcome} has {table.shape([bce.outcome])[0]} states, expected 2")
    shape = table.shape(cell)
    lower, upper = np.zeros(shape), np.ones(shape)
    statements = 2 * prod(shape) * len(bce.substitutes)
    for substitute in bce.substitutes:
        w = sorted(substitute)
        zeros, ones = np.moveaxis(table.marginal([*cell, *w, bce.outcome]), -1, 0)
        low, high = _limits(ones, zeros, (1 - confidence) / statements)
        over = tuple(range(len(cell), len(cell) + len(w)))
        lower, upper = np.maximum(lower, low.min(axis=over)), np.minimum(upper, high.max(axis=over))
    return np.minimum(lower, upper), np.maximum(lower, upper)


def _limits(ones: FloatArray, zeros: FloatArray, error: float) -> tuple[FloatArray, FloatArray]:
    """One-sided limits of a share, each wrong with a probability of at most ``error``; 0 and 1 without data."""
    low = np.where(ones > 0, betaincinv(np.maximum(ones, 1), zeros + 1, error), 0.0)
    high = np.where(zeros > 0, betaincinv(ones + 1, np.maximum(zeros, 1), 1 - error), 1.0)
    return low, high
