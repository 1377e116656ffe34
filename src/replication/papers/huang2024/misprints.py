"""Fit printed columns by the form of Eq. 11, and find the cells that break it (ledger E02, E05)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray

#: How far a cell may lie from the form that it shares with others: the unit of the last printed digit.
UNIT = 0.001
#: Fewer cells than these do not test a form with seven parameters.
FEWEST = 12


class ContextWeights(NamedTuple):
    """A column as ``K(x1, x2) P(u1) P(u2) / P(u1, u2)`` (see `fit_context_weights`).

    Attributes
    ----------
    factor : array, shape (4,)
        K for (x1, x2) = 00, 01, 10, 11.
    p_u1, p_u2 : float
        P(U1=1) and P(U2=1) in the data behind the column.
    covariance : float
        P(u1=1, u2=1) - P(u1=1) P(u2=1) there: zero but for sampling noise, as U1 and U2 are independent.
    largest : float
        Largest absolute deviation of the fit from the rows used.
    """

    factor: FloatArray
    p_u1: float
    p_u2: float
    covariance: float
    largest: float

    def fitted(self) -> FloatArray:
        """The column that was fitted, in the order of Table 1's rows, shape (16,)."""
        return _column(np.array([*self.factor, self.p_u1, self.p_u2, self.covariance]))


def fit_context_weights(published: ArrayLike, rows: Sequence[int] | None = None) -> ContextWeights:
    """Fit ``K(x1, x2) P(u1) P(u2) / P(u1, u2)`` to a column, by least squares.

    Parameters
    ----------
    published : array, shape (16,)
    rows : sequence of int, optional
        The rows to use, from 0; default all.
    """
    from scipy.optimize import least_squares  # half a second, which the offline samples need not wait for

    column = np.asarray(published, dtype=np.float64)
    kept = list(range(len(column))) if rows is None else list(rows)
    start = np.array([*column.reshape(4, 4).mean(axis=1), 0.5, 0.5, 0.0])

    def misses(parameters: FloatArray) -> FloatArray:
        return np.asarray((_column(parameters) - column)[kept])

    result = least_squares(misses, start, xtol=1e-15, ftol=1e-15)
    factor, (p_u1, p_u2, covariance) = result.x[:4], result.x[4:]
    return ContextWeights(factor, float(p_u1), float(p_u2), float(covariance), float(np.abs(result.fun).max()))


def misprints(published: ArrayLike) -> tuple[int, ...] | None:
    """Find the fewest rows of a column without which the others share one form (ledger E05).

    In logarithms K(x) times a factor of u is a sum over rows and columns of a 4 x 4 table, fitted by least squares. Of
    as few rows, those without which the fit comes nearest.

    Parameters
    ----------
    published : array, shape (16,)
        Positive.

    Returns
    -------
    tuple of int or None
        Rows from 0, in order; None if fewer than `FEWEST` rows share the form.
    """
    return _misprints(tuple(np.asarray(published, dtype=np.float64).tolist()))


@cache  # by column; every cell of a column is judged without them
def _misprints(published: tuple[float, ...]) -> tuple[int, ...] | None:
    column = np.array(published)
    x, u = np.divmod(np.arange(len(column)), 4)
    design = np.hstack([np.eye(4)[x], np.eye(4)[u][:, 1:]])
    for size in range(len(column) - FEWEST + 1):
        largest = {}
        for rows in combinations(range(len(column)), size):
            kept = np.setdiff1d(np.arange(len(column)), rows)
            fitted = np.exp(design[kept] @ np.linalg.lstsq(design[kept], np.log(column[kept]))[0])
            largest[rows] = np.abs(fitted - column[kept]).max()
        best = min(largest, key=lambda rows: largest[rows])
        if largest[best] <= UNIT:
            return best
    return None


def _column(parameters: FloatArray) -> FloatArray:
    factor, (p_u1, p_u2, covariance) = parameters[:4], parameters[4:]
    independent = np.outer([1 - p_u1, p_u1], [1 - p_u2, p_u2])
    joint = independent + covariance * np.array([[1, -1], [-1, 1]])
    return np.asarray(np.outer(factor, independent / joint).ravel())
