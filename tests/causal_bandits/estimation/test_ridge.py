"""Ridge regression one sample at a time, against numpy's solution of the whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_bandits.compiled import jit
from causal_bandits.estimation import ridge

FEATURES = {
    # An arm's own features do not change: three of the five columns are the same.
    "one arm": lambda rng, n: np.column_stack([rng.integers(0, 2, (n, 2)), np.tile([1.0, 0.0, 1.0], (n, 1))]),
    "all arms": lambda rng, n: np.column_stack([rng.integers(0, 2, (n, 4)), np.ones(n)]),
    "one direction": lambda rng, n: np.tile([1.0, 1.0, 0.0, 1.0, 1.0], (n, 1)),
    "nearly one direction": lambda rng, n: 1 + 1e-4 * rng.standard_normal((n, 5)),
    "normal": lambda rng, n: rng.standard_normal((n, 6)),
}


def accumulated(x, rewards, weights, penalty):
    """A and b."""
    return penalty * np.eye(x.shape[1]) + (weights[:, None] * x).T @ x, (weights * rewards) @ x


@jit
def learn_all(state, x, rewards):
    for i in range(len(x)):
        ridge.learn(state, 0, x[i], rewards[i])


@pytest.mark.parametrize("kind", FEATURES)
@pytest.mark.parametrize("penalty", [1.0, 10.0])
def test_the_inverse_is_as_good_as_new_after_15000_updates(kind, penalty):
    rng = np.random.default_rng(1)
    x, rewards = FEATURES[kind](rng, 15_000), rng.integers(0, 2, 15_000).astype(float)
    state = ridge.start(1, x.shape[1], penalty)
    learn_all(state, x, rewards)
    a, b = accumulated(x, rewards, np.ones(15_000), penalty)
    assert np.abs(state.inverse[0] - np.linalg.inv(a)).max() < 1e-9
    assert np.abs(state.theta[0] - np.linalg.solve(a, b)).max() < 1e-8
    np.testing.assert_array_equal(state.inverse[0], state.inverse[0].T)
    assert np.linalg.eigvalsh(state.inverse[0]).min() > 0


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 40), st.sampled_from([0.1, 1.0, 30.0]))
def test_weighted_samples_of_several_models(seed, d, n, penalty):
    rng = np.random.default_rng(seed)
    x, rewards, weights = rng.standard_normal((n, d)), rng.standard_normal(n), rng.exponential(5, n)
    models = rng.integers(0, 3, n)
    state = ridge.start(3, d, penalty)
    for sample in zip(models, x, rewards, weights, strict=True):
        ridge.learn(state, *sample)
    for m in range(3):
        a, b = accumulated(x[models == m], rewards[models == m], weights[models == m], penalty)
        np.testing.assert_allclose(state.inverse[m], np.linalg.inv(a), rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(state.theta[m], np.linalg.solve(a, b), rtol=1e-8, atol=1e-8)
        at = rng.standard_normal(d)
        assert ridge.estimate(state, m, at) == pytest.approx(state.theta[m] @ at)
        assert ridge.width(state, m, at) == pytest.approx(np.sqrt(at @ np.linalg.solve(a, at)))


def test_a_weight_stands_for_as_many_samples():
    rng = np.random.default_rng(2)
    x = rng.integers(0, 2, (30, 4)).astype(float)
    once, often = ridge.start(1, 4, 1.0), ridge.start(1, 4, 1.0)
    for row in x:
        ridge.learn(once, 0, row, 0.25, 8.0)
        for reward in (1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0):
            ridge.learn(often, 0, row, reward)
    np.testing.assert_allclose(once.inverse, often.inverse, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(once.theta, often.theta, rtol=1e-9, atol=1e-12)


def test_a_regression_that_lost_its_digits_is_refused():
    """At 1.7e9 the formula of Sherman and Morrison gives negative squared widths."""
    for size, refused in ((1e3, False), (1.7e9, True)):
        state, rng = ridge.start(2, 3, 1.0), np.random.default_rng(0)
        for _ in range(50):
            ridge.learn(state, 1, np.array([size * (1 + 0.01 * rng.random()), rng.integers(2), 1.0]), 1.0)
        if refused:
            with pytest.raises(ValueError, match=r"ridge regression 1 of 2: .*double precision"):
                ridge.check_condition(state, 1.0)
        else:
            ridge.check_condition(state, 1.0)


@pytest.mark.parametrize("reward", [np.nan, np.inf, 1e308])
def test_rewards_that_overflow_are_refused(reward):
    state = ridge.start(1, 2, 1.0)
    for _ in range(3):
        ridge.learn(state, 0, np.array([10.0, 1.0]), reward)
    with pytest.raises(ValueError, match="ridge regression 0 of 1"):
        ridge.check_condition(state, 1.0)


def test_the_least_share_of_an_eigenvalue():
    for share, refused in ((2e-12, False), (0.5e-12, True)):
        state = ridge.start(1, 2, 1.0)
        state.inverse[0] = np.diag([1.0, share])
        if refused:
            with pytest.raises(ValueError, match="double precision"):
                ridge.check_condition(state, 1.0)
        else:
            ridge.check_condition(state, 1.0)


def test_a_penalty_so_small_that_all_digits_were_lost_is_refused():
    """Afterwards no eigenvalue stands out: what is left is rounding error."""
    state, rng = ridge.start(1, 2, 1e-14), np.random.default_rng(0)
    for _ in range(100):
        ridge.learn(state, 0, rng.normal(size=2), 1.0)
    with pytest.raises(ValueError, match="double precision"):
        ridge.check_condition(state, 1e-14)
    ridge.check_condition(state, 1.0)
