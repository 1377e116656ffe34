"""Outcomes of best-arm identification."""

import numpy as np
import pytest

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.policies.glm.helpers.best_arm import capped, concluded, observing_arm

MODEL = BinaryGLM({"X": 0.5, "Y": 0.2}, {"Y": {"X": 0.5}})  # means 0.45, 0.2 and 0.7
BANDIT = GLMBandit(MODEL, [{"X": 0}, {}, {"X": 1}])


def test_an_answer_is_judged_by_its_exact_mean():
    pulls = np.array([3.0, 6.0, 1.0])
    expected = {"sample_complexity": 10, "observed_share": 0.6, "pulls_0": 3, "pulls_1": 6, "pulls_2": 1}
    best = concluded(BANDIT, 0.0, 2, pulls)
    assert best == expected | {"answer": 2, "correct": 1, "excess": 0}
    second = concluded(BANDIT, 0.2, 1, pulls)
    assert second == expected | {"answer": 1, "correct": 0, "excess": pytest.approx(0.25)}
    assert concluded(BANDIT, 0.25, 1, pulls)["correct"] == 1


def test_conditions_that_are_met_count_as_zero():
    assert capped(-0.3, -5.0) == {"unmet_width": 0, "unmet_observations": 0}
    assert capped(0.3, 5.0) == {"unmet_width": 0.3, "unmet_observations": 5}


def test_do_is_found_or_asked_for():
    assert observing_arm(BANDIT) == 1
    with pytest.raises(ValueError, match=r"none of the 1 actions is do\(\)"):
        observing_arm(GLMBandit(MODEL, [{"X": 1}]))
