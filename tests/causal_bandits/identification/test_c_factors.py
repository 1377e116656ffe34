"""Tian's c-factors on exact distributions, and where procedure Identify must fail."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import admgs, joint_tables, positive_scm

from causal_bandits.graphs import ADMG
from causal_bandits.identification import NotIdentifiable, c_factor, identify_c_factor
from causal_bandits.identification.c_factors import (
    c_components_within,
    c_factor_of_subset,
)


def assert_is_c_factor(expression, members, scm):
    """Q[S] is P(s | do(everything else)), at all values of the expression's arguments."""
    value = expression.evaluate(joint_tables(scm, expression.experiments))
    others = [v for v in scm.graph if v not in members]
    for states in product(*map(range, value.shape)):
        at = dict(zip(expression.arguments, states, strict=True))
        exact = scm.distribution(sorted(members), {v: at.get(v, 0) for v in others})
        np.testing.assert_allclose(value[states], exact[tuple(at[v] for v in sorted(members))], atol=1e-10)


def test_c_factors_equal_the_distribution_under_intervention_on_everything_else():
    identified = refused = 0

    @settings(max_examples=150)
    @given(admgs(max_nodes=5), st.integers(0, 2**32 - 1), st.data())
    def check(graph, seed, data):
        nonlocal identified, refused
        scm, nodes = positive_scm(graph, np.random.default_rng(seed), max_states=2), frozenset(graph)
        component = data.draw(st.sampled_from(c_components_within(graph, nodes)))
        q = c_factor(graph, component, nodes)
        assert_is_c_factor(q, component, scm)
        # The same by Lemma 4, from the joint distribution of all nodes.
        assert_is_c_factor(c_factor_of_subset(graph, component, nodes, c_factor(graph, nodes, nodes)), component, scm)
        part = frozenset(data.draw(st.lists(st.sampled_from(sorted(component)), unique=True, min_size=1)))
        target = c_components_within(graph, part)[0]
        try:
            found = identify_c_factor(graph, target, component, q)
        except NotIdentifiable:
            refused += 1
            return
        assert_is_c_factor(found, target, scm)
        identified += target != component

    check()
    assert identified > 10
    assert refused > 10


def test_a_hedge_is_named():
    bow = ADMG([("X", "Y")], [("X", "Y")])
    with pytest.raises(NotIdentifiable, match=r"Q\[Y\] .*Q\[X, Y\]"):
        identify_c_factor(bow, frozenset("Y"), frozenset("XY"), c_factor(bow, frozenset("XY"), frozenset("XY")))


def test_the_c_factor_conditions_only_on_what_matters():
    graph = ADMG([("A", "E"), ("B", "C"), ("C", "D"), ("C", "E"), ("D", "Y"), ("E", "Y")], [("A", "Y"), ("B", "Y")])
    q = c_factor(graph, frozenset("ABY"), frozenset(graph.nodes))
    assert str(q) == "P(y | a, b, d, e) P(a) P(b)"  # the term that lee2019 quotes for Fig. 5d
