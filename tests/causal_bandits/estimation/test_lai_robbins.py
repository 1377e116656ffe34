"""Lai and Robbins' constant: known values, and that what else a round shows cannot make it smaller (L245)."""

import numpy as np
import pytest
from scipy.optimize import linprog

from causal_bandits.estimation.lai_robbins import bernoulli_divergence, lai_robbins


def test_known_values():
    assert lai_robbins([0.3, 0.6]) == pytest.approx(0.3 / bernoulli_divergence(0.3, 0.6))
    assert lai_robbins([0.3, 0.6]) == pytest.approx(1.632325, abs=5e-7)
    assert lai_robbins([0.6, 0.3, 0.6, 0.2]) == pytest.approx(lai_robbins([0.3, 0.6]) + lai_robbins([0.2, 0.6]))
    assert lai_robbins([0.5, 0.5]) == 0.0
    assert bernoulli_divergence(1.0, 1.0) == 0.0
    assert np.isinf(bernoulli_divergence([0.0, 0.5], [1.0, 0.0])).all()


@pytest.mark.parametrize("seed", range(24))
def test_without_hidden_causes_and_with_all_parents_settable_borrowing_cannot_pay(seed):
    """Graves and Lai's linear program on arms that fix the reward's parents, and on arms that leave them to chance.

    A confusing model makes one row of the reward's table as good as the best row; a round of arm a tests row r with
    probability p[a, r].
    """
    rng = np.random.default_rng([3, seed])
    rows = rng.random(2 + seed % 4)
    arms = np.vstack([np.eye(len(rows)), rng.dirichlet(np.ones(len(rows)), 6)])
    worse = np.flatnonzero(rows < rows.max())
    tested = arms[:, worse] * bernoulli_divergence(rows[worse], rows.max())
    least = linprog(rows.max() - arms @ rows, A_ub=-tested.T, b_ub=-np.ones(len(worse)))
    assert least.fun == pytest.approx(lai_robbins(rows), rel=1e-7)


@pytest.mark.parametrize("means", [[], [0.5, 1.2], [-0.1], [[0.5]], [np.nan]])
def test_what_cannot_be_is_refused(means):
    with pytest.raises(ValueError, match="expected at least one number, all from 0 to 1"):
        lai_robbins(means)
