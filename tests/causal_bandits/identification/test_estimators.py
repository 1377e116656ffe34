"""All expressions for the rewards of arms: every one of them is true, whatever the search leaves open."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import admgs, assert_equals_effect, positive_scm
from twins.z2id import z2id_sources

from causal_bandits.graphs import ADMG, possibly_optimal_intervention_sets
from causal_bandits.identification import reward_expressions, z2id
from causal_bandits.identification.estimators import MOST_SETS, Search, expressions_among
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS, NON_MANIPULABLE


def collected(problem, search):
    graph = GRAPHS[problem]
    sets = possibly_optimal_intervention_sets(graph, outcome="Y", non_manipulable=NON_MANIPULABLE[problem])
    return expressions_among(graph, "Y", sets, search)


@pytest.mark.parametrize(
    ("problem", "search", "per_set"),
    [
        ("frontdoor", Search(), [0, 1]),
        ("fourvar", Search(), [1, 1, 2]),
        ("sixvar", Search(), [12, 5, 5, 5, 3, 5]),
        ("sixvar", Search(collections="minimal"), [5, 3, 5, 3, 3, 5]),  # 24, the number that lee2019 gives
        ("sixvar", Search(tried="largest"), [11, 4, 5, 5, 3, 5]),
        ("sixvar", Search(collections="single"), [0, 1, 1, 1, 3, 5]),
        ("sixvar", Search(collections="none"), [0, 0, 0, 0, 0, 0]),
    ],
)
def test_each_search_finds_its_number_of_expressions_all_of_them_true(problem, search, per_set):
    """L08: per intervention set, beside the trivial ones, any free value as one."""
    found = collected(problem, search)
    assert [len(expressions) - 1 for expressions in found.values()] == per_set
    scm = positive_scm(GRAPHS[problem], np.random.default_rng(1), max_states=2)
    for chosen, (_, *expressions) in found.items():
        for expression in expressions:
            assert_equals_effect(expression, scm, {"Y"}, chosen)


@settings(max_examples=60)
@given(admgs(max_nodes=5), st.data())
def test_minimal_collections_hold_no_other_that_suffices(graph, data):
    """Against all collections, one by one, by the plain z2ID."""
    rest = [node for node in graph if node != "Y"]
    subsets = [frozenset(s) for k in range(len(rest) + 1) for s in combinations(rest, k)]
    sets = data.draw(st.lists(st.sampled_from(subsets), unique=True, min_size=1, max_size=4))
    found = expressions_among(graph, "Y", sets, Search("minimal"))
    for x in sets:
        others = [z for z in sets if z != x]
        collections = [set(c) for k in range(1, len(others) + 1) for c in combinations(others, k)]
        suffice = [c for c in collections if z2id_sources(graph, "Y", x, c) is not None]
        minimal = [c for c in suffice if not any(other < c for other in suffice)]
        assert set(found[x][1:]) == {z2id(graph, outcome="Y", treatment=x, experiments=c) for c in minimal}


def test_unknown_choices_are_named():
    with pytest.raises(ValueError, match=r"tried='shortest': .*maximal, largest"):
        expressions_among("dag { X -> Y }", "Y", [{"X"}], Search(tried="shortest"))
    with pytest.raises(ValueError, match=r"collections='some': .*all, minimal, single, none"):
        expressions_among("dag { X -> Y }", "Y", [{"X"}], Search(collections="some"))


SEARCHES = [Search(), Search("minimal"), Search(tried="largest")]


@pytest.mark.parametrize("search", SEARCHES)
def test_expressions_that_combine_data_are_true_on_random_graphs(search):
    """Random queries seldom need more than one term: here are all expressions of all arms beside the trivial ones."""
    rng, checked, combined = np.random.default_rng(0), 0, 0
    while checked < 300:
        order = [*rng.permutation(list("ABCD")[: rng.integers(3, 5)]), "Y"]
        pairs = list(combinations(order, 2))
        kinds = rng.integers(5, size=len(pairs))
        directed = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind in (0, 1, 2)]
        bidirected = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind in (2, 3)]
        graph = ADMG(directed, bidirected, nodes=order)
        fixed = frozenset(rng.choice(order[:-1], size=rng.integers(3), replace=False).tolist())
        sets = possibly_optimal_intervention_sets(graph, outcome="Y", non_manipulable=fixed)
        if len(sets) > 5:  # collections double with every set
            continue
        scm = positive_scm(graph, rng, max_states=2)
        for chosen, (_, *expressions) in expressions_among(graph, "Y", sets, search).items():
            for expression in expressions:
                assert_equals_effect(expression, scm, {"Y"}, chosen)
                checked += 1
                combined += len(expression.experiments) > 1
    assert combined >= 50


def test_sets_that_cannot_be_played_are_refused():
    graph = ADMG([("A", "Y")])
    with pytest.raises(ValueError, match=r"\['A', 'Y'\] .*Y"):
        expressions_among(graph, "Y", ["A", "AY"])
    names = [f"X{i}" for i in range(MOST_SETS + 1)]
    with pytest.raises(ValueError, match=f"{MOST_SETS + 1} .*{MOST_SETS}"):
        expressions_among(ADMG([(v, "Y") for v in names]), "Y", [[v] for v in names])


def test_many_sets_can_be_searched_by_single_collections():
    """Of more sets than all collections allow, each has what it has beside every other one alone."""
    names = [f"X{i}" for i in range(MOST_SETS + 4)]
    graph = ADMG([("X0", "X1"), *((v, "Y") for v in names[1:])])
    found = expressions_among(graph, "Y", [[v] for v in names], Search(collections="single"))
    assert len(found) == len(names)
    for x, expressions in found.items():
        others = [frozenset([v]) for v in names if v not in x]
        fewer = {e for other in others for e in expressions_among(graph, "Y", [x, other])[x]}
        assert set(expressions) == fewer


def test_the_possibly_optimal_sets_are_what_reward_expressions_takes(lee2019_task):
    graph, fixed = lee2019_task.scm.graph, lee2019_task.non_manipulable
    sets = {frozenset(arm) for arm in lee2019_task.arms}
    assert expressions_among(graph, "Y", sets) == reward_expressions(graph, "Y", fixed)
