"""Is a set of printed numbers one sample's? A joint test of all of them, with what they share (ledger E02)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: Samples per number tested below which their covariance tells too little.
SAMPLES_PER_NUMBER = 10


class JointTest(NamedTuple):
    """How many samples lie as far from all of them as the published numbers do.

    Attributes
    ----------
    as_far : int
    samples : int
    """

    as_far: int
    samples: int

    @property
    def share(self) -> float:
        """The p value: of samples and published numbers together, the share that lies at least as far."""
        return (self.as_far + 1) / (self.samples + 1)


def joint_test(published: FloatArray, samples: FloatArray) -> JointTest:
    """Compare published numbers with samples of all of them at once, by Mahalanobis' distance.

    The published numbers are put among the samples; distances are from the mean of all by the covariance of all. So if
    they are one more sample, every rank among the distances is as likely: the test is exact. Samples must be rounded as
    the published numbers are.

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
    solved = np.linalg.solve(centred.T @ centred / n, centred.T)
    distances = (centred.T * solved).sum(axis=0)
    return JointTest(int((distances[:-1] >= distances[-1]).sum()), n)
