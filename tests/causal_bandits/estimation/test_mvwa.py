"""Minimum-variance weighted averages: each method against plain NumPy, and the methods against each other."""

import numpy as np
import pytest
from estimation_samples import sample_once, sampled, trivial

from causal_bandits.estimation.averages import METHODS, new_averages


@pytest.mark.parametrize(("problem", "n"), [("frontdoor", 4000), ("fourvar", 1500), ("sixvar", 1500)])
def test_the_methods_agree_when_there_is_much_data(problem, n):
    setting, _, arms, rows, rewards = sampled(problem, n, seed=11)
    states = {}
    for name in ("delta", "online_bootstrap"):
        states[name] = new_averages(setting.compiled, METHODS[name], 500)
        generator = np.random.default_rng(2)
        sample_once(setting.compiled, states[name], METHODS[name], arms, rows, rewards, generator)
        assert states[name].covered.all()
    sd = {name: np.sqrt(state.variance) for name, state in states.items()}
    np.testing.assert_allclose(sd["online_bootstrap"], sd["delta"], rtol=0.15)
    difference = np.abs(states["delta"].mean - states["online_bootstrap"].mean)
    assert (difference < sd["delta"]).all()


@pytest.mark.parametrize("name", ["delta", "online_bootstrap"])
def test_averages_are_right_and_better_than_the_arms_own_samples(name):
    """Over many data sets standardised errors have spread one, and variances are below the trivial ones."""
    errors, ratio = [], []
    for seed in range(60):
        setting, scm, arms, rows, rewards = sampled("fourvar", 400, seed)
        if name == "delta":
            state = new_averages(setting.compiled, METHODS[name], 0)
        else:
            state = new_averages(setting.compiled, METHODS[name], 200)
        sample_once(setting.compiled, state, METHODS[name], arms, rows, rewards, np.random.default_rng(seed))
        exact = [scm.expectation("Y", do=arm) for arm in setting.arms]
        errors.append((state.mean - exact) / np.sqrt(state.variance))
        ratio.append(state.variance / [trivial(setting, arm)[1] for arm in range(len(setting.arms))])
    assert np.std(errors) == pytest.approx(1, abs=0.15)
    assert abs(np.mean(errors)) < 0.25
    assert (np.array(ratio) <= 1 + 1e-9).all()
    assert np.mean(ratio) < 0.8


@pytest.mark.parametrize("name", ["delta", "online_bootstrap"])
def test_covariances_are_those_of_the_present_samples(name):
    """A sample changes some of an arm's estimators alone: their covariances with the others change, too."""
    setting, _, arms, rows, rewards = sampled("sixvar", 400, seed=3)
    state, rng = new_averages(setting.compiled, METHODS[name], 128), np.random.default_rng(0)
    of = np.array([estimator.arm for estimator in setting.estimators])
    for part in np.split(np.arange(len(arms)), np.arange(len(arms) - 40, len(arms))):
        sample_once(setting.compiled, state, METHODS[name], arms[part], rows[part], rewards[part], rng)
        pairs = (of[:, None] == of) & np.outer(state.covered, state.covered)
        if name == "delta":
            expected = (state.gradient * state.cells) @ state.gradient.T
        else:
            expected = np.cov(state.table[setting.compiled.result])
        assert pairs.sum() > state.covered.sum()
        np.testing.assert_allclose(state.covariance[pairs], expected[pairs], rtol=1e-4, atol=1e-9)
