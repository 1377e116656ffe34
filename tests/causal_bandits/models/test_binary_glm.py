"""Binary GLMs: models that are refused. Their expectations are tested in `test_elimination`."""

import math

import pytest

from causal_bandits.models.binary_glm import BinaryGLM


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (({"Y": 0.5}, {"Y": {"X": 0.1}}), "no base for X"),
        (({"X": 0.5, "Y": 0.5}, {"Y": {"X": 0.6}}), "probabilities from 0.5 to 1.1"),
        (({"X": math.nan}, {}), "base of X=nan"),
        (({"X": 0.5, "Y": 0.0}, {"Y": {"X": math.inf}}, {"Y": "logistic"}), "weight of X -> Y=inf"),
        (({"X": 0.5, "Y": 0.5}, {"Y": {"X": -0.6}}), "probabilities from -0.1 to 0.5"),
        (({"X": 0.5, "Y": 0.5}, {}, {"Y": "probit"}), "'probit'; expected one of linear, logistic"),
        (({"X": 0.5, "U": 0.5}, {"U": {"X": 0.1}}, {}, ["U"]), "hidden variables are roots"),
        (({"X": 0.2, "Y": 0.2}, {"Y": {"X": 0.1}, "X": {"Y": 0.1}}), "directed cycle"),
    ],
)
def test_wrong_models_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        BinaryGLM(*settings)
