"""Fit the form of Eq. 11 to printed columns, and find the cells that violate it (ledger E02, E05)."""

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

#: How far a cell may deviate from the form that its column shares: one unit of the last printed digit.
UNIT = 0.001
#: The smallest number of cells that can test a form with seven parameters.
FEWEST = 12


class ContextWeights(NamedTuple):
    """A column in the form ``K(x1, x2) P(u1) P(u2) / P(u1, u2)`` (see `fit_context_weights`).

    Attributes
    ----------
    factor : array, shape (4,)
        K for (x1, x2) = 00, 01, 10, 11.
    p_u1, p_u2 : float
        P(U1=1) and P(U2=1) in the data behind the column.
    covariance : float
        P(u1=1, u2=1) - P(u1=1) P(u2=1) in those data: zero up to sampling noise, because U1 and U2 are independent.
    largest : float
        Largest absolute deviation of the fit from the rows used.
    """

    factor: FloatArray
    p_u1: float
    p_u2: float
    covariance: float
    largest: float

    def fitted(self) -> FloatArray:
        """The fitted column, in the order of Table 1's rows, shape (16,)."""
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
    """Find the smallest set of rows to remove from a column so that the others share one form (ledger E05).

    In logarithms, K(x) times a factor of u is additive in the rows and columns of a 4 x 4 table, which is fitted by
    least squares. Among equally small sets, the one whose removal gives the closest fit is returned.

    Parameters
    ----------
    published : array, shape (16,)
        Positive.

    Returns
    -------
    tuple of int or None
        Rows, counted from 0, in order; None if fewer than `FEWEST` rows share the form.
    """
    return _misprints(tuple(np.asarray(published, dtype=np.float64).tolist()))


@cache  # by column: every cell of a column is judged without its misprints
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


# Test jointly whether a set of printed numbers can come from one sample (ledger E02).

#: Number of digits after the decimal point in Table 1.
DIGITS = 3
#: Minimum number of samples for each number tested; with fewer, their covariance is too imprecise.
SAMPLES_PER_NUMBER = 10
#: Eigenvalues of a covariance below this share of the largest count as zero; some numbers coincide in all samples.
SINGULAR = 1e-10


#: How far off the distance of the published numbers may be, in standard errors.
ERRORS = 1.96


class JointTest(NamedTuple):
    """Number of samples at least as far from the mean of all points as the published numbers.

    Attributes
    ----------
    as_far : int
    samples : int
    least, most : int
        The value of ``as_far`` if the distance of the published numbers is `ERRORS` standard errors larger, and
        smaller: the mean and the covariance that define the distance are estimated from these samples alone.
    """

    as_far: int
    samples: int
    least: int
    most: int

    @property
    def share(self) -> float:
        """The p-value: the share of all points (samples and published numbers) that are at least as far."""
        return (self.as_far + 1) / (self.samples + 1)


def joint_test(published: FloatArray, samples: FloatArray) -> JointTest:
    """Compare a set of published numbers with samples of the whole set, by Mahalanobis distance.

    The published numbers are added to the samples; distances are from the mean of all points, by the covariance of all
    points. So if the published numbers are one more sample, every rank of their distance is equally likely, and the
    test is exact. Samples must be rounded like the published numbers. If some numbers coincide in all samples but not
    in the published set, the set's distance is the largest that one of ``n + 1`` points can have.

    Parameters
    ----------
    published : array, shape (k,)
    samples : array, shape (n, k)

    Raises
    ------
    ValueError
        If there are fewer than `SAMPLES_PER_NUMBER` samples for each number, or the shapes do not match.
    """
    n, k = samples.shape
    if len(published) != k or n < SAMPLES_PER_NUMBER * k:
        raise ValueError(
            f"{n} samples of {k} numbers, {len(published)} published; "
            f"expected as many, and {SAMPLES_PER_NUMBER} samples for each"
        )
    together = np.vstack([samples, published])
    centred = together - together.mean(axis=0)
    inverse = np.linalg.pinv(centred.T @ centred / n, rcond=SINGULAR, hermitian=True)
    distances = ((centred @ inverse) * centred).sum(axis=1)
    # A point's squared distance d has a variance of about (2 d^2 + 4 d) / n; the first term is due to the covariance.
    error = ERRORS * math.sqrt((2 * distances[-1] ** 2 + 4 * distances[-1]) / n)
    as_far, least, most = (
        int((distances[:-1] >= (distances[-1] + change) * (1 - 1e-9)).sum()) for change in (0.0, error, -error)
    )
    return JointTest(as_far, n, least, most)


def judge_column(published: FloatArray, samples: FloatArray) -> Judgement:
    """Judge whether a column as a whole can come from one sample (`joint_test`).

    Level: 95 % interval (Clopper-Pearson, from ``least`` to ``most`` of `JointTest`) of the share of samples at least
    as far. Boundary: 2.5 % of samples (`FEW`), as for printed means; neither fewer than 146 samples nor fewer than
    `SAMPLES_PER_NUMBER` for each number can refute a column (ledger L160).

    Parameters
    ----------
    published : array, shape (k,)
    samples : array, shape (n, k)
        One row per seed; rounded here like Table 1.
    """
    n, k = samples.shape
    if n < SAMPLES_PER_NUMBER * k:
        why = f"{n} samples are too few to test {k} numbers together"
        return Judgement(Outcome.OPEN, why, Basis.SIMULATED, n=n, because=Because.SEEDS)
    tested = joint_test(published, samples.round(DIGITS))
    low, high = clopper_pearson(tested.least, n)[0], clopper_pearson(tested.most, n)[1]
    found = Outcome.HOLDS if low > FEW else Outcome.FAILS if high <= FEW else Outcome.OPEN
    because = Because.SEEDS if found is Outcome.OPEN else None
    why = f"p = {tested.share:.3g}, boundary {FEW:g}"
    return Judgement(found, why, Basis.SIMULATED, f"{100 * tested.as_far / n:.1f} %", low, high, n, because=because)
