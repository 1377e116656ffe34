"""The online bootstrap: averages against NumPy's, replicates against bootstrap replicates."""

import numpy as np
import pytest
from estimation_samples import Setting, averages, play, settings_with_estimators
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_bandits.estimation.averages import METHODS, new_averages
from causal_bandits.estimation.compiled_expressions import COUNT
from causal_bandits.estimation.mvwa import observe
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS


@settings(max_examples=40)
@given(settings_with_estimators(), st.integers(0, 2**32 - 1))
def test_online_averages_agree_with_numpy(setting, seed):
    """Covariance, weights and average are what NumPy makes of the replicates' own values."""
    state = play(setting, METHODS["online_bootstrap"], 50, np.random.default_rng(seed))
    rows = state.table[setting.compiled.result, :50].astype(float)
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
    counts = state.table[row]
    assert (counts[500:] == 0).all()
    counts = counts[:500]
    assert counts.mean() == pytest.approx(400, abs=4 * np.sqrt(400 / 500))
    assert counts.var() == pytest.approx(400, rel=4 * np.sqrt(2 / 500))
