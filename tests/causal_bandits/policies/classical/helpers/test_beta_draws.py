"""Few draws from many Beta posteriors: quantiles beside SciPy's, draws beside their distribution, and choices."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaincinv

from causal_bandits.compiled import jit
from causal_bandits.policies.classical.helpers.beta_draws import _tail, choose, many_betas, quantiles, update

call_update, call_choose = jit(update.py_func), jit(choose.py_func)


@jit
def tails(a, b, quantile, p, count, rng):
    drawn = np.empty(count)
    for i in range(count):
        drawn[i] = _tail(a, b, quantile, p, rng)
    return drawn


@pytest.mark.parametrize("p", [0.25, 0.02, 0.001])
def test_quantiles_are_those_of_scipy(p):
    rng = np.random.default_rng(1)
    a, b = (np.where(rng.random(2000) < 0.5, rng.integers(1, 30, 2000), rng.uniform(1, 5000, 2000)) for _ in "ab")
    np.testing.assert_allclose(quantiles(a, b, p), betaincinv(a, b, 1 - p), rtol=1e-9)


@pytest.mark.parametrize("p", [0.25, 0.01])
@pytest.mark.parametrize(
    ("a", "b"), [(1, 1), (1, 7), (7, 1), (2, 2), (30, 3), (3, 30), (400, 500), (60, 1.01), (1.01, 60)]
)
def test_draws_beyond_the_quantile_have_the_tail_of_the_distribution(a, b, p):
    quantile = betaincinv(a, b, 1 - p)
    drawn = tails(float(a), float(b), quantile, p, 4000, np.random.default_rng(2))
    assert drawn.min() >= quantile
    assert drawn.max() <= 1
    uniform = stats.beta(a, b).sf(drawn) / p
    assert stats.kstest(uniform, "uniform").pvalue > 1e-3


@pytest.mark.parametrize("seed", range(2))
def test_the_arm_with_the_largest_draw_is_chosen(seed):
    """Chi-square of 20,000 choices against those of drawing every arm."""
    rng = np.random.default_rng(seed)
    ones, zeros = rng.integers(1, 12, size=(2, 70)).astype(float)
    posterior = many_betas(ones, zeros)
    few = np.bincount([call_choose(posterior, t, rng) for t in range(20_000)], minlength=70)
    every = np.bincount(rng.beta(ones, zeros, size=(200_000, 70)).argmax(axis=1), minlength=70)
    often = every > 100
    table = np.array([[*few[often], few[~often].sum()], [*every[often], every[~often].sum()]])
    assert stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue > 1e-4


def test_an_update_leaves_what_a_new_start_would_make():
    rng = np.random.default_rng(3)
    posterior = many_betas(np.ones(100), np.full(100, 2.0))
    for arm in rng.integers(100, size=500):
        call_update(posterior, arm, float(rng.random() < 0.4))
    assert posterior.ones.sum() + posterior.zeros.sum() == 300 + 500
    anew = many_betas(posterior.ones, posterior.zeros)
    np.testing.assert_allclose(posterior.most, anew.most, rtol=1e-9)
    np.testing.assert_array_equal(posterior.winners, anew.winners)
