"""ID: every formula is true, and it fails exactly where a hedge stands."""

from itertools import chain, combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import assert_equals_effect, causal_queries, positive_scm

from causal_bandits.graphs import ADMG
from causal_bandits.identification import NotIdentifiable, identify

FRONT_DOOR = ADMG(directed=[("X", "Z"), ("Z", "Y")], bidirected=[("X", "Y")])


def has_hedge(directed, bidirected, outcome, treatment, n):
    """Shpitser & Pearl (2006), Theorem 4, by enumeration over pairs of node sets; sets are bit masks.

    P_x(y) is not identifiable iff two C-forests F' < F share their roots R, F meets X, F' does not, and R are
    ancestors of Y once the edges into X are cut. Edges of a forest may be dropped at will, so F' may as well
    be its own root set.
    """
    parents = [sum(1 << a for a, b in directed if b == v) for v in range(n)]
    spouses = [sum(1 << (a if b == v else b) for a, b in bidirected if v in (a, b)) for v in range(n)]

    def closure(start, neighbours, within):
        reached = start
        while True:
            larger = reached
            for v in range(n):
                if reached >> v & 1:
                    larger |= neighbours[v] & within
            if larger == reached:
                return reached
            reached = larger

    def connected(s):
        return closure(s & -s, spouses, s) == s

    relevant = closure(outcome, parents, (1 << n) - 1 & ~treatment)
    subsets = range(1, 1 << n)
    roots = [r for r in subsets if not r & ~relevant and connected(r)]
    forests = [f for f in subsets if f & treatment and connected(f)]
    return any(not r & ~f and closure(r, parents, f) == f for r in roots for f in forests)


def verdict(graph, outcome, treatment):
    try:
        identify(graph, outcome=outcome, treatment=treatment)
    except NotIdentifiable:
        return False
    return True


def masks(graph, *sets):
    number = {v: i for i, v in enumerate(graph.nodes)}
    edges = [[(number[a], number[b]) for a, b in edges] for edges in (graph.directed, graph.bidirected)]
    return *edges, *(sum(1 << number[v] for v in s) for s in sets), len(number)


def subsets(items):
    return chain.from_iterable(combinations(items, k) for k in range(1, len(items) + 1))


def test_every_formula_equals_the_exact_effect():
    evaluated = 0

    @settings(max_examples=450)
    @given(causal_queries(max_nodes=5), st.integers(0, 2**32 - 1))
    def check(query, seed):
        nonlocal evaluated
        graph, outcome, treatment = query
        try:
            expression = identify(graph, outcome=outcome, treatment=treatment)
        except NotIdentifiable:
            assert has_hedge(*masks(graph, outcome, treatment))
            return
        assert expression.experiments == {frozenset()}
        assert_equals_effect(expression, positive_scm(graph, np.random.default_rng(seed)), outcome, treatment)
        evaluated += 1

    check()
    assert evaluated >= 300


def shapes(nodes):
    """Every ADMG in which all nodes are ancestors of the last one, of those that differ in names alone the first."""
    pairs, last = list(combinations(nodes, 2)), nodes[-1]
    renamings = [dict(zip(nodes, (*others, last), strict=True)) for others in permutations(nodes[:-1])]
    seen = set()
    for directed in subsets(pairs):
        graph = ADMG(directed, nodes=list(nodes))
        if graph.ancestors(last) != set(nodes):
            continue
        for bidirected in ((), *subsets(pairs)):
            names = min(
                [
                    sorted((name[a], name[b]) for a, b in directed),
                    sorted(sorted((name[a], name[b])) for a, b in bidirected),
                ]
                for name in renamings
            )
            if str(names) not in seen:
                seen.add(str(names))
                yield ADMG(directed, bidirected, nodes=list(nodes))


def test_verdicts_on_all_graphs_of_four_nodes_that_matter():
    """What is no ancestor of the outcome plays no part; the graphs of the next test hold such nodes."""
    counts = {True: 0, False: 0}
    for nodes in ("AY", "ABY", "ABCY"):
        for graph in shapes(nodes):
            for treatment in subsets(nodes[:-1]):
                expected = not has_hedge(*masks(graph, "Y", treatment))
                assert verdict(graph, "Y", treatment) == expected, (graph, treatment)
                counts[expected] += 1
    assert min(counts.values()) > 1000


@settings(max_examples=400)
@given(causal_queries(min_nodes=5, max_nodes=6, max_treatments=4))
def test_verdicts_on_random_graphs_of_five_and_six_nodes(query):
    graph, outcome, treatment = query
    assert verdict(graph, outcome, treatment) == (not has_hedge(*masks(graph, outcome, treatment)))


@pytest.mark.parametrize(
    ("graph", "treatment", "formula", "latex"),
    [
        (
            FRONT_DOOR,
            "X",
            "sum_{z} P(z | x) sum_{x'} P(y | x', z) P(x')",
            r"\sum_{z} P(z \mid x) \sum_{x'} P(y \mid x', z) P(x')",
        ),
        (FRONT_DOOR, "Z", "sum_{x} P(y | x, z) P(x)", r"\sum_{x} P(y \mid x, z) P(x)"),
        (FRONT_DOOR, (), "P(y)", "P(y)"),
        (ADMG([("Y", "X")], [("X", "Y")]), "X", "P(y)", "P(y)"),
        (
            ADMG([("W", "Z"), ("Z", "X"), ("X", "Y")], [("W", "X"), ("W", "Y")]),  # the "napkin"
            "X",
            "(sum_{w} P(x, y | w, z) P(w)) / (sum_{w} P(x | w, z) P(w))",
            r"\frac{\sum_{w} P(x, y \mid w, z) P(w)}{\sum_{w} P(x \mid w, z) P(w)}",
        ),
    ],
)
def test_formulas_read_as_textbooks_write_them(graph, treatment, formula, latex):
    expression = identify(graph, outcome="Y", treatment=treatment)
    assert str(expression) == formula
    assert expression.to_latex() == latex


def test_an_unidentifiable_effect_names_the_query_and_the_hedge():
    bow = ADMG([("X", "Y")], [("X", "Y")])
    with pytest.raises(NotIdentifiable, match=r"P\(Y \| do\(X\)\) .*Q\[Y\] .*Q\[X, Y\]"):
        identify(bow, outcome="Y", treatment="X")


@pytest.mark.parametrize(
    ("outcome", "treatment", "message"),
    [
        ("Y", "Q", "treatment: Q "),
        (["Y", "R"], "X", "outcome: R "),
        ("Y", ["X", "Y"], "Y: .*outcome.*treatment"),
        ([], "X", "outcome: "),
    ],
)
def test_a_wrong_query_is_named(outcome, treatment, message):
    with pytest.raises(ValueError, match=message):
        identify(FRONT_DOOR, outcome=outcome, treatment=treatment)


def test_a_cycle_is_named_before_anything_is_identified():
    with pytest.raises(ValueError, match=r"[XY] -> [XY] -> [XY]"):
        identify(ADMG([("X", "Y"), ("Y", "X")]), outcome="Y", treatment="X")
