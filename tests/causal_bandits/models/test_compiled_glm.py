"""The compiled model's probabilities against its weights by name."""

from itertools import product
from math import exp

import numpy as np
import pytest

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.compiled_glm import probability_of_one

BASE = {"A": 0.3, "B": 0.2, "C": -1.5, "Y": 0.1}
WEIGHTS = {"B": {"A": 0.4}, "C": {"A": 2.0, "B": -0.7}, "Y": {"B": 0.25, "C": 0.5}}


def test_a_probability_is_the_link_of_base_and_weighted_parents():
    glm = BinaryGLM(BASE, WEIGHTS, {"C": "logistic"})
    for states in product((0, 1), repeat=4):
        at = dict(zip(glm.variables, states, strict=True))
        for number, v in enumerate(glm.variables):
            score = BASE[v] + sum(weight * at[p] for p, weight in WEIGHTS.get(v, {}).items())
            expected = 1 / (1 + exp(-score)) if v == "C" else score
            found = probability_of_one(glm.compiled, number, np.array(states, dtype=np.int8))
            assert found == pytest.approx(expected, abs=1e-15)
