"""Minimum-variance weighted averages: each method against plain NumPy, and the methods against each other."""

from functools import cache

import numpy as np
import pytest
from estimation_samples import Setting, play, settings_with_estimators
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_bandits.compiled import jit
from causal_bandits.estimation.averages import METHODS, new_averages
from causal_bandits.estimation.bootstrap import _resample, bootstrap
from causal_bandits.estimation.compiled_expressions import COUNT
from causal_bandits.estimation.minimum_variance import minimum_variance_weights
from causal_bandits.estimation.mvwa import observe
from causal_bandits.models import FAMILIES
from replication.papers.lee2019.problems import GRAPHS

NON_MANIPULABLE = {"frontdoor": frozenset("Z"), "fourvar": frozenset("A"), "sixvar": frozenset("AC")}


def trivial(setting, arm):
    ones = setting.counts[arm].take(1, axis=setting.graph.nodes.index("Y")).sum()
    n = setting.counts[arm].sum()
    mean = (ones + 1) / (n + 2)
    return mean, mean * (1 - mean) / (n + 3)


def averages(setting, values, covariance):
    """Lines 5 to 7 of Algorithm 2 in plain NumPy, from the covariance of the non-trivial estimators."""
    for arm in range(len(setting.arms)):
        own = [e for e, estimator in enumerate(setting.estimators) if estimator.arm == arm]
        mean, variance = trivial(setting, arm)
        sigma = np.zeros((len(own) + 1, len(own) + 1))
        sigma[0, 0] = variance
        sigma[1:, 1:] = covariance[np.ix_(own, own)]
        w = minimum_variance_weights(sigma)
        yield w @ np.array([mean, *values[own]]), w @ sigma @ w


def numerical_gradient(setting):
    """Derivative of all estimators by the count of every cell of every arm, and these counts."""
    columns, counts = [], []
    for arm in range(len(setting.arms)):
        for sample in setting.cells(arm):
            ends = []
            for step in (1e-4, -2e-4):
                setting.add(arm, sample, step)
                ends.append(setting.estimates())
            setting.add(arm, sample, 1e-4)
            columns.append((ends[0] - ends[1]) / 2e-4)
            counts.append(setting.counts[arm][tuple(sample[v] for v in setting.graph.nodes)])
    return np.array(columns).T, np.array(counts)


@settings(max_examples=40)
@given(settings_with_estimators(), st.integers(0, 2**32 - 1))
def test_delta_averages_agree_with_numpy(setting, seed):
    state = play(setting, METHODS["delta"], 0, np.random.default_rng(seed))
    gradient, counts = numerical_gradient(setting)
    covariance = (gradient * counts) @ gradient.T if setting.estimators else np.zeros((0, 0))
    expected = list(averages(setting, setting.estimates(), covariance))
    np.testing.assert_allclose(state.mean, [mean for mean, _ in expected], atol=1e-5)
    np.testing.assert_allclose(state.variance, [variance for _, variance in expected], rtol=1e-4, atol=1e-12)


@settings(max_examples=40)
@given(settings_with_estimators(), st.integers(0, 2**32 - 1))
def test_online_averages_agree_with_numpy(setting, seed):
    """Covariance, weights and average are what NumPy makes of the replicates' own values."""
    state = play(setting, METHODS["online_bootstrap"], 50, np.random.default_rng(seed))
    rows = state.table[0, setting.compiled.result, :50].astype(float)
    covariance = np.cov(rows).reshape(len(rows), len(rows))
    expected = list(averages(setting, setting.estimates(), covariance))
    np.testing.assert_allclose(state.mean, [mean for mean, _ in expected], atol=1e-6)
    np.testing.assert_allclose(state.variance, [variance for _, variance in expected], rtol=1e-6, atol=1e-12)
    for e, f in np.ndindex(covariance.shape):
        if setting.estimators[e].arm == setting.estimators[f].arm:
            assert state.covariance[e, f] == pytest.approx(covariance[e, f], rel=1e-6, abs=1e-12)


def test_online_replicates_are_bootstrap_replicates():
    """Weights of a sample are Poisson(1) in each replicate: counts have mean and variance n."""
    setting = Setting(GRAPHS["frontdoor"], frozenset("Z"), dict.fromkeys("XYZ", 2))
    state, rng = new_averages(setting.compiled, METHODS["online_bootstrap"], 500), np.random.default_rng(1)
    sample = {"X": 0, "Y": 1, "Z": 0}
    for _ in range(400):
        observe(setting.compiled, state, METHODS["online_bootstrap"], 0, setting.row(sample), 1, rng)
    row = np.flatnonzero((state.values == 400) & (setting.compiled.code[:, 0] == COUNT))[0]
    counts = state.table[:, row, :].ravel()
    assert (counts[500:] == 0).all()
    counts = counts[:500]
    assert counts.mean() == pytest.approx(400, abs=4 * np.sqrt(400 / 500))
    assert counts.var() == pytest.approx(400, rel=4 * np.sqrt(2 / 500))


@jit
def sample_once(compiled, state, method, arms, rows, rewards, rng):
    for i in range(len(arms)):
        observe(compiled, state, method, arms[i], rows[i], rewards[i], rng)


@cache
def sampled(problem, n, seed, family="uniform_cpt"):
    """A setting with ``n`` samples of every arm from a random SCM, as arrays."""
    rng = np.random.default_rng(seed)
    setting = Setting(GRAPHS[problem], NON_MANIPULABLE[problem], dict.fromkeys(GRAPHS[problem].nodes, 2))
    scm = FAMILIES[family](GRAPHS[problem], rng)
    rows, arms = [], []
    for number, arm in enumerate(setting.arms):
        draws = scm.sample(n, rng, do=arm)
        np.add.at(setting.counts[number], tuple(draws[v] for v in setting.graph.nodes), 1)
        rows.append(setting.rows(draws))
        arms += [number] * n
    order = rng.permutation(len(arms))
    rows = np.concatenate(rows)[order]
    return setting, scm, np.array(arms)[order], rows, rows[:, setting.variables.index("Y")].astype(np.int64)


def numpy_bootstrap(setting, arm, b, rng):
    """Algorithm 2 for one arm with plain NumPy: resampled counts, evaluated expressions, np.cov."""
    own = [e for e, estimator in enumerate(setting.estimators) if estimator.arm == arm]
    replicates = []
    for _ in range(b):
        resampled = [rng.multinomial(int(n.sum()), n.ravel() / n.sum()).reshape(n.shape) for n in setting.counts]
        own_data = resampled[arm]
        ones = own_data.take(1, axis=setting.graph.nodes.index("Y")).sum() / own_data.sum()
        replicates.append([ones, *setting.estimates(resampled)[own]])
    sigma = np.cov(np.array(replicates).T)
    mean, variance = trivial(setting, arm)
    scale = np.diag([np.sqrt(variance / sigma[0, 0]), *np.ones(len(own))])
    sigma = scale @ sigma @ scale
    w = minimum_variance_weights(sigma)
    return w @ np.array([mean, *setting.estimates()[own]]), w @ sigma @ w


def test_the_reference_agrees_with_numpys_bootstrap():
    """Both are random: the spread of each over its own randomness bounds the difference of their means."""
    setting, _, arms, rows, rewards = sampled("fourvar", 300, seed=4)
    rng = np.random.default_rng(0)
    fast = []
    state = new_averages(setting.compiled, METHODS["bootstrap"], 200)
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
        slow = np.array([numpy_bootstrap(setting, arm, 200, rng) for _ in range(6)])
        slow[:, 1] = np.sqrt(slow[:, 1])
        for k in range(2):
            error = np.sqrt(fast[:, k, arm].var() / 40 + fast[:, k, arm].var() / 6)
            assert abs(fast[:, k, arm].mean() - slow[:, k].mean()) < 4.5 * error + 1e-6


def test_cells_without_samples_give_none_and_take_none_from_the_others():
    """Replicates of an arm whose samples are all alike are all as the arm itself."""
    setting = Setting(GRAPHS["frontdoor"], frozenset("Z"), dict.fromkeys("XYZ", 2))
    for sample in setting.cells(0):
        state, rng = new_averages(setting.compiled, METHODS["bootstrap"], 50), np.random.default_rng(1)
        for _ in range(7):
            observe(setting.compiled, state, METHODS["bootstrap"], 0, setting.row(sample), sample["Y"], rng)
        _resample(setting.compiled, state, 0, rng)
        rows = np.flatnonzero((state.values == 7) & (setting.compiled.code[:, 0] == COUNT))
        assert len(rows)
        assert (state.table[0, rows, :50] == 7).all()


@pytest.mark.parametrize("problem", sorted(GRAPHS))
def test_the_methods_agree_when_there_is_much_data(problem):
    setting, _, arms, rows, rewards = sampled(problem, 4000, seed=11)
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


def test_before_any_sample_every_arm_is_uniform():
    setting = Setting(GRAPHS["sixvar"], frozenset("AC"), dict.fromkeys("ABCDEY", 2))
    state = new_averages(setting.compiled, METHODS["delta"], 0)
    assert state.mean.tolist() == [0.5] * 15
    np.testing.assert_allclose(state.variance, 1 / 12)
    assert not state.covered.any()
