"""The delta method against numerical gradients."""

import numpy as np
from estimation_samples import averages, play, settings_with_estimators
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_bandits.estimation.averages import METHODS


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
