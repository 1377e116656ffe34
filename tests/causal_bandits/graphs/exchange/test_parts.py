"""Taking graphs apart and putting them together: nothing is lost, and what a kind of graph cannot have is named."""

import pytest
from hypothesis import given
from named_graphs import NAMES, partially_directed_graphs
from strategies import admgs

from causal_bandits.graphs import ADMG, PartiallyDirectedGraph
from causal_bandits.graphs.exchange.parts import Parts, graph_of, parts_of


@given(admgs(names=NAMES[:-1]) | partially_directed_graphs())
def test_a_graph_equals_the_graph_of_its_parts(graph):
    parts = parts_of(graph)
    assert graph_of(parts, type(graph)) == graph
    assert all(list(part) == sorted(part) for part in parts)


def test_hidden_nodes_of_an_admg_are_projected_out():
    parts = Parts("ABU", directed=[("U", "A"), ("U", "B"), ("A", "B")], hidden=["U"])
    assert graph_of(parts, ADMG) == ADMG([("A", "B")], [("A", "B")])


@pytest.mark.parametrize(
    ("parts", "kind", "message"),
    [
        (Parts("AB", undirected=["AB"]), ADMG, "A -- B"),
        (Parts("AB", bidirected=["AB"]), PartiallyDirectedGraph, "A <-> B"),
        (Parts("AB", hidden=["B"]), PartiallyDirectedGraph, "B "),
        (Parts(["A", 1]), ADMG, "node 1: "),
    ],
)
def test_what_the_kind_cannot_have_is_named(parts, kind, message):
    with pytest.raises(ValueError, match=message):
        graph_of(parts, kind)
