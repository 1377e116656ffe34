"""The quadratic programme of the weights: its solution meets the conditions of an optimum."""

import numpy as np
import pytest
from estimation_samples import minimum_variance_weights
from hypothesis import given
from hypothesis import strategies as st


def random_covariance(rng, most=9):
    """Of any rank and of very different scales; now and then with duplicates, zeros and exact mixtures."""
    m = int(rng.integers(1, most + 1))
    points = rng.normal(size=(m, int(rng.integers(1, m + 2)))) * 10 ** rng.uniform(-3, 0, size=(m, 1))
    points += rng.integers(0, 2) * rng.normal(size=points.shape[1])
    kind = rng.integers(5)
    if kind == 0 and m > 1:
        points[1] = points[0]
    if kind == 1:
        points[rng.integers(m)] = 0
    if kind == 2 and m > 2:
        points[2] = 0.3 * points[0] + 0.7 * points[1]
    return points @ points.T * 10 ** rng.uniform(-8, 1)


@given(st.integers(0, 2**32 - 1))
def test_no_direction_goes_down(seed):
    """The Karush-Kuhn-Tucker conditions, which are enough since the programme is convex."""
    covariance = random_covariance(np.random.default_rng(seed))
    weights = minimum_variance_weights(covariance)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    gradient = covariance @ weights / (np.abs(covariance).max() or 1.0)
    assert gradient.min() >= weights @ gradient - 1e-12


def test_independent_estimators_are_weighted_by_precision():
    np.testing.assert_allclose(minimum_variance_weights(np.diag([1.0, 2.0, 4.0])), np.array([4, 2, 1]) / 7)


def test_an_estimator_without_variance_takes_all():
    assert minimum_variance_weights(np.diag([0.3, 0.0])).tolist() == [0.0, 1.0]
    assert minimum_variance_weights(np.zeros((3, 3))).sum() == 1.0
