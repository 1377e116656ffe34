"""The allocation program: certified by its dual, and solved by hand where that is easy."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from causal_bandits.estimation.allocation import TOLERANCE, allocate, inverse, minimise


@st.composite
def instances(draw, max_arms=16):
    """Features (binary or normal) and gaps: of a linear model, or over three orders of magnitude."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k, d = draw(st.integers(2, max_arms)), draw(st.integers(1, 5))
    x = rng.integers(0, 2, (k, d)).astype(float) if draw(st.booleans()) else rng.standard_normal((k, d))
    if draw(st.booleans()):
        means = x @ rng.standard_normal(d)
        gaps = means.max() - means
        gaps[gaps < 1e-10] = 0
    else:
        gaps = 10 ** rng.uniform(-3, 0, k)
        gaps[: draw(st.integers(0, 3))] = 0
    return x, gaps


def reduced(x, gaps):
    """y = z / Delta in coordinates of their span, of the arms whose z is not zero; their numbers."""
    best = x[gaps == 0]
    _, s, right = np.linalg.svd(np.vstack([best, np.zeros((1, x.shape[1]))]))
    z = x @ right[int((s > 1e-9).sum()) :].T
    useful = np.flatnonzero((gaps > 0) & (np.linalg.norm(z, axis=1) > 1e-6 * np.linalg.norm(x, axis=1)))
    y = z[useful] / gaps[useful, None]
    _, s, right = np.linalg.svd(y, full_matrices=False)
    return y @ right[s > 1e-9 * s.max(initial=0)].T, useful


def q_of(v, y):
    return np.einsum("ij,jk,ik->i", y, np.linalg.inv((v[:, None] * y).T @ y), y)


def dual_bound(v, y, cost):
    """A lower bound of the program's value: any multipliers m >= 0 and vectors u_j with sum_j m_j (y_i'u_j)^2 <= cost_i
    give sum_j m_j (2 y_j'u_j - 1). Here u_j = H^-1 y_j, and the m that make most of them.
    """
    k = y @ np.linalg.inv((v[:, None] * y).T @ y) @ y.T
    return -linprog(1 - 2 * np.diag(k), A_ub=k**2 / cost[:, None], b_ub=np.ones(len(v))).fun


@settings(max_examples=100)
@given(instances())
def test_no_allocation_is_cheaper_and_none_of_the_constraints_is_broken(instance):
    x, gaps = instance
    every = np.ones(len(x), dtype=bool)
    w = allocate(x, gaps, every, every)
    assert np.isinf(w[gaps == 0]).all()
    y, useful = reduced(x, gaps)
    assert set(np.flatnonzero(w[gaps > 0])) <= set(np.flatnonzero(np.isin(np.flatnonzero(gaps > 0), useful)))
    assume(len(useful) > 0)
    v, cost = w[useful] * gaps[useful] ** 2, 1 / gaps[useful]
    assert q_of(v, y).max() <= 1 + 1e-7
    interior = minimise(y, y, cost / cost.max())
    assert q_of(interior, y).max() <= 1
    bound = dual_bound(interior, y, cost)
    assert bound * (1 - 1e-6) <= cost @ interior <= bound * (1 + 1e-6)
    assert cost @ v <= bound * (1 + 1e-6 + TOLERANCE)


def test_independent_arms_are_played_once_per_squared_gap():
    gaps = np.array([0.0, 0.5, 0.1])
    every = np.ones(3, dtype=bool)
    np.testing.assert_allclose(allocate(np.eye(3), gaps, every, every), [np.inf, 4, 100], rtol=1e-6)


def test_equivalent_arms_share_the_plays():
    x = np.array([[1.0, 0], [1, 1], [1, 1], [1, 1]])
    every = np.ones(4, dtype=bool)
    w = allocate(x, np.array([0.0, 0.2, 0.2, 0.2]), every, every)
    np.testing.assert_allclose(w[1:], 25 / 3, rtol=1e-6)
    assert len(set(w[1:])) == 1  # to the last digit, as one arm


def test_arms_are_equivalent_if_what_the_best_do_not_span_agrees_up_to_its_sign():
    """Two of them share the 1 / 0.2^2 plays of one; the third's features cost more, and the last points elsewhere."""
    x = np.array([[1.0, 0, 0], [0, 0.3, 0.7], [1, -0.3, -0.7], [0, 0.3, 0.7], [0, 0.7, 0.3]])
    every = np.ones(5, dtype=bool)
    w = allocate(x, np.array([0.0, 0.2, 0.2, 0.3, 0.2]), every, every)
    np.testing.assert_allclose(w, [np.inf, 12.5, 12.5, 0, 25], rtol=1e-6)
    assert w[1] == w[2]


def test_arms_that_agree_in_their_last_feature_only_are_not_equivalent():
    x = np.array([[1.0, 0, 0], [0, 0.3, 0.7], [0, 0.5, 0.7]])
    every = np.ones(3, dtype=bool)
    np.testing.assert_allclose(allocate(x, np.array([0.0, 0.2, 0.2]), every, every), [np.inf, 25, 25], rtol=1e-6)


def test_an_arm_that_the_best_ones_span_is_never_played():
    x = np.array([[1.0, 0], [0, 1], [1, 1]])
    every = np.ones(3, dtype=bool)
    assert allocate(x, np.array([0.0, 0.0, 0.3]), every, every).tolist() == [np.inf, np.inf, 0]


def test_a_dear_arm_that_tells_much_is_played_for_what_it_tells():
    """Lattimore & Szepesvári (2017), The End of Optimism: arms e1, (1 - eps, 2 eps), e2 and theta = e1."""
    eps = 0.01
    x, gaps, every = np.array([[1.0, 0], [1 - eps, 2 * eps], [0, 1]]), np.array([0.0, eps, 1.0]), np.ones(3, dtype=bool)
    w = allocate(x, gaps, every, every)
    np.testing.assert_allclose(w, [np.inf, 0, 4], atol=1e-3)
    without = allocate(x, gaps, np.array([True, True, False]), np.array([True, True, False]))
    assert without[1] * gaps[1] == pytest.approx(1 / eps)


def test_what_cannot_be_told_apart_is_not_a_number():
    x, gaps = np.eye(3), np.array([0.0, 0.5, 0.1])
    assert np.isnan(allocate(x, gaps, np.array([True, True, False]), np.ones(3, dtype=bool))).all()
    w = allocate(x, gaps, np.ones(3, dtype=bool), np.array([True, True, False]))
    assert w[1] * gaps[1] == pytest.approx(2, rel=1e-5)


@settings(max_examples=50)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_inverse_of_positive_definite_matrices(n, seed):
    root = np.random.default_rng(seed).standard_normal((n, n + 2))
    matrix = root @ root.T
    np.testing.assert_allclose(inverse(matrix) @ matrix, np.eye(n), atol=1e-8 * np.linalg.cond(matrix))
