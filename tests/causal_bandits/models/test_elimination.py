"""Exact expectations in binary GLMs against those of the models' tables."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import glms, interventions

from causal_bandits.models.binary_glm import BinaryGLM


@given(glms(), st.data())
def test_expectations_are_those_of_the_tables(model, data):
    do = data.draw(interventions(model))
    scm = model.to_scm()
    assert scm.graph == model.graph
    assert scm.variables == model.variables
    assert model.expectation("Y", do) == pytest.approx(scm.expectation("Y", do=do), abs=1e-12)


def test_a_wide_linear_model_is_exact_and_a_wide_logistic_one_is_refused():
    causes = [f"X{i}" for i in range(60)]
    base = {**dict.fromkeys(causes, 0.3), "Y": 0.1}
    wide = BinaryGLM(base, {"Y": dict.fromkeys(causes, 0.01)})
    assert wide.expectation("Y", {"X0": 1}) == pytest.approx(0.1 + 0.01 + 59 * 0.003)
    with pytest.raises(ValueError, match="too many for a table"):
        wide.to_scm()
    logistic = BinaryGLM(base | {"Y": -2.0}, {"Y": dict.fromkeys(causes, 0.1)}, {"Y": "logistic"})
    with pytest.raises(ValueError, match="61 variables are needed at once"):
        logistic.expectation("Y")


def test_a_long_logistic_chain_keeps_two_variables():
    names = [f"X{i:03}" for i in range(200)] + ["Y"]
    pairs = list(pairwise(names))
    model = BinaryGLM(dict.fromkeys(names, -1.0), {b: {a: 2.0} for a, b in pairs}, dict.fromkeys(names, "logistic"))
    p = 1 / (1 + np.exp(1))
    for _ in pairs:
        p = p / (1 + np.exp(-1)) + (1 - p) / (1 + np.exp(1))
    assert model.expectation("Y") == pytest.approx(p, abs=1e-12)
