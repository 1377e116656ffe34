"""All expressions for the rewards of arms: every one of them is true, whatever the search leaves open."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import admgs, assert_equals_effect, joint_tables, positive_scm
from twins.z2id import z2id_sources

from causal_bandits.graphs import ADMG, possibly_optimal_intervention_sets
from causal_bandits.identification import NotIdentifiable, identify_conditional, reward_expressions, z2id
from causal_bandits.identification.estimators import MOST_SETS, Search, expressions_among, formula_for_records
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS, NON_MANIPULABLE


def collected(problem, search):
    graph = GRAPHS[problem]
    sets = possibly_optimal_intervention_sets(graph, outcome="Y", non_manipulable=NON_MANIPULABLE[problem])
    return expressions_among(graph, sets, outcome="Y", search=search)


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
    found = expressions_among(graph, sets, outcome="Y", search=Search("minimal"))
    for x in sets:
        others = [z for z in sets if z != x]
        collections = [set(c) for k in range(1, len(others) + 1) for c in combinations(others, k)]
        suffice = [c for c in collections if z2id_sources(graph, "Y", x, c) is not None]
        minimal = [c for c in suffice if not any(other < c for other in suffice)]
        assert set(found[x][1:]) == {z2id(graph, outcome="Y", treatment=x, experiments=c) for c in minimal}


def test_unknown_choices_are_named():
    with pytest.raises(ValueError, match=r"tried='shortest': .*maximal, largest"):
        expressions_among("dag { X -> Y }", ["X"], outcome="Y", search=Search(tried="shortest"))
    with pytest.raises(ValueError, match=r"collections='some': .*all, minimal, single, none"):
        expressions_among("dag { X -> Y }", ["X"], outcome="Y", search=Search(collections="some"))


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
        for chosen, (_, *expressions) in expressions_among(graph, sets, outcome="Y", search=search).items():
            for expression in expressions:
                assert_equals_effect(expression, scm, {"Y"}, chosen)
                checked += 1
                combined += len(expression.experiments) > 1
    assert combined >= 50


def test_sets_that_cannot_be_played_are_refused():
    graph = ADMG([("A", "Y")])
    with pytest.raises(ValueError, match=r"\['A', 'Y'\] .*Y"):
        expressions_among(graph, ["A", "AY"], outcome="Y")
    names = [f"X{i}" for i in range(MOST_SETS + 1)]
    with pytest.raises(ValueError, match=f"{MOST_SETS + 1} .*{MOST_SETS}"):
        expressions_among(ADMG([(v, "Y") for v in names]), [[v] for v in names], outcome="Y")


def test_many_sets_can_be_searched_by_single_collections():
    """Of more sets than all collections allow, each has what it has beside every other one alone."""
    names = [f"X{i}" for i in range(MOST_SETS + 4)]
    graph = ADMG([("X0", "X1"), *((v, "Y") for v in names[1:])])
    found = expressions_among(graph, [[v] for v in names], outcome="Y", search=Search(collections="single"))
    assert len(found) == len(names)
    for x, expressions in found.items():
        others = [frozenset([v]) for v in names if v not in x]
        fewer = {e for other in others for e in expressions_among(graph, [x, other], outcome="Y")[x]}
        assert set(expressions) == fewer


def test_the_possibly_optimal_sets_are_what_reward_expressions_takes(lee2019_task):
    graph, fixed = lee2019_task.scm.graph, lee2019_task.non_manipulable
    sets = {frozenset(arm) for arm in lee2019_task.arms}
    assert expressions_among(graph, sets, outcome="Y") == reward_expressions(graph, outcome="Y", non_manipulable=fixed)


def test_every_formula_that_records_are_asked_for_is_the_effect():
    """Random graphs, one or two treatments, a context or none; each set is minimal among all that adjust."""
    rng, offered, adjusted = np.random.default_rng(66), 0, set[int]()
    for _ in range(300):
        nodes = [*"ABCDEY"[-int(rng.integers(4, 7)) :]]
        order = list(map(str, rng.permutation(nodes)))
        pairs = list(combinations(order, 2))
        graph = ADMG([p for p in pairs if rng.random() < 0.5], [p for p in pairs if rng.random() < 0.1], order)
        others = list(map(str, rng.permutation([v for v in nodes if v != "Y"])))
        x = frozenset(others[: 1 + int(rng.integers(2))])
        c = frozenset(others[2 : 2 + int(rng.integers(2))]) - graph.descendants(x)
        formulas = []

        def gaps(formula, formulas=formulas):
            formulas.append(formula)
            return len(formulas)  # the first has the fewest

        try:
            general = identify_conditional(graph, outcome="Y", treatment=x, given=c)
        except NotIdentifiable:
            with pytest.raises(NotIdentifiable):
                formula_for_records(graph, outcome="Y", treatment=x, given=c, gaps=gaps)
            continue
        chosen = formula_for_records(graph, outcome="Y", treatment=x, given=c, gaps=gaps)
        assert chosen == (formulas[0] if formulas else general)
        scm = positive_scm(graph, rng, max_states=2)
        tables = joint_tables(scm, [()])
        exact = general.evaluate(tables)
        for formula in formulas[:-1]:
            sums = {v.variable for term in formula.terms for v in term.free} - {v.variable for v in formula.free}
            adjusted.add(len(sums))
            offered += 1
            found = formula.evaluate(tables)
            assert set(formula.arguments) <= {"Y", *x, *c}
            for states in np.ndindex(*(2 for _ in formula.arguments)):
                at = dict(zip(formula.arguments, states, strict=True))
                index = tuple(at.get(label, slice(None)) for label in general.arguments)
                np.testing.assert_allclose(exact[index], found[states], atol=1e-10)
    assert offered > 40
    assert adjusted >= {0, 1}


def test_records_are_asked_for_the_formula_that_they_fill():
    def chosen(graph, empty=(), **query):
        def gaps(formula):
            return sum(v in str(formula) for v in empty)

        return str(formula_for_records(graph, outcome="Y", treatment=["X"], gaps=gaps, **query))

    trial = "dag { X -> M -> Y ; W -> M ; W -> Y }"
    assert chosen(trial) == "P(y | x)"
    assert chosen(trial, given=["W"]) == "P(y | w, x)"
    assert chosen("dag { A -> B -> C -> X -> M -> Y ; A -> Y }") == "sum_{a} P(y | a, x) P(a)"
    assert chosen("dag { A -> B -> C -> X -> M -> Y ; A -> Y }", empty="ab") == "sum_{c} P(y | c, x) P(c)"
    two = "dag { A -> X ; B -> X ; A -> C ; B -> C ; C -> Y ; X -> Y }"
    assert chosen(two, empty=["c"]) == "sum_{a,b} P(y | a, b, x) P(a, b)"
    assert chosen(two, empty=["a", "b", "c"]) == "sum_{c} P(y | c, x) P(c)"
    door = "dag { U -> X -> M -> Y ; U -> Y }"
    assert chosen(door, empty=["u"]) == chosen(door) == "sum_{u} P(y | u, x) P(u)"
    assert "m" in chosen("dag { X -> M -> Y ; X <-> Y }")
    many = " ; ".join(f"Z{i} -> {{X Y}}" for i in range(24))
    assert chosen(f"dag {{ X -> M -> Y ; {many} }}", empty=["z"]).count("z") == 3 * 24
