"""The quadratic programme of the weights: against every support solved alone, and SciPy's SLSQP."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from causal_bandits.estimation.minimum_variance import minimum_variance_weights


def random_covariance(rng, most=6):
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


def least_variance(covariance):
    """The optimum by enumeration: on its support it solves the equality-constrained problem."""
    m, best = len(covariance), np.inf
    for size in range(1, m + 1):
        for support in map(list, combinations(range(m), size)):
            system = np.ones((size + 1, size + 1))
            system[:size, :size] = covariance[np.ix_(support, support)] / np.abs(covariance).max()
            system[size, size] = 0
            w = np.linalg.lstsq(system, np.eye(size + 1)[size], rcond=None)[0][:size]
            if (w >= -1e-12).all() and abs(w.sum() - 1) < 1e-9:
                w = np.maximum(w, 0) / np.maximum(w, 0).sum()
                best = min(best, w @ covariance[np.ix_(support, support)] @ w)
    return best


@given(st.integers(0, 2**32 - 1))
def test_no_support_does_better(seed):
    covariance = random_covariance(np.random.default_rng(seed))
    if not covariance.any():
        covariance = np.eye(1)
    weights = minimum_variance_weights(covariance)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    scale = np.abs(covariance).max()
    assert weights @ covariance @ weights == pytest.approx(least_variance(covariance), abs=1e-12 * scale)


@given(st.integers(0, 2**32 - 1))
def test_no_direction_goes_down_and_slsqp_does_no_better(seed):
    covariance = random_covariance(np.random.default_rng(seed), most=9)
    scale = np.abs(covariance).max() or 1.0
    weights = minimum_variance_weights(covariance)
    gradient, variance = covariance @ weights / scale, weights @ covariance @ weights / scale
    assert gradient.min() >= variance - 1e-12  # the Karush-Kuhn-Tucker conditions
    solution = minimize(
        lambda w: w @ covariance @ w / scale,
        np.full(len(covariance), 1 / len(covariance)),
        jac=lambda w: 2 * covariance @ w / scale,
        bounds=[(0, 1)] * len(covariance),
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    assert variance <= solution.fun + 1e-12
    assert variance >= solution.fun - 1e-6  # SLSQP comes this close, or closer


def test_independent_estimators_are_weighted_by_precision():
    np.testing.assert_allclose(minimum_variance_weights(np.diag([1.0, 2.0, 4.0])), np.array([4, 2, 1]) / 7)


def test_an_estimator_without_variance_takes_all():
    assert minimum_variance_weights(np.diag([0.3, 0.0])).tolist() == [0.0, 1.0]
    assert minimum_variance_weights(np.zeros((3, 3))).sum() == 1.0
