"""Pseudo-regrets: how far means lie below the best."""

import numpy as np

from causal_bandits.models.protocol import pseudo_regrets


def test_rounding_costs_nothing():
    means = np.array([[0.3, 0.3 - 1e-13], [0.1, 0.2]])
    expected = [[0.0, 0.0], [0.1, 0.0]]
    assert pseudo_regrets(means.max(axis=1, keepdims=True), means).tolist() == expected
