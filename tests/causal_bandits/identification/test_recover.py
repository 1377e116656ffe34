"""RC*: what it recovers from selected data is true, and without selection it recovers what ID identifies."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import causal_queries, positive_scm

from causal_bandits.graphs import ADMG
from causal_bandits.identification import (
    NotIdentifiable,
    NotRecoverable,
    c_factorisation,
    identify,
    recover_c_factor,
    selected,
    simplify,
)
from causal_bandits.identification.expression import product_of, sum_over, values_of


def random_graph(rng, sizes=(4, 7), directed=0.35, bidirected=0.15, into_s=0.2):
    """A random ADMG over four to six variables and the selection node, the variables in random order."""
    names = "ABCDEF"[: rng.integers(*sizes)]
    order = [*rng.permutation(list(names)).tolist(), "S"]
    pairs = list(combinations(order, 2))
    return ADMG(
        [(a, b) for a, b in pairs if rng.random() < (into_s if b == "S" else directed)],
        [pair for pair in pairs if rng.random() < bidirected],
        nodes=order,
    )


def graph_for_line_15(rng):
    """B shares a c-component with A, an ancestor of S, until the removal of F cuts D, which joins them, off."""
    order = ["G", "A", "D", "F", "B", "E", "S"]
    more = [pair for pair in combinations(order, 2) if rng.random() < 0.15]
    return ADMG([("A", "S"), ("D", "F"), ("F", "B"), *more], [("A", "D"), ("D", "B")], nodes=order)


def random_query(rng, graph):
    observed = [v for v in graph.nodes if v != "S"]
    outcome = str(rng.choice(observed))
    return outcome, [v for v in observed if v != outcome and rng.random() < 0.3]


def assert_is_c_factor(expression, members, scm, rng):
    """Q[E] is P(e | do(everything else)), at all values of the expression's arguments."""
    observed = [v for v in scm.graph.nodes if v != "S"]
    value = expression.evaluate(selected(scm.distribution(observed, given={"S": 1}), observed))
    labels, members = expression.arguments, sorted(members)
    assert set(members) <= set(labels)
    for states in product(*map(range, value.shape)):
        at = dict(zip(labels, states, strict=True))
        do = {v: at.get(v, int(rng.integers(2))) for v in observed if v not in members}  # others do not matter
        exact = scm.distribution(members, do)[tuple(at[v] for v in members)]
        assert abs(value[states] - exact) < 1e-10


def test_every_recovered_c_factor_is_exact():
    recovered = lost = 0
    for seed in range(500):
        rng = np.random.default_rng(seed)
        graph = random_graph(rng)
        scm = positive_scm(graph, rng, max_states=2)
        outcome, treatment = random_query(rng, graph)
        for factor in c_factorisation(graph, outcome=outcome, treatment=treatment):
            assert factor.scope == factor.members | graph.parents(factor.members)
            if factor.expression is None:
                lost += 1
            else:
                assert_is_c_factor(factor.expression, factor.members, scm, rng)
                recovered += 1
    assert recovered >= 300
    assert lost >= 100


def test_c_factors_that_take_the_recursion_of_line_15_are_exact():
    """B's c-component holds an ancestor of S in the graph of the first call, so that only line 15 can help."""
    checked = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        graph = graph_for_line_15(rng)
        first = graph.subgraph(graph.ancestors({"B", "S"}))
        if not first.c_component("B") & first.ancestors("S"):
            continue
        try:
            expression = recover_c_factor(graph, "B")
        except NotRecoverable:
            continue
        assert_is_c_factor(expression, "B", positive_scm(graph, rng, max_states=2), rng)
        checked += 1
    assert checked >= 40


def recover(graph, outcome, treatment):
    """P(outcome | do(treatment)) from its c-factors (huang2024, Eq. 4)."""
    factors = c_factorisation(graph, outcome=outcome, treatment=treatment)
    if any(factor.expression is None for factor in factors):
        raise NotRecoverable("; ".join(str(sorted(f.members)) for f in factors if f.expression is None))
    others = set().union(*(factor.members for factor in factors)) - set(outcome)
    return simplify(sum_over(values_of(others), product_of(f.expression for f in factors)))


def test_every_recovered_effect_is_exact():
    checked = 0
    for seed in range(300):
        rng = np.random.default_rng(1000 + seed)
        graph = random_graph(rng)
        outcome, treatment = random_query(rng, graph)
        try:
            expression = recover(graph, outcome=outcome, treatment=treatment)
        except NotRecoverable:
            continue
        scm = positive_scm(graph, rng)
        observed = [v for v in graph.nodes if v != "S"]
        value = expression.evaluate(selected(scm.distribution(observed, given={"S": 1}), observed))
        for states in product(*map(range, value.shape)):
            at = dict(zip(expression.arguments, states, strict=True))
            do = {v: at.get(v, 0) for v in treatment}
            assert abs(value[states] - scm.distribution([outcome], do)[at[outcome]]) < 1e-10
        checked += 1
    assert checked >= 60


@settings(max_examples=300)
@given(causal_queries(max_nodes=5))
def test_without_edges_into_the_selection_node_it_recovers_what_is_identifiable(query):
    graph, outcome, treatment = query
    with_s = ADMG(graph.directed, graph.bidirected, nodes=[*graph, "S"])

    def succeeds(procedure, graph):
        try:
            procedure(graph, outcome=outcome, treatment=treatment)
        except NotIdentifiable:
            return False
        return True

    assert succeeds(recover, with_s) == succeeds(identify, graph)


@pytest.mark.parametrize(
    ("graph", "formula"),
    [
        (ADMG([("X", "Y"), ("X", "S")]), "P(y | s, x)"),
        (ADMG([("X", "Y"), ("Z", "Y"), ("Z", "X"), ("X", "S")], [("X", "S")]), None),
        (ADMG([("X", "Z"), ("Z", "Y"), ("X", "S")], [("X", "Y")]), None),
        (
            ADMG([("X", "Z"), ("Z", "Y")], [("X", "Y")], nodes="S"),
            "sum_{z} P(z | s, x) sum_{x'} P(x' | s) P(y | s, x', z)",
        ),
        (ADMG([("Z", "Y"), ("X", "Y"), ("X", "S")]), "sum_{z} P(y | s, x, z) P(z | s)"),
    ],
)
def test_small_examples(graph, formula):
    if formula is None:
        with pytest.raises(NotRecoverable):
            recover(graph, outcome="Y", treatment="X")
    else:
        assert str(recover(graph, outcome="Y", treatment="X")) == formula


def test_where_identify_fails_nothing_is_recovered():
    """Read to the letter, line 15 would go on in a graph that no longer holds E."""
    bow = ADMG([("X", "Y")], [("X", "Y")], nodes="S")
    with pytest.raises(NotRecoverable, match=r"Q\[Y\].*Q\[X, Y\]"):
        recover_c_factor(bow, "Y")


@pytest.mark.parametrize(
    ("graph", "outcome", "treatment", "message"),
    [
        (ADMG([("X", "Y"), ("S", "Y")]), "Y", "X", "selection: S .*Y"),
        (ADMG([("X", "Y")]), "Y", "X", "selection: S "),
        (ADMG([("X", "Y")], nodes="S"), "Q", "X", "outcome: Q "),
        (ADMG([("X", "Y")], nodes="S"), "Y", "Y", "Y: .*outcome.*treatment"),
        (ADMG([("X", "Y")], nodes="S"), "Y", "S", "S: .*selection.*treatment"),
        (ADMG([("X", "Y")], nodes="S"), [], "X", "outcome: "),
    ],
)
def test_a_wrong_query_is_named(graph, outcome, treatment, message):
    with pytest.raises(ValueError, match=message):
        c_factorisation(graph, outcome=outcome, treatment=treatment)


def test_a_set_that_is_no_c_component_is_refused():
    with pytest.raises(ValueError, match="A, B: "):
        recover_c_factor(ADMG([("A", "B")], nodes="S"), {"A", "B"})


def test_the_selection_node_is_no_member_of_a_c_factor():
    graph = ADMG([("X", "Y"), ("X", "S")])
    with pytest.raises(ValueError, match="S: both selection and members"):
        recover_c_factor(graph, ["S"])
    with pytest.raises(ValueError, match="S: both selection and outcome"):
        c_factorisation(graph, outcome="S", treatment="X")
