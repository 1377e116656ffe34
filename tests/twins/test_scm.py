"""The twins of z2-TS and z2-kl-UCB themselves."""

import math

import numpy as np
import pytest
from estimation_samples import settings_with_estimators
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.scm import PlainZ2Thompson, least_variance_weights

from causal_bandits.estimation.minimum_variance import minimum_variance_weights


@settings(max_examples=60)
@given(settings_with_estimators(), st.integers(0, 2**32 - 1))
def test_the_plain_interpreter_agrees_with_exact_evaluation(setting, seed):
    rng = np.random.default_rng(seed)
    setting.counts = [_random_counts(setting, arm, rng) for arm in range(len(setting.arms))]
    plain = PlainZ2Thompson()
    plain.arms, plain.states = setting.arms, {v: setting.cardinality[v] for v in setting.graph.nodes}
    exact = setting.estimates()
    for estimator, value in zip(setting.estimators, exact, strict=True):
        at = {v: estimator.values[v.label] for v in estimator.expression.free}
        assert plain.evaluate(estimator.expression, at, setting.counts) == pytest.approx(value, rel=1e-12)


def _random_counts(setting, arm, rng):
    counts = np.zeros(setting.counts[arm].shape)
    for sample in setting.cells(arm):
        counts[tuple(sample[v] for v in setting.graph.nodes)] = rng.integers(1, 20)
    return counts


@given(st.integers(0, 2**32 - 1))
def test_the_plain_weights_are_optimal(seed):
    rng = np.random.default_rng(seed)
    d = rng.normal(size=(12, rng.integers(1, 7))) * 10 ** rng.uniform(-2, 0)
    w = least_variance_weights(d)
    assert math.isclose(w.sum(), 1)
    best = minimum_variance_weights(d.T @ d)
    np.testing.assert_allclose(w, best, atol=1e-9)
