"""Binary GLMs: exact expectations against tables and samples, worlds, and what is refused."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit, sampled_expectation


@st.composite
def glms(draw, max_nodes=6, links=("linear", "logistic")):
    """A random model over A, B, ... and Y, with one hidden variable or none; edges may have weight 0."""
    size = draw(st.integers(2, max_nodes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    order = [*"ABCDEFG"[: size - 1], "Y"]
    hidden = ["U"] if draw(st.booleans()) else []
    base, weights, chosen = dict.fromkeys(hidden, 0.4), {}, {}
    for i, v in enumerate(order):
        own = [p for p in [*hidden, *order[:i]] if rng.random() < 0.6]
        chosen[v] = str(rng.choice(list(links)))
        if chosen[v] == "linear":
            room = rng.dirichlet(np.ones(len(own) + 2))
            signs = rng.choice([-1, 1], len(own))
            base[v] = room[-1] + room[:-2][signs < 0].sum()
            weights[v] = dict(zip(own, room[:-2] * signs, strict=True))
        else:
            base[v] = rng.normal()
            weights[v] = dict(zip(own, rng.normal(0, 2, len(own)) * rng.integers(0, 2, len(own)), strict=True))
    return BinaryGLM(base, weights, chosen, hidden)


@st.composite
def interventions(draw, model):
    others = [v for v in model.graph if v != "Y"]
    return draw(st.dictionaries(st.sampled_from(others), st.integers(0, 1), max_size=2))


@given(glms(), st.data())
def test_expectations_are_those_of_the_tables(model, data):
    do = data.draw(interventions(model))
    scm = model.to_scm()
    assert scm.graph == model.graph
    assert scm.variables == model.variables
    assert model.expectation("Y", do) == pytest.approx(scm.expectation("Y", do=do), abs=1e-12)


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


def test_a_wide_linear_model_is_exact_and_a_wide_logistic_one_is_sampled():
    causes = [f"X{i}" for i in range(60)]
    base = {**dict.fromkeys(causes, 0.3), "Y": 0.1}
    wide = BinaryGLM(base, {"Y": dict.fromkeys(causes, 0.01)})
    assert wide.expectation("Y", {"X0": 1}) == pytest.approx(0.1 + 0.01 + 59 * 0.003)
    with pytest.raises(ValueError, match="too many for a table"):
        wide.to_scm()
    logistic = BinaryGLM(base | {"Y": -2.0}, {"Y": dict.fromkeys(causes, 0.1)}, {"Y": "logistic"})
    with pytest.raises(ValueError, match="61 variables are needed at once"):
        logistic.expectation("Y")
    mean, error = sampled_expectation(logistic, "Y", {}, 40_000, np.random.default_rng(1))
    score = -2 + 0.1 * np.arange(61)
    from scipy.stats import binom

    exact = (binom.pmf(np.arange(61), 60, 0.3) / (1 + np.exp(-score))).sum()
    assert error < 0.0025
    assert abs(mean - exact) < 4 * error


def test_a_long_logistic_chain_keeps_two_variables():
    names = [f"X{i:03}" for i in range(200)] + ["Y"]
    pairs = list(pairwise(names))
    model = BinaryGLM(dict.fromkeys(names, -1.0), {b: {a: 2.0} for a, b in pairs}, dict.fromkeys(names, "logistic"))
    p = 1 / (1 + np.exp(1))
    for _ in pairs:
        p = p / (1 + np.exp(-1)) + (1 - p) / (1 + np.exp(1))
    assert model.expectation("Y") == pytest.approx(p, abs=1e-12)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (({"Y": 0.5}, {"Y": {"X": 0.1}}), "no base for X"),
        (({"X": 0.5, "Y": 0.5}, {"Y": {"X": 0.6}}), "probabilities from 0.5 to 1.1"),
        (({"X": 0.5, "Y": 0.5}, {"Y": {"X": -0.6}}), "probabilities from -0.1 to 0.5"),
        (({"X": 0.5, "Y": 0.5}, {}, {"Y": "probit"}), "'probit'; expected one of linear, logistic"),
        (({"X": 0.5, "U": 0.5}, {"U": {"X": 0.1}}, {}, ["U"]), "hidden variables are roots"),
        (({"X": 0.2, "Y": 0.2}, {"Y": {"X": 0.1}, "X": {"Y": 0.1}}), "directed cycle"),
    ],
)
def test_wrong_models_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        BinaryGLM(*settings)


@pytest.mark.parametrize(
    ("actions", "reward", "message"),
    [
        ([], "Y", "none"),
        ([{}, {"Y": 1}], "Y", "observed variables other than Y"),
        ([{}, {"X": 2}], "Y", "expected 0 or 1"),
        ([{}, {"U": 1}], "Y", "expected 0 or 1"),
        ([{}, {}], "Y", "stands twice"),
        ([{}], "X", "without effects"),
        ([{}], "U", "without effects"),
    ],
)
def test_wrong_bandits_are_refused(actions, reward, message):
    model = BinaryGLM({"U": 0.5, "X": 0.2, "Y": 0.2}, {"X": {"U": 0.1}, "Y": {"X": 0.1, "U": 0.1}}, hidden=["U"])
    with pytest.raises(ValueError, match=message):
        GLMBandit(model, actions, reward)
