"""The bandit on a binary GLM: worlds against those of the model's tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import glms, interventions

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit


@given(glms(max_nodes=4), st.data())
def test_worlds_are_those_of_the_tables(model, data):
    """The same uniforms give the same states: 1 where the uniform lies below the probability, so U and 1 - U."""
    do = data.draw(interventions(model))
    scm, bandit = model.to_scm(), GLMBandit(model, [do])
    world = bandit.worlds(0, 40, np.random.default_rng(0))
    mirrored = 1 - np.random.default_rng(0).random((40, len(model.variables)))
    from causal_bandits.models.sampling import sample_many

    expected = sample_many(scm.compiled, mirrored, scm.assignment_row(do))
    for i in range(40):
        states, reward = bandit.play(world, i, 0)
        assert states == {v: s for v, s in zip(scm.variables, expected[i].tolist(), strict=True) if v != "U"}
        assert reward == states["Y"]


@pytest.mark.parametrize(
    ("actions", "reward", "message"),
    [
        ([], "Y", "none"),
        ([{}, {"Y": 1}], "Y", "observed variables other than Y"),
        ([{}, {"X": 2}], "Y", "expected 0 or 1"),
        ([{}, {"U": 1}], "Y", "expected 0 or 1"),
        ([{}, {}], "Y", "occurs twice"),
        ([{}], "X", "without effects"),
        ([{}], "U", "without effects"),
    ],
)
def test_wrong_bandits_are_refused(actions, reward, message):
    model = BinaryGLM({"U": 0.5, "X": 0.2, "Y": 0.2}, {"X": {"U": 0.1}, "Y": {"X": 0.1, "U": 0.1}}, hidden=["U"])
    with pytest.raises(ValueError, match=message):
        GLMBandit(model, actions, reward)
