"""Averages before any sample."""

import numpy as np
from estimation_samples import Setting

from causal_bandits.estimation.averages import METHODS, new_averages
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS


def test_before_any_sample_every_arm_is_uniform():
    setting = Setting(GRAPHS["sixvar"], frozenset("AC"), dict.fromkeys("ABCDEY", 2))
    state = new_averages(setting.compiled, METHODS["delta"], 0)
    assert state.mean.tolist() == [0.5] * 15
    np.testing.assert_allclose(state.variance, 1 / 12)
    assert not state.covered.any()
