from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiered_graphs import equivalence_class, tiered_dags

from causal_bandits.discovery import (
    consensus,
    edge_frequencies,
    edge_rows,
    parent_recovery,
    structural_hamming_distance,
)
from causal_bandits.graphs import PartiallyDirectedGraph

ONE = PartiallyDirectedGraph("ABC", directed=["AB"], undirected=["BC"])
TWO = PartiallyDirectedGraph("ABC", directed=["BA", "BC"])
THREE = PartiallyDirectedGraph("ABC", directed=["AB", "AC"])


@st.composite
def learned_graphs(draw, names="ABCD"):
    kinds = {
        pair: draw(st.sampled_from(["none", "forward", "backward", "undirected"])) for pair in combinations(names, 2)
    }
    directed = [pair if kind == "forward" else pair[::-1] for pair, kind in kinds.items() if kind.endswith("ward")]
    return PartiallyDirectedGraph(names, directed, [pair for pair, kind in kinds.items() if kind == "undirected"])


def test_rows():
    assert edge_rows(ONE, "pc", 3) == [
        {"learner": "pc", "seed": 3, "source": "A", "target": "B", "kind": "directed"},
        {"learner": "pc", "seed": 3, "source": "B", "target": "C", "kind": "undirected"},
    ]


@given(st.lists(learned_graphs(), min_size=1, max_size=6))
def test_frequencies_equal_counting(graphs):
    rows = pd.DataFrame(
        [row for seed, graph in enumerate(graphs) for row in edge_rows(graph, "ges", seed)],
        columns=["learner", "seed", "source", "target", "kind"],
    )
    found = edge_frequencies(rows, len(graphs)).set_index(["learner", "source", "target", "kind"])["frequency"]
    expected = {
        ("ges", *edge, kind): sum(edge in getattr(graph, kind) for graph in graphs) / len(graphs)
        for kind in ("directed", "undirected")
        for edge in {e for graph in graphs for e in getattr(graph, kind)}
    }
    assert found.to_dict() == expected


def test_frequencies_refuse_too_few_runs():
    rows = pd.DataFrame([*edge_rows(ONE, "pc", 0), *edge_rows(ONE, "pc", 1)])
    with pytest.raises(ValueError, match=r"runs 1: .*2 seeds"):
        edge_frequencies(rows, 1)


def test_consensus():
    # A-B: twice forward of three. B-C: adjacent twice, one direction once. A-C: once.
    assert consensus([ONE, TWO, THREE]) == PartiallyDirectedGraph("ABC", directed=["AB"], undirected=["BC"])
    # Half and half: A-B directed both ways as often.
    assert consensus([ONE, TWO]) == PartiallyDirectedGraph("ABC", directed=["BC"], undirected=["AB"])
    assert consensus([ONE, TWO, THREE], share=1.0) == PartiallyDirectedGraph("ABC", undirected=["AB"])


@given(learned_graphs(), st.integers(1, 5), st.floats(0.01, 1.0))
def test_consensus_of_equals_is_each(graph, times, share):
    assert consensus([graph] * times, share) == graph


@pytest.mark.parametrize(
    ("graphs", "share", "message"),
    [
        ([], 0.5, "graphs"),
        ([ONE], 0.0, "share 0.0"),
        ([ONE, PartiallyDirectedGraph("AB")], 0.5, "C"),
    ],
)
def test_consensus_refuses(graphs, share, message):
    with pytest.raises(ValueError, match=message):
        consensus(graphs, share)


def test_parent_recovery():
    graph = PartiallyDirectedGraph("ABCDR", directed=["AR", "BR", "CR"], undirected=["AB"])
    found = parent_recovery(graph, "R", "ABD")
    assert (found.precision, found.recall) == (2 / 3, 2 / 3)
    assert (found.missing, found.extra) == ({"D"}, {"C"})
    assert parent_recovery(graph, "D", "") == (1.0, 1.0, frozenset(), frozenset())
    with pytest.raises(ValueError, match=r"Q .*A, B, C, D, R"):
        parent_recovery(graph, "R", ["Q"])


def test_structural_hamming_distance():
    assert structural_hamming_distance(ONE, TWO) == 2
    assert structural_hamming_distance(ONE, THREE) == 2
    with pytest.raises(ValueError, match="C"):
        structural_hamming_distance(ONE, PartiallyDirectedGraph("AB"))


@given(learned_graphs(), learned_graphs(), learned_graphs())
def test_structural_hamming_distance_is_a_metric(a, b, c):
    ab, bc, ac = (structural_hamming_distance(*pair) for pair in ((a, b), (b, c), (a, c)))
    assert (ab == 0) == (a == b)
    assert ab == structural_hamming_distance(b, a)
    assert ac <= ab + bc


@given(tiered_dags(max_nodes=5))
def test_equivalent_dags_are_at_distance_zero_as_classes(problem):
    graph, tiers = problem
    learned = equivalence_class(graph, tiers)
    assert structural_hamming_distance(learned, equivalence_class(learned.to_admg(), tiers)) == 0
