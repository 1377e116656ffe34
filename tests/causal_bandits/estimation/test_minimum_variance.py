"""The quadratic programme of the weights: its solution meets the conditions of an optimum."""

import numpy as np
import pytest
from estimation_samples import minimum_variance_weights
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from causal_bandits.estimation.minimum_variance import EARLY, WARM, WEIGHTS, new_workspace, solve_as_asked


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


# ------------------------------------------------------------------ where solvers stop


def asked(covariance, solver, tolerance, last=None):
    """The weights, found twice: the second time the last ones are the first ones."""
    m = len(covariance)
    work = new_workspace(m, solver, tolerance, m + 3)
    chosen = np.arange(m - 1) + 3  # estimators 3, 4, ... of all
    if last is not None:
        work.last[chosen] = last[1:]
    for _ in range(1 if last is not None else 2):
        work.covariance[:, :] = covariance
        solve_as_asked(m, chosen, work)
        weights = work.vectors[WEIGHTS].copy()
        np.testing.assert_array_equal(work.last[chosen], weights[1:])
        assert not work.last[:3].any()
    return weights


@given(st.integers(0, 2**32 - 1), st.floats(-9, 0))
def test_an_early_solver_stops_where_the_variance_is_the_tolerance_above_its_minimum(seed, log_share):
    covariance = random_covariance(np.random.default_rng(seed))
    equal, best = np.full(len(covariance), 1 / len(covariance)), minimum_variance_weights(covariance)
    excess = equal @ covariance @ equal - best @ covariance @ best
    tolerance = 10**log_share * np.abs(covariance).max()
    found = asked(covariance, EARLY, tolerance)
    assert found.min() >= -1e-15
    assert found.sum() == pytest.approx(1, abs=1e-12)
    if excess <= tolerance * (1 - 1e-9):
        np.testing.assert_allclose(found, equal, atol=1e-12)
    else:
        reached = found @ covariance @ found - best @ covariance @ best
        assert reached == pytest.approx(tolerance, rel=1e-4, abs=1e-13 * np.abs(covariance).max())
        way, done = equal - best, found - best  # on the way, not beside it
        np.testing.assert_allclose(done, way * (done @ way) / (way @ way), atol=1e-9)


def test_without_tolerance_solvers_reach_the_minimum():
    rng = np.random.default_rng(1)
    for _ in range(50):
        covariance = random_covariance(rng)
        for solver in (EARLY, WARM):
            found, best = asked(covariance, solver, 0.0), minimum_variance_weights(covariance)
            assert found @ covariance @ found <= best @ covariance @ best + 1e-13 * np.abs(covariance).max()


def test_a_warm_solver_keeps_the_last_weights_where_slsqp_does():
    """Twin: SciPy's SLSQP, whose first step is along the projected gradient, started from the last weights."""
    rng, kept = np.random.default_rng(2), 0
    for _ in range(400):
        m = int(rng.integers(2, 6))
        points = rng.normal(size=(m, 8)) * 10 ** rng.uniform(-2.5, -1.5, size=(m, 1))
        covariance = points @ points.T
        last = np.where(rng.random(m) < 0.3, 0.0, rng.random(m)) + 1e-3 * (np.arange(m) == 0)
        last = (
            0.8 * minimum_variance_weights(covariance) + 0.2 * last / last.sum()
            if rng.integers(2)
            else last / last.sum()
        )
        tolerance = 10 ** rng.uniform(-10, -4)
        stopped = minimize(
            lambda w, s=covariance: w @ s @ w,
            last,
            jac=lambda w, s=covariance: 2 * s @ w,
            method="SLSQP",
            bounds=[(0, 1)] * m,
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": lambda w: np.ones(len(w))},
            tol=tolerance,
        )
        found = asked(covariance, WARM, tolerance, last)
        if stopped.nit == 1 and np.abs(stopped.x - last).max() < 1e-12:
            kept += 1
            np.testing.assert_allclose(found, last, atol=1e-12)
        else:
            np.testing.assert_allclose(found, minimum_variance_weights(covariance), atol=1e-12)
    assert 50 < kept < 350
