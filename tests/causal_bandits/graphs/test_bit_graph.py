"""Graphs with sets of nodes as bits against the same graphs with sets of names, and against networkx."""

import itertools

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import admgs

from causal_bandits.graphs import ADMG


def drawn_set(data, nodes, smallest=0):
    return frozenset(data.draw(st.lists(st.sampled_from(sorted(nodes)), unique=True, min_size=smallest)))


@given(admgs(), st.data())
def test_what_is_reached_within_a_set_is_what_the_induced_subgraph_reaches(graph, data):
    g, within = graph.bits, drawn_set(data, graph, smallest=1)
    nodes, subgraph = drawn_set(data, within), graph.subgraph(within)
    start, inside = g.set_of(nodes), g.set_of(within)
    assert g.named(inside) == within
    assert g.named(g.ancestors(start, inside)) == subgraph.ancestors(nodes)
    assert g.named(g.descendants(start, inside)) == subgraph.descendants(nodes)
    assert g.named(g.c_component(start, inside)) == subgraph.c_component(nodes)
    assert tuple(map(g.named, g.c_components(inside))) == subgraph.c_components()
    assert g.named(g.parents_of(start)) == graph.parents(nodes)


def as_admg(g):
    """The graph of these sets, read edge by edge; parents and children must say the same."""
    directed = {(g.names[a], g.names[b]) for b, parents in enumerate(g.parents) for a in range(99) if parents >> a & 1}
    assert directed == {
        (g.names[a], g.names[b]) for a, children in enumerate(g.children) for b in range(99) if children >> b & 1
    }
    bidirected = [(g.names[a], g.names[b]) for b, others in enumerate(g.spouses) for a in range(99) if others >> a & 1]
    return ADMG(directed, bidirected, g.names)


@given(admgs(), st.data())
def test_edges_are_removed_as_in_the_graph(graph, data):
    g, nodes, others = graph.bits, drawn_set(data, graph), drawn_set(data, graph)
    assert as_admg(g) == graph
    assert g.everything == g.set_of(graph)
    assert as_admg(g.do(g.set_of(nodes))) == graph.do(nodes)
    assert as_admg(g.without_edges(g.set_of(nodes), g.everything)) == graph.without_edges_out_of(nodes)
    kept = [(a, b) for a, b in graph.directed if not (a in nodes and b in others)]
    assert as_admg(g.without_edges(g.set_of(nodes), g.set_of(others))) == ADMG(kept, graph.bidirected, graph.nodes)


@settings(max_examples=300)
@given(admgs(), st.data())
def test_separation_of_sets_is_networkxs_in_the_graph_with_hidden_nodes(graph, data):
    x, y, given_ = (drawn_set(data, graph) for _ in range(3))
    g = graph.bits
    expected = not (x & y) - given_ and nx.is_d_separator(
        graph.to_networkx(), set(x - given_), set(y - given_), set(given_)
    )
    assert g.is_d_separated(g.set_of(x), g.set_of(y), g.set_of(given_)) == expected
    assert graph.is_d_separated(x, y, given_) == expected


def test_separation_in_a_long_graph():
    names = [f"X{i:04}" for i in range(2000)]
    chain = ADMG(list(itertools.pairwise(names)), [(names[0], names[-1])])
    assert not chain.is_d_separated(names[10], names[1500])
    assert chain.is_d_separated(names[10], names[1500], names[700])
    assert not chain.is_d_separated(names[1], names[1500], names[-1])
