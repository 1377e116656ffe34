"""Minimum-variance weighted averages: each method against plain NumPy, and the methods against each other."""

import numpy as np
import pytest
from estimation_samples import Setting, minimum_variance_weights, sample_once, sampled, trivial

from causal_bandits.estimation.compiled_expressions import COUNT
from causal_bandits.estimation.mvwa import METHODS, _resample, bootstrap, new_averages, observe
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS


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


def numpy_bootstrap(setting, arm, b, rng):
    """Algorithm 2 for one arm with plain NumPy: resampled counts, evaluated expressions, np.cov."""
    own, known = [estimator for estimator in setting.estimators if estimator.arm == arm], setting.tables()
    replicates = []
    for _ in range(b):
        resampled = [rng.multinomial(int(n.sum()), n.ravel() / n.sum()).reshape(n.shape) for n in setting.counts]
        own_data = resampled[arm]
        ones = own_data.take(1, axis=setting.graph.nodes.index("Y")).sum() / own_data.sum()
        tables = setting.tables(resampled)
        replicates.append([ones, *(e.expression.evaluate(tables, e.values).item() for e in own)])
    sigma = np.cov(np.array(replicates).T)
    mean, variance = trivial(setting, arm)
    scale = np.diag([np.sqrt(variance / sigma[0, 0]), *np.ones(len(own))])
    sigma = scale @ sigma @ scale
    w = minimum_variance_weights(sigma)
    return w @ np.array([mean, *(e.expression.evaluate(known, e.values).item() for e in own)]), w @ sigma @ w


def test_the_reference_agrees_with_numpys_bootstrap():
    """Both are random: the spread of each over its own randomness bounds the difference of their means."""
    setting, _, arms, rows, rewards = sampled("fourvar", 300, seed=4)
    rng = np.random.default_rng(0)
    fast = []
    state = new_averages(setting.compiled, METHODS["bootstrap"], 100)
    delta = new_averages(setting.compiled, METHODS["delta"], 0)
    sample_once(setting.compiled, delta, METHODS["delta"], arms, rows, rewards, rng)
    for name in ("values", "cells", "covered", "ones", "zeros", "live"):  # not a bootstrap for every sample
        getattr(state, name)[:] = getattr(delta, name)
    for _ in range(40):
        for number in range(len(setting.arms)):
            bootstrap(setting.compiled, state, number, rng)
        fast.append([state.mean.copy(), np.sqrt(state.variance)])
    fast = np.array(fast)
    for arm in (0, 1, 3):
        slow = np.array([numpy_bootstrap(setting, arm, 100, rng) for _ in range(4)])
        slow[:, 1] = np.sqrt(slow[:, 1])
        for k in range(2):
            error = np.sqrt(fast[:, k, arm].var() / 40 + fast[:, k, arm].var() / 4)
            assert abs(fast[:, k, arm].mean() - slow[:, k].mean()) < 4.5 * error + 1e-6


def test_cells_without_samples_give_none_and_take_none_from_the_others():
    """Replicates of an arm whose samples are all alike are all as the arm itself."""
    setting = Setting(GRAPHS["frontdoor"], frozenset("Z"), dict.fromkeys("XYZ", 2))
    for sample in setting.cells(0):
        state, rng = new_averages(setting.compiled, METHODS["bootstrap"], 50), np.random.default_rng(1)
        for _ in range(7):
            observe(setting.compiled, state, METHODS["bootstrap"], 0, setting.row(sample), float(sample["Y"]), rng)
        _resample(setting.compiled, state, 0, rng)
        rows = np.flatnonzero((state.values == 7) & (setting.compiled.code[:, 0] == COUNT))
        assert len(rows)
        assert (state.table[rows, :50] == 7).all()
