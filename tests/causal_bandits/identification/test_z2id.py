"""z2ID: every formula is true; lee2019's equations and its count of expressions come out."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import assert_equals_effect, causal_queries, positive_scm
from twins.z2id import z2id_sources

from causal_bandits.graphs import ADMG, possibly_optimal_intervention_sets
from causal_bandits.identification import (
    NotIdentifiable,
    reward_expressions,
    z2id,
)
from causal_bandits.identification.c_factors import check_c_factor
from causal_bandits.identification.z2id import TRIED
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS, NON_MANIPULABLE

FOURVAR = GRAPHS["fourvar"]


@st.composite
def queries_with_experiments(draw):
    graph, outcome, treatment = draw(causal_queries(max_nodes=5))
    others = [node for node in graph if node not in outcome]
    subsets = st.lists(st.sampled_from(others), unique=True, max_size=3) if others else st.just([])
    experiments = draw(st.lists(subsets.map(frozenset), unique=True, min_size=1, max_size=4))
    return graph, outcome, treatment, experiments


@pytest.mark.parametrize("tried", TRIED)
def test_every_formula_equals_the_exact_effect_and_needs_no_other_data(tried):
    evaluated = 0

    @settings(max_examples=300)
    @given(queries_with_experiments(), st.integers(0, 2**32 - 1))
    def check(query, seed):
        nonlocal evaluated
        graph, outcome, treatment, experiments = query
        try:
            expression = z2id(graph, outcome=outcome, treatment=treatment, experiments=experiments, tried=tried)
        except NotIdentifiable:
            return
        assert expression.experiments <= set(experiments)
        assert_equals_effect(expression, positive_scm(graph, np.random.default_rng(seed)), outcome, treatment)
        evaluated += 1

    check()
    assert evaluated >= 150


@pytest.mark.parametrize("tried", TRIED)
def test_it_succeeds_and_reads_the_experiments_as_the_printed_algorithm_does(tried):
    succeeded = 0

    @settings(max_examples=300)
    @given(queries_with_experiments())
    def check(query):
        nonlocal succeeded
        graph, outcome, treatment, experiments = query
        expected = z2id_sources(graph, outcome, treatment, experiments, tried)
        if expected is None:
            with pytest.raises(NotIdentifiable):
                z2id(graph, outcome=outcome, treatment=treatment, experiments=experiments, tried=tried)
        else:
            found = z2id(graph, outcome=outcome, treatment=treatment, experiments=experiments, tried=tried)
            assert found.experiments == expected
            succeeded += 1

    check()
    assert 150 <= succeeded < 300


def test_line_6_takes_a_maximal_experiment_within_the_treatment():
    """P(y | do(a, b, c)) could be had from observation or do(A) too."""
    graph = ADMG([("A", "Y"), ("B", "Y"), ("C", "Y")])
    query = {"outcome": "Y", "treatment": ["A", "B", "C"], "experiments": [(), "A", ["A", "B"], "C"]}
    assert z2id(graph, **query).experiments == {frozenset("C")}
    assert z2id(graph, **query, tried="largest").experiments == {frozenset("AB")}


@pytest.mark.parametrize(
    ("treatment", "experiments", "formula"),
    [
        ((), ["B", "C"], "sum_{a,b,c} P_b(c | a) P_c(a, b, y)"),  # Eq. 1
        ("B", [()], "sum_{a,c} P(c | a, b) sum_{b'} P(y | a, b', c) P(a, b')"),  # Eq. 2
        ("C", [()], "sum_{a,b} P(y | a, b, c) P(a, b)"),  # Eq. 3
        ("C", ["B"], "sum_{a} P_b(y | a, c) P_b(a)"),  # Eq. 4
    ],
)
def test_the_equations_of_the_paper(treatment, experiments, formula):
    assert str(z2id(FOURVAR, outcome="Y", treatment=treatment, experiments=experiments)) == formula


def test_the_reward_of_do_b_has_no_expression_in_do_c():
    """lee2019, on Fig. 5b: "except that P_b(y) is not expressed with P_c(v)"."""
    for collection in (["C"], [(), "C"]):
        try:
            assert frozenset("C") not in z2id(FOURVAR, outcome="Y", treatment="B", experiments=collection).experiments
        except NotIdentifiable:
            assert () not in collection


@pytest.mark.parametrize("problem", GRAPHS)
def test_every_arm_has_expressions_of_other_arms_beside_its_trivial_one(problem):
    graph, fixed = GRAPHS[problem], NON_MANIPULABLE[problem]
    found = reward_expressions(graph, outcome="Y", non_manipulable=fixed)
    assert set(found) == possibly_optimal_intervention_sets(graph, outcome="Y", non_manipulable=fixed)
    for chosen, (trivial, *others) in found.items():
        assert trivial.experiments == {chosen}
        assert all(chosen not in expression.experiments for expression in others)


@pytest.mark.parametrize("problem", GRAPHS)
def test_the_tasks_have_the_same_expressions_in_every_topological_order(problem):
    """L09: for these diagrams it does not matter which."""
    graph, usual = (
        GRAPHS[problem],
        reward_expressions(GRAPHS[problem], outcome="Y", non_manipulable=NON_MANIPULABLE[problem]),
    )
    observed = graph.to_networkx().subgraph(graph.nodes)
    orders = list(nx.all_topological_sorts(observed))
    assert len(orders) == {"frontdoor": 1, "fourvar": 2, "sixvar": 7}[problem]
    for order in orders:
        other = ADMG(graph.directed, graph.bidirected)
        other.topological_order = tuple(order)
        assert reward_expressions(other, outcome="Y", non_manipulable=NON_MANIPULABLE[problem]) == usual


def test_a_dropped_part_of_an_experiment_is_a_free_value():
    """Line 9 may throw a member of Z out of the graph: its value is free, and not the treatment's."""
    graph = ADMG([("A", "Y"), ("Y", "B")], [("A", "Y")])
    expression = z2id(graph, outcome="Y", treatment="A", experiments=[{"A", "B"}])
    assert str(expression) == "P_{a,b'}(y)"
    assert expression.arguments == ("A", "B'", "Y")


def test_values_of_idle_variables_are_free():
    # line 11: B does nothing for Y once C is set
    expression = z2id(FOURVAR, outcome="Y", treatment="C", experiments=["B"])
    assert expression.arguments == ("B", "C", "Y")
    assert expression.experiments == {frozenset("B")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"treatment": "B", "experiments": [["Q"], ["A", "R"]]}, "experiments: Q, R .*A, B, C, Y"),
        ({"treatment": ["B", "Y"], "experiments": [[]]}, "Y: .*outcome.*treatment"),
        ({"treatment": "Q", "experiments": [[]]}, "treatment: Q "),
    ],
)
def test_a_wrong_query_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        z2id(FOURVAR, outcome="Y", **arguments)


def test_a_failure_names_the_query_what_is_available_and_what_is_missing():
    missing = r"P\(Y \| do\(B\)\) .*do\(C\): P\(\w(, \w)* \| do\(.*\)\) "
    with pytest.raises(NotIdentifiable, match=missing):
        z2id(FOURVAR, outcome="Y", treatment="B", experiments=["C"])
    with pytest.raises(NotIdentifiable, match=r"P\(Y \| do\(B\)\) "):
        z2id(FOURVAR, outcome="Y", treatment="B", experiments=[])


def test_z2id_gives_what_general_identification_gives_but_for_probabilities_without_observation():
    """gID (Lee, Correa & Bareinboim 2019), by c-factors: each from one experiment that does not touch it.

    For P(y) without observation, z2ID (line 2) wants the c-factors of all variables, also of those that are no
    ancestors of Y. So it misses, for instance, P(y) = P_c(y) where Y causes C.
    """

    def gid(graph, y, x, experiments):
        g = graph.bits
        for component in g.c_components(g.ancestors(g.set_of(y), g.everything & ~g.set_of(x))):
            for experiment in map(g.set_of, experiments):
                if experiment & component:
                    continue
                try:
                    within = g.ancestors(component, g.everything & ~experiment)
                    check_c_factor(graph, component, g.c_component(component, within))
                    break
                except NotIdentifiable:
                    continue
            else:
                return False
        return True

    rng = np.random.default_rng(4)
    verdicts, missed = {True: 0, False: 0}, 0
    for _ in range(1500):
        nodes = [str(v) for v in rng.permutation([*"ABCD"[: rng.integers(2, 5)], "Y"])]
        pairs = list(combinations(nodes, 2))
        graph = ADMG([p for p in pairs if rng.random() < 0.5], [p for p in pairs if rng.random() < 0.4], nodes)
        others = [v for v in graph.nodes if v != "Y"]
        x = [v for v in others if rng.random() < 0.5]
        experiments = [[v for v in others if rng.random() < 0.4] for _ in range(rng.integers(1, 4))]
        try:
            z2id(graph, outcome="Y", treatment=x, experiments=experiments)
            found = True
        except NotIdentifiable:
            found = False
        expected = gid(graph, ["Y"], x, experiments)
        if x or [] in experiments:
            assert found == expected, (graph, x, experiments)
            verdicts[found] += 1
        else:
            assert found <= expected, (graph, experiments)
            missed += found < expected
    assert min(verdicts.values()) >= 150
    assert missed >= 10
