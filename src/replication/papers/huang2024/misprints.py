"""Fit printed columns by the form of Eq. 11, and find the cells that break it (ledger E02, E05)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares

from causal_bandits.arrays import FloatArray
from replication.judging.judges import Basis, Because, Judgement, Outcome
from replication.judging.judges.intervals import clopper_pearson
from replication.judging.judges.means import FEW

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


# Test jointly whether a set of printed numbers can be from one sample (ledger E02).

#: Digits after the point that Table 1 prints.
DIGITS = 3
#: Samples per number tested below which their covariance tells too little.
SAMPLES_PER_NUMBER = 10
#: Relative to the largest, eigenvalues of a covariance that are none: numbers that samples always have equal.
SINGULAR = 1e-10


#: How far the distance of the published numbers may be off, in its standard errors.
ERRORS = 1.96


class JointTest(NamedTuple):
    """How many samples lie as far from all of them as the published numbers do.

    Attributes
    ----------
    as_far : int
    samples : int
    least, most : int
        As many as lie as far where the distance of the published numbers is `ERRORS` of its standard errors larger, and
        smaller: it is measured by a mean and a covariance that are known from these samples alone.
    """

    as_far: int
    samples: int
    least: int
    most: int

    @property
    def share(self) -> float:
        """The p value: of samples and published numbers together, the share that lies at least as far."""
        return (self.as_far + 1) / (self.samples + 1)


def joint_test(published: FloatArray, samples: FloatArray) -> JointTest:
    """Compare published numbers with samples of all of them at once, by Mahalanobis' distance.

    The published numbers are put among the samples; distances are from the mean of all by the covariance of all. So if
    they are one more sample, every rank among the distances is as likely: the test is exact. Samples must be rounded as
    the published numbers are. Where samples have numbers that are always equal, published ones that differ lie out of
    all that samples show, as far as one of ``n + 1`` can.

    Parameters
    ----------
    published : array, shape (k,)
    samples : array, shape (n, k)

    Raises
    ------
    ValueError
        If there are fewer than `SAMPLES_PER_NUMBER` samples for each number, or a shape does not fit.
    """
    n, k = samples.shape
    if len(published) != k or n < SAMPLES_PER_NUMBER * k:
        raise ValueError(f"{n} samples of {k} numbers, {len(published)} published: expected {SAMPLES_PER_NUMBER} each")
    together = np.vstack([samples, published])
    centred = together - together.mean(axis=0)
    inverse = np.linalg.pinv(centred.T @ centred / n, rcond=SINGULAR, hermitian=True)
    distances = ((centred @ inverse) * centred).sum(axis=1)
    # The squared distance d of a point has about the variance (2 d^2 + 4 d) / n: the first part is the covariance's.
    error = ERRORS * math.sqrt((2 * distances[-1] ** 2 + 4 * distances[-1]) / n)
    as_far, least, most = (
        int((distances[:-1] >= (distances[-1] + change) * (1 - 1e-9)).sum()) for change in (0.0, error, -error)
    )
    return JointTest(as_far, n, least, most)


def judge_column(published: FloatArray, samples: FloatArray) -> Judgement:
    """Judge whether a column as a whole can be from one sample (`joint_test`).

    Level: 95 % interval (Clopper-Pearson, from the least number of samples to the most, see `JointTest`) of the share
    that lies as far. Border: 2.5 % of samples (`FEW`), as for printed means; fewer than 146 samples can never refute
    it, nor fewer than `SAMPLES_PER_NUMBER` for each number (ledger L160).

    Parameters
    ----------
    published : array, shape (k,)
    samples : array, shape (n, k)
        One row per seed; rounded here as Table 1 is.
    """
    n, k = samples.shape
    if n < SAMPLES_PER_NUMBER * k:
        why = f"{n} samples of {k} numbers say nothing about what they share"
        return Judgement(Outcome.OPEN, why, Basis.SIMULATED, n=n, because=Because.SEEDS)
    tested = joint_test(published, samples.round(DIGITS))
    low, high = clopper_pearson(tested.least, n)[0], clopper_pearson(tested.most, n)[1]
    found = Outcome.HOLDS if low > FEW else Outcome.FAILS if high <= FEW else Outcome.OPEN
    because = Because.SEEDS if found is Outcome.OPEN else None
    why = f"p = {tested.share:.3g}, border {FEW:g}"
    return Judgement(found, why, Basis.SIMULATED, f"{100 * tested.as_far / n:.1f} %", low, high, n, because=because)
