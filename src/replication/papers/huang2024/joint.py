"""Test jointly whether a set of printed numbers can be from one sample (ledger E02)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray
from replication.judging.judges import Basis, Because, Judgement, Outcome
from replication.judging.judges.intervals import clopper_pearson
from replication.judging.judges.means import FEW

#: Digits after the point that Table 1 prints.
DIGITS = 3
#: Samples per number tested below which their covariance tells too little.
SAMPLES_PER_NUMBER = 10
#: Relative to the largest, eigenvalues of a covariance that are none: numbers that samples always have equal.
SINGULAR = 1e-10


class JointTest(NamedTuple):
    """How many samples lie as far from all of them as the published numbers do.

    Attributes
    ----------
    as_far : int
    samples : int
    least, most : int
        As many as lie as far where the distance of the published numbers is 1.96 of its standard errors larger, and
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
    error = 1.96 * math.sqrt((2 * distances[-1] ** 2 + 4 * distances[-1]) / n)
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
        why = f"{n} samples of {k} numbers tell nothing of what they share"
        return Judgement(Outcome.OPEN, why, Basis.SIMULATED, n=n, because=Because.SEEDS)
    tested = joint_test(published, samples.round(DIGITS))
    low, high = clopper_pearson(tested.least, n)[0], clopper_pearson(tested.most, n)[1]
    found = Outcome.HOLDS if low > FEW else Outcome.FAILS if high <= FEW else Outcome.OPEN
    because = Because.SEEDS if found is Outcome.OPEN else None
    why = f"p = {tested.share:.3g}, border {FEW:g}"
    return Judgement(found, why, Basis.SIMULATED, f"{100 * tested.as_far / n:.1f} %", low, high, n, because=because)
