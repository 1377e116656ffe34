"""Printed columns fitted by the form of Eq. 11, and the cells that break it, found by rule (ledger E02, E05)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.papers.huang2024.units import FloatArray

#: A printed cell that lies further from the fit to the others is a misprint: the unit of the last printed digit.
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
    """The rows of a column that break the form all others share, found by rule (ledger E05).

    While the fit to the rows that are left misses one by more than `UNIT`, the row is dropped without which the fit is
    nearest. A column that has no such form has fewer than `FEWEST` rows left.

    Parameters
    ----------
    published : array, shape (16,)

    Returns
    -------
    tuple of int or None
        Rows from 0, in order; None if the column has not this form.
    """
    kept = list(range(len(np.asarray(published))))
    while fit_context_weights(published, kept).largest > UNIT:
        if len(kept) <= FEWEST:
            return None
        without = {row: fit_context_weights(published, [r for r in kept if r != row]).largest for row in kept}
        kept.remove(min(without, key=lambda row: without[row]))
    return tuple(row for row in range(len(np.asarray(published))) if row not in kept)


def _column(parameters: FloatArray) -> FloatArray:
    factor, (p_u1, p_u2, covariance) = parameters[:4], parameters[4:]
    independent = np.outer([1 - p_u1, p_u1], [1 - p_u2, p_u2])
    joint = independent + covariance * np.array([[1, -1], [-1, 1]])
    return np.asarray(np.outer(factor, independent / joint).ravel())
