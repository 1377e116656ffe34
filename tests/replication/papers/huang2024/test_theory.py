"""The regret bounds of huang2024: formulas by hand, and what causal bounds do to them."""

import math

import numpy as np
import pytest

from causal_bandits.models import CPT, ContextualBandit, DiscreteSCM
from causal_bandits.problems.huang2024 import PROBLEMS, scm
from replication.papers.huang2024 import theory

T = 15_000


@pytest.fixture
def problem():
    """Table 2 with upper bounds that rule out the arms with X2 = 0 and no other."""
    bare = PROBLEMS["synthetic"]()
    upper = bare.means + np.where(bare.features[..., 3] == 0, 0.08, 0.12)
    return bare.with_prior({"upper": upper})


@pytest.fixture
def free():
    bare = PROBLEMS["non_contextual"]()
    return bare.with_prior({"upper": bare.means + 0.1})


def test_arms_that_are_ruled_out(problem, free):
    assert theory.ruled_out(problem).sum() == 8
    np.testing.assert_array_equal(theory.ruled_out(problem), np.tile([True, False, True, False], (4, 1)))
    assert theory.ruled_out(free).tolist() == [[True, False, True, False]]
    exact = problem.with_prior({"upper": problem.means})
    np.testing.assert_array_equal(~theory.ruled_out(exact), problem.means == problem.means.max(axis=1, keepdims=True))


def test_linear_model(problem):
    np.testing.assert_allclose(theory.linear_model(problem), [1 / 6, 0, 1 / 24, 1 / 6, 61 / 240], atol=1e-12)


def test_a_mean_that_is_not_linear_is_refused():
    model = scm()
    both = np.indices((2, 2, 2, 2)).prod(axis=0) / 2  # all parents of Y together
    tables = {v: model.cpt(v) for v in model.variables}
    tables["Y"] = CPT(model.cpt("Y").parents, np.stack([1 - both, both], axis=-1))
    bent = ContextualBandit(DiscreteSCM(model.graph, tables), ("U1", "U2"), ("X1", "X2"), {"Y": 1.0})
    with pytest.raises(ValueError, match="not linear"):
        theory.linear_model(bent)


def test_theorem_5(problem):
    growth = 5 * math.log(1 + T * 5 / 5)  # d = 5, L^2 = 5
    norm = math.sqrt(2 / 36 + 1 / 576 + (61 / 240) ** 2)
    expected = math.sqrt(2 * T * growth) * 2 * (norm + math.sqrt(2 * math.log(T) + growth))
    assert theory.lin_ucb_bound(problem, T, with_bounds=False) == pytest.approx(expected)
    # The arm with the longest features, (1, 1), is the best one: L, and with it the bound, is what it was.
    assert theory.lin_ucb_bound(problem, T, with_bounds=True) == pytest.approx(expected)
    longest_ruled_out = problem.with_prior({"upper": np.where(problem.features[..., 3] == 1, 0.0, 1.0)})
    assert theory.lin_ucb_bound(longest_ruled_out, T, with_bounds=True) < expected
    assert theory.lin_ucb_bound(problem, T, with_bounds=True, delta=1e-9) > expected
    assert theory.lin_ucb_bound(problem, T, with_bounds=True, penalty=5.0) != pytest.approx(expected)


def test_theorem_7(problem):
    # One direction per item feature, told apart at best by the arm that changes it alone: 2 (1/Delta_1 + 1/Delta_2).
    assert theory.allocation_value(problem, with_bounds=False) == pytest.approx(2 * (24 + 6), rel=1e-5)
    assert theory.allocation_value(problem, with_bounds=True) == pytest.approx(2 * 24, rel=1e-5)
    assert theory.oam_bound(problem, T, with_bounds=True) == pytest.approx(48 * math.log(T), rel=1e-5)


def test_eq_22_as_printed_asks_for_what_the_kept_arms_cannot_tell(problem):
    """Ledger E13: with X2 = 1 in every arm that is kept, nothing tells what X2 does, yet all arms are constrained."""
    assert theory.allocation_value(problem, with_bounds=True, bounded="all") == math.inf
    for seed in range(20):
        rng = np.random.default_rng(seed)
        some = problem.with_prior({"upper": problem.means + rng.exponential(0.1, problem.means.shape)})
        printed = theory.allocation_value(some, with_bounds=True, bounded="all")
        assert printed >= theory.allocation_value(some, with_bounds=False) * (1 - 2e-6)


def test_theorem_8(free):
    gaps = np.array([5 / 24, 1 / 24, 1 / 6])
    expected = 3 * gaps.sum() + 16 * math.log(T) * (1 / gaps).sum()
    assert theory.ucb_bound(free, T, with_bounds=False) == pytest.approx(expected)
    assert theory.ucb_bound(free, T, with_bounds=True) == pytest.approx(3 * gaps.sum() + 16 * math.log(T) * 24)


def test_what_does_not_fit_is_said(problem):
    with pytest.raises(ValueError, match="Theorem 8 needs a problem without context"):
        theory.ucb_bound(problem, T, with_bounds=False)
    with pytest.raises(ValueError, match="expected 'kept' or 'all'"):
        theory.allocation_value(problem, with_bounds=False, bounded="none")
    with pytest.raises(ValueError, match="no prior 'upper'"):
        theory.ruled_out(PROBLEMS["synthetic"]())
