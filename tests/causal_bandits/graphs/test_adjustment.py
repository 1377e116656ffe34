"""The adjustment criterion: it holds exactly where the formula on exact distributions is the effect."""

from functools import cache
from itertools import chain, combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import positive_scm

from causal_bandits.graphs import (
    ADMG,
    AdjustmentPair,
    admissible_sets,
    is_admissible,
)


def subsets(items, smallest=0):
    return chain.from_iterable(combinations(sorted(items), k) for k in range(smallest, len(items) + 1))


def queries(nodes):
    """All X, Y, Z, Z^T over the nodes."""
    for y in nodes:
        for x in subsets(set(nodes) - {y}, smallest=1):
            for z in subsets(set(nodes) - {y, *x}):
                for zt in subsets(z):
                    yield x, y, z, zt


@st.composite
def graphs_with_selection(draw, nodes=5):
    names = [*"ABCDE"[: nodes - 1], "S"]
    pairs = list(combinations(names, 2))
    kinds = draw(st.lists(st.integers(0, 6), min_size=len(pairs), max_size=len(pairs)))
    return graph_of(names, pairs, kinds)


def graph_of(names, pairs, kinds):
    """Each pair with a directed edge, a bidirected edge, both or none."""
    directed = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind in (0, 1, 2)]
    bidirected = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind in (2, 3)]
    return ADMG(directed, bidirected, nodes=list(names))


@settings(max_examples=60)
@given(graphs_with_selection(), st.booleans(), st.sampled_from(["A", "C", "AC"]))
def test_the_search_finds_all_pairs_smallest_first(graph, with_selection, treatment):
    s, x = "S" if with_selection else None, set(treatment)
    rest = set("ABCS" if s is None else "ABC") - x
    expected = [
        AdjustmentPair(frozenset(z), frozenset(zt))
        for z in subsets(rest)
        for zt in subsets(set(z) & {"B"})
        if is_admissible(graph, treatment=x, outcome="D", covariates=z, external=zt, selection=s)
    ]
    assert list(admissible_sets(graph, treatment=x, outcome="D", external="B", selection=s)) == expected


def random_instances(count):
    """Random graphs over two to four variables and S, with random binary models."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        names = [*"ABCD"[: rng.integers(2, 5)], "S"]
        pairs = list(combinations(names, 2))
        directed = [pair for pair in pairs if rng.random() < 0.4]
        bidirected = [pair for pair in pairs if rng.random() < 0.2]
        graph = ADMG(directed, bidirected, nodes=list(names))
        yield graph, names[:-1], positive_scm(graph, rng, max_states=2)


def marginal(table, nodes, kept):
    """A joint table's marginal, its axes in the order of ``kept``."""
    summed = table.sum(axis=tuple(i for i, v in enumerate(nodes) if v not in kept))
    left = [v for v in nodes if v in kept]
    return summed.transpose([left.index(v) for v in kept])


def adjusted(selected, whole, nodes, x, y, z, zt):
    """The adjustment formula on exact distributions: with the selected units', and the whole population's for Z^T."""
    biased = sorted(set(z) - set(zt))
    data = marginal(selected, nodes, [*x, *zt, *biased, y]).reshape(2 ** len(x), 2 ** len(zt), 2 ** len(biased), 2)
    conditional = data / data.sum(axis=3, keepdims=True)
    weight = data.sum(axis=(0, 3))
    if zt:
        weight = weight / weight.sum(axis=1, keepdims=True) * marginal(whole, nodes, list(zt)).reshape(-1, 1)
    return np.einsum("xaby,ab->xy", conditional, weight)


@pytest.mark.parametrize("selection", ["S", None])
def test_the_formula_gives_the_effect_exactly_where_the_criterion_holds(selection):
    """Where it fails, a model drawn at random is a counterexample: the criterion is complete."""
    held = failed = 0
    for graph, nodes, scm in random_instances(70):
        whole = scm.distribution(nodes)
        selected = scm.distribution(nodes, given={"S": 1}) if selection else whole

        @cache
        def effect(x, y, scm=scm):
            return np.array(
                [scm.distribution([y], dict(zip(x, v, strict=True))) for v in product((0, 1), repeat=len(x))]
            )

        for x, y, z, zt in queries(nodes):
            if len(x) > 2 or (selection is None and zt):
                continue
            formula = adjusted(selected, whole, nodes, x, y, z, sorted(zt))
            if is_admissible(graph, treatment=x, outcome=y, covariates=z, external=zt, selection=selection):
                np.testing.assert_allclose(formula, effect(x, y), atol=1e-10, rtol=0)
                held += 1
            else:
                assert np.abs(formula - effect(x, y)).max() > 1e-9, (graph, x, y, z, zt)
                failed += 1
    assert held > 500
    assert failed > 500


MEDIATED = ADMG(
    directed=[("A", "B"), ("B", "Y"), ("A", "Z"), ("Z", "B"), ("W", "A"), ("W", "Y"), ("B", "D")], nodes=["S"]
)


def test_a_descendant_of_a_mediator_is_forbidden():
    assert is_admissible(MEDIATED, treatment="A", outcome="Y", covariates="W")
    assert not is_admissible(MEDIATED, treatment="A", outcome="Y", covariates={"W", "D"})
    assert [
        sorted(pair.covariates) for pair in admissible_sets(MEDIATED, treatment="A", outcome="Y", selection="S")
    ] == [["W"]]


def test_a_variable_called_s_is_an_ordinary_one_unless_it_is_named_as_selection():
    graph = ADMG([("Z", "X"), ("Z", "Y"), ("X", "Y"), ("X", "S"), ("Z", "S")])
    assert next(admissible_sets(graph, treatment="X", outcome="Y")).covariates == {"Z"}
    assert is_admissible(graph, treatment="X", outcome="Y", covariates={"Z", "S"}) == is_admissible(
        graph, treatment="X", outcome="Y", covariates={"Z", "S"}, selection=None
    )
    assert next(admissible_sets(graph, treatment="X", outcome="Y", selection="S"), None) is None
    assert next(admissible_sets(ADMG([("Z", "X"), ("Z", "Y"), ("X", "Y")]), treatment="X", outcome="Y")).covariates == {
        "Z"
    }
    assert is_admissible(ADMG([("Z", "X"), ("Z", "Y"), ("X", "Y")]), treatment="X", outcome="Y", covariates="Z")
    collider = ADMG([("X", "Y"), ("X", "S"), ("Y", "S")])
    assert [pair.covariates for pair in admissible_sets(collider, treatment="X", outcome="Y")] == [frozenset()]


def test_only_what_is_measured_without_selection_is_external():
    """Z and W confound; Z causes selection, so Z^T must hold Z, and may hold W only if W is external too."""
    graph = ADMG([("Z", "X"), ("Z", "Y"), ("W", "X"), ("W", "Y"), ("X", "Y"), ("Z", "S")])
    both, z, w = frozenset("ZW"), frozenset("Z"), frozenset("W")
    assert [*admissible_sets(graph, treatment="X", outcome="Y", external="Z", selection="S")] == [
        AdjustmentPair(both, z)
    ]
    assert [*admissible_sets(graph, treatment="X", outcome="Y", external="W", selection="S")] == []
    assert [*admissible_sets(graph, treatment="X", outcome="Y", external=["Z", "W"], selection="S")] == [
        AdjustmentPair(both, z),
        AdjustmentPair(both, both),
    ]
    assert not is_admissible(graph, treatment="X", outcome="Y", covariates=both, external=w, selection="S")
    for wrong in ("X", "Y", "Q"):
        with pytest.raises(ValueError, match=wrong):
            next(admissible_sets(graph, treatment="X", outcome="Y", external=wrong))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"treatment": "Q"}, "treatment: Q "),
        ({"outcome": []}, "outcome: "),
        ({"covariates": "AW"}, "A: .*treatment.*covariates"),
        ({"external": "W"}, "external: W "),
        ({"selection": "T"}, "selection: T "),
        ({"selection": "B"}, "selection: B .*D, Y"),
        ({"covariates": "S", "selection": "S"}, "S: .*selection.*covariates"),
    ],
)
def test_a_wrong_query_is_named(arguments, message):
    query = {"treatment": "A", "outcome": "Y", "covariates": ()} | arguments
    query["covariates"] = list(query["covariates"])
    with pytest.raises(ValueError, match=message):
        is_admissible(MEDIATED, **query)


def test_an_external_variable_is_one_of_the_covariates():
    for external in ("Y", "A", "D", {"W", "Y"}):
        with pytest.raises(ValueError, match=r"external: .* not among the covariates W"):
            is_admissible(MEDIATED, treatment="A", outcome="Y", covariates="W", external=external)
    with pytest.raises(ValueError, match="both outcome and external"):
        next(admissible_sets(MEDIATED, treatment="A", outcome="Y", external={"W", "Y"}))


def test_only_external_variables_are_measured_without_bias():
    """Z confounds, and selection depends on it: the pair needs Z measured outside, and takes no other variable."""
    graph = ADMG([("Z", "X"), ("Z", "Y"), ("X", "Y"), ("Z", "S"), ("W", "Z")])
    found = list(admissible_sets(graph, treatment="X", outcome="Y", external="Z", selection="S"))
    assert found == [AdjustmentPair(frozenset("Z"), frozenset("Z")), AdjustmentPair(frozenset("WZ"), frozenset("Z"))]
    assert list(admissible_sets(graph, treatment="X", outcome="Y", external="W", selection="S")) == []
    assert list(admissible_sets(graph, treatment="X", outcome="Y", selection="S")) == []


def test_what_only_causes_selection_may_be_needed():
    """To condition on S opens X -> A -> S <- B <-> Y. B blocks it, a cause of S that is none of X or Y."""
    graph = ADMG([("X", "A"), ("A", "S"), ("B", "S"), ("X", "Y")], [("B", "Y")])
    first = next(admissible_sets(graph, treatment="X", outcome="Y", external="B", selection="S"))
    assert first == AdjustmentPair(frozenset("B"), frozenset("B"))
    assert is_admissible(graph, treatment="X", outcome="Y", covariates="B", external="B", selection="S")
