"""MIS and POMIS: what lee2019 states, and enumeration by definition on random graphs."""

import time
from itertools import chain, combinations, pairwise

import pytest
from hypothesis import given, settings
from strategies import admgs_with_constraints

from causal_bandits.graphs import (
    ADMG,
    brute_force,
    interventional_border,
    minimal_intervention_sets,
    muct,
    possibly_optimal_intervention_sets,
)
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS


def subsets(variables):
    ordered = sorted(variables)
    return [frozenset(s) for s in chain.from_iterable(combinations(ordered, k) for k in range(len(ordered) + 1))]


def family(*sets):
    return frozenset(frozenset(s) for s in sets)


def manipulable(graph, fixed):
    return set(graph) - {"Y"} - fixed


@settings(max_examples=300)
@given(admgs_with_constraints())
def test_minimal_sets_equal_enumeration_by_the_do_calculus(instance):
    """Twin: X is minimal iff rule 3 never lets a non-empty part of X be dropped (d-separation)."""
    graph, fixed = instance

    def is_minimal(chosen):
        cut = graph.do(chosen)
        return not any(part and cut.is_d_separated("Y", part, chosen - part) for part in subsets(chosen))

    expected = {chosen for chosen in subsets(manipulable(graph, fixed)) if is_minimal(chosen)}
    assert minimal_intervention_sets(graph, outcome="Y", non_manipulable=fixed) == expected


@settings(max_examples=300)
@given(admgs_with_constraints())
def test_possibly_optimal_sets_equal_enumeration_by_definition(instance):
    """Twin: X is a POMIS iff the interventional border of the projected graph under do(X) is X (lee2019, Thm 4)."""
    graph, fixed = instance
    projected = graph.latent_projection(set(graph) - fixed)
    expected = {
        chosen
        for chosen in subsets(manipulable(graph, fixed))
        if interventional_border(projected.do(chosen), outcome="Y") == chosen
    }
    assert possibly_optimal_intervention_sets(graph, outcome="Y", non_manipulable=fixed) == expected


@given(admgs_with_constraints())
def test_possibly_optimal_sets_are_minimal_and_proposition_1_holds(instance):
    graph, fixed = instance
    constrained = possibly_optimal_intervention_sets(graph, outcome="Y", non_manipulable=fixed)
    assert (
        constrained
        <= minimal_intervention_sets(graph, outcome="Y", non_manipulable=fixed)
        <= brute_force(graph, outcome="Y", non_manipulable=fixed)
    )
    unconstrained = possibly_optimal_intervention_sets(graph, outcome="Y")
    assert {chosen for chosen in unconstrained if not chosen & fixed} <= constrained


def test_front_door_sets_with_and_without_the_constraint():
    graph = GRAPHS["frontdoor"]
    assert possibly_optimal_intervention_sets(graph, outcome="Y") == family("", "Z")
    assert possibly_optimal_intervention_sets(graph, outcome="Y", non_manipulable={"Z"}) == family("", "X")
    assert minimal_intervention_sets(graph, outcome="Y") == family("", "X", "Z")
    assert len(brute_force(graph, outcome="Y")) == 4


@pytest.mark.parametrize(
    ("fixed", "expected"),
    [
        ("", family("", "A", "AC")),
        ("A", family("", "B", "C")),
        ("B", family("", "A", "AC")),
        ("C", family("", "A", "AB")),
    ],
)
def test_four_variable_graph_has_the_sets_the_paper_states(fixed, expected):
    assert possibly_optimal_intervention_sets(GRAPHS["fourvar"], outcome="Y", non_manipulable=set(fixed)) == expected


def test_four_variable_graph_territories_and_borders_of_figure_2():
    graph = GRAPHS["fourvar"]
    assert (muct(graph, outcome="Y"), interventional_border(graph, outcome="Y")) == (set("ABCY"), set())
    cut = graph.do("A")
    assert (muct(cut, outcome="Y"), interventional_border(cut, outcome="Y")) == (set("BCY"), {"A"})
    assert interventional_border(graph.do("B"), outcome="Y") != {"B"}
    assert interventional_border(graph.do({"A", "C"}), outcome="Y") == {"A", "C"}


def test_six_variable_graph_sets():
    graph, fixed = GRAPHS["sixvar"], {"A", "C"}
    optimal = family("", "B", "D", "E", "BD", "DE")
    assert possibly_optimal_intervention_sets(graph, outcome="Y", non_manipulable=fixed) == optimal
    assert minimal_intervention_sets(graph, outcome="Y", non_manipulable=fixed) == optimal | family("BE")
    assert len(brute_force(graph, outcome="Y", non_manipulable=fixed)) == 8


def chains(n):
    """Y and n - 1 variables in a row, each with edges of both kinds to the next and the one after it."""
    names = [f"X{i:02}" for i in range(n - 1)] + ["Y"]
    edges = [*pairwise(names), *zip(names, names[2:], strict=False)]
    return ADMG(edges, edges)


def test_the_intervention_sets_of_twenty_two_variables_take_a_moment():
    start = time.process_time()
    found = possibly_optimal_intervention_sets(chains(22), outcome="Y")
    assert time.process_time() - start < 3  # 0.4 s on an idle core
    assert len(found) == 46_367
    projected = chains(22)
    for chosen in list(found)[::4000]:
        assert interventional_border(projected.do(chosen), outcome="Y") == chosen


def test_thirty_variables_with_few_intervention_sets_take_a_moment():
    names = [f"X{i:02}" for i in range(29)] + ["Y"]
    chain = list(pairwise(names))
    start = time.process_time()
    assert minimal_intervention_sets(ADMG(chain), outcome="Y") == {frozenset(), *(frozenset([v]) for v in names[:-1])}
    assert possibly_optimal_intervention_sets(ADMG(chain), outcome="Y") == {frozenset([names[-2]])}
    # With confounded neighbours, a cut anywhere leaves everything behind it and the variable itself.
    assert possibly_optimal_intervention_sets(ADMG(chain, chain), outcome="Y") == {
        frozenset(),
        *(frozenset([v]) for v in names[:-1]),
    }
    assert time.process_time() - start < 2


def test_a_wrong_variable_is_named():
    with pytest.raises(ValueError, match=r"Q .*A, Y"):
        possibly_optimal_intervention_sets(ADMG([("A", "Y")]), outcome="Y", non_manipulable={"Q"})
    with pytest.raises(ValueError, match=r"R .*A, Y"):
        muct(ADMG([("A", "Y")]), outcome="R")
