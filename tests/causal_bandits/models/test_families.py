"""Families of random models: what a draw looks like, and that a model is its probabilities of one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import admgs

from causal_bandits.graphs import ADMG
from causal_bandits.models import FAMILIES, SCMBandit, from_ones, noisy_gates, uniform_cpt

FRONT_DOOR = ADMG(directed=[("X", "Z"), ("Z", "Y")], bidirected=[("X", "Y")])


TWO_CAUSES = ADMG(directed=[("A", "Y"), ("B", "Y")])


def table_of(gate, draw, **settings):
    """P(Y=1 | A, B) of one draw of a gate."""
    scm = noisy_gates(TWO_CAUSES, np.random.default_rng(draw), gates=(gate,), noise=(0.05, 0.05), **settings)
    return np.array([[scm.expectation("Y", do={"A": a, "B": b}) for b in (0, 1)] for a in (0, 1)])


@pytest.mark.parametrize(
    ("gate", "ones"), [("xor", [[0, 1], [1, 0]]), ("and", [[0, 0], [0, 1]]), ("or", [[0, 1], [1, 1]])]
)
def test_gates_are_what_their_names_say(gate, ones):
    np.testing.assert_allclose(table_of(gate, 0), np.where(ones, 0.95, 0.05))
    seen = {tuple((table_of(gate, draw, negations=True) > 0.5).ravel()) for draw in range(60)}
    flipped = [np.array(ones, dtype=bool)[np.ix_(a, b)] for a, b in product(([0, 1], [1, 0]), repeat=2)]
    assert seen == {tuple(table.ravel()) for table in flipped}


def test_every_variable_draws_a_gate_of_its_own():
    graph = ADMG([("A", "M"), ("B", "M"), ("A", "Y"), ("B", "Y"), ("M", "Y")])
    found = set()
    for draw in range(40):
        scm = noisy_gates(graph, np.random.default_rng(draw), gates=("and", "or"))
        ones = [int((np.asarray(scm.cpt(v).table)[..., 1] > 0.5).sum()) for v in "MY"]
        found.add(tuple(ones))
    assert found == {(1, 1), (1, 7), (3, 1), (3, 7)}


@pytest.mark.parametrize(("name", "low", "high"), [("skewed_cpt", 0.01, 0.99), ("noisy_xor", 0.4, 0.6)])
def test_confounders_are_between_their_ends(name, low, high):
    ones = [FAMILIES[name](FRONT_DOOR, np.random.default_rng(d)).distribution(["U_XY"])[1] for d in range(200)]
    assert low <= min(ones) < low + 0.1 * (high - low)
    assert high - 0.1 * (high - low) < max(ones) <= high
    fair = uniform_cpt(FRONT_DOOR, np.random.default_rng(0))
    assert fair.distribution(["U_XY"])[1] == 0.5


def test_noise_is_between_its_ends_and_wider_at_the_roots():
    models = [FAMILIES["noisy_xor"](TWO_CAUSES, np.random.default_rng(draw)) for draw in range(200)]
    for ones, low, high in (
        ([np.asarray(scm.cpt("Y").table)[0, 0, 1] for scm in models], 0.01, 0.1),
        ([scm.distribution(["A"])[1] for scm in models], 0.1, 0.9),
    ):
        assert low <= min(ones) < low + 0.1 * (high - low)
        assert high - 0.1 * (high - low) < max(ones) <= high


def test_negations_make_doing_nothing_optimal_in_the_front_door_graph():
    """L70: without them Y is the parity of noise bits under do(), mostly 0, and do(X) gives about 1/2."""

    def share(name):
        bandits = [
            SCMBandit(FAMILIES[name](FRONT_DOOR, np.random.default_rng(draw)), "Y", frozenset("Z"), "possibly_optimal")
            for draw in range(100)
        ]
        assert list(bandits[0].arms) == [{}, {"X": 0}, {"X": 1}]
        return sum(bandit.means[0] >= bandit.means.max() for bandit in bandits)

    assert share("noisy_xor") == 0
    assert 35 <= share("negated_xor") <= 65


@settings(max_examples=50)
@given(admgs(max_nodes=5), st.sampled_from(sorted(FAMILIES)), st.integers(0, 2**32 - 1))
def test_a_model_is_its_probabilities_of_one(graph, name, seed):
    scm = FAMILIES[name](graph, np.random.default_rng(seed))
    ones = {v: np.asarray(scm.cpt(v).table)[..., 1] for v in scm.variables}
    again = from_ones(graph, ones)
    assert (again.graph, again.hidden) == (scm.graph, scm.hidden)
    for v in scm.variables:
        assert again.cpt(v).parents == scm.cpt(v).parents
        np.testing.assert_array_equal(again.cpt(v).table, scm.cpt(v).table)


def test_hundredths_have_two_decimals_and_gates_that_only_noise_flips():
    for draw in range(50):
        scm = FAMILIES["hundredths_xor"](FRONT_DOOR, np.random.default_rng(draw))
        for name in ("U_XY", "X", "Z", "Y"):
            ones = np.asarray(scm.cpt(name).table)[..., 1]
            assert np.allclose(100 * ones, np.round(100 * ones))
            assert 0.01 - 1e-9 <= ones.min() <= ones.max() <= 0.99 + 1e-9
            parity = np.indices(ones.shape).sum(axis=0) % 2
            flip = np.ravel(ones)[0]
            assert np.allclose(ones, np.where(parity, 1 - flip, flip))
