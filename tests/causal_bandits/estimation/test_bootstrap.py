"""The bootstrap of Algorithm 2 against NumPy's."""

import numpy as np
from estimation_samples import Setting, sample_once, sampled, trivial

from causal_bandits.estimation.averages import METHODS, new_averages
from causal_bandits.estimation.bootstrap import _resample, bootstrap
from causal_bandits.estimation.compiled_expressions import COUNT
from causal_bandits.estimation.minimum_variance import minimum_variance_weights
from causal_bandits.estimation.mvwa import observe
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS


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
            observe(setting.compiled, state, METHODS["bootstrap"], 0, setting.row(sample), sample["Y"], rng)
        _resample(setting.compiled, state, 0, rng)
        rows = np.flatnonzero((state.values == 7) & (setting.compiled.code[:, 0] == COUNT))
        assert len(rows)
        assert (state.table[rows, :50] == 7).all()
