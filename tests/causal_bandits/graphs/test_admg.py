"""ADMGs: construction, family relations, projection and separation."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import admgs

from causal_bandits.graphs import ADMG
from causal_bandits.graphs.admg import as_set

FRONT_DOOR = ADMG(directed=[("X", "Z"), ("Z", "Y")], bidirected=[("Y", "X")])


def test_equality_and_hash_ignore_the_order_of_edges_and_ends():
    same = ADMG(directed=[("Z", "Y"), ("X", "Z")], bidirected=[("X", "Y")])
    assert same == FRONT_DOOR
    assert hash(same) == hash(FRONT_DOOR)
    assert same != ADMG(directed=[("Z", "Y"), ("X", "Z")])
    assert FRONT_DOOR != "front door"


def test_family_relations_of_the_front_door_graph():
    assert FRONT_DOOR.parents("Y") == {"Z"}
    assert FRONT_DOOR.children({"X", "Z"}) == {"Z", "Y"}
    assert FRONT_DOOR.spouses("X") == {"Y"}
    assert FRONT_DOOR.ancestors("Z") == {"X", "Z"}
    assert FRONT_DOOR.descendants("Z") == {"Z", "Y"}
    assert FRONT_DOOR.c_components() == (frozenset("XY"), frozenset("Z"))
    assert FRONT_DOOR.topological_order == ("X", "Z", "Y")


def test_do_drops_both_kinds_of_edges_into_the_variable():
    assert FRONT_DOOR.do("X") == ADMG(directed=[("X", "Z"), ("Z", "Y")])
    assert FRONT_DOOR.do({"Z"}) == ADMG(directed=[("Z", "Y")], bidirected=[("X", "Y")])
    assert FRONT_DOOR.without_edges_out_of("X") == ADMG(directed=[("Z", "Y")], bidirected=[("X", "Y")])


@given(admgs())
def test_causes_come_before_effects_level_by_level_and_by_name(graph):
    """networkx gives the levels; the longest path into a node decides which is its own."""
    directed = nx.DiGraph(sorted(graph.directed))
    directed.add_nodes_from(graph.nodes)
    levels = [sorted(level) for level in nx.topological_generations(directed)]
    assert list(graph.topological_order) == [node for level in levels for node in level]


def test_a_cycle_is_spelled_out():
    with pytest.raises(ValueError, match=r"[ABC] -> [ABC] -> [ABC] -> [ABC]"):
        ADMG(directed=[("A", "B"), ("B", "C"), ("C", "A")])


@pytest.mark.parametrize("edges", [{"directed": [("A", "A")]}, {"bidirected": [("A", "A")]}])
def test_a_loop_is_refused(edges):
    with pytest.raises(ValueError, match="'A'"):
        ADMG(**edges)


def test_an_unknown_node_is_named_with_the_known_ones():
    with pytest.raises(ValueError, match=r"Q .*X, Y, Z"):
        FRONT_DOOR.parents({"Q", "X"})


@given(admgs(), st.data())
def test_projection_agrees_with_its_definition_by_paths(graph, data):
    """Twin: the definition in lee2019, on the DAG where every node has its own noise as an explicit hidden parent."""
    kept = set(data.draw(st.lists(st.sampled_from(graph.nodes), unique=True, min_size=1)))
    explicit = graph.to_networkx()
    for node in graph:
        explicit.add_edge(f"noise of {node}", node)

    def reaches(start, end):
        inner = explicit.subgraph((set(graph) - kept) | {start, end})
        return nx.has_path(inner, start, end)

    hidden = [node for node in explicit if node not in graph]
    projected = graph.latent_projection(kept)
    for a, b in product(sorted(kept), repeat=2):
        if a != b:
            assert ((a, b) in projected.directed) == reaches(a, b)
        if a < b:
            # A node's own noise confounds only what it reaches by two different ways, and never through a kept node.
            common = [u for u in hidden if reaches(u, a) and reaches(u, b)]
            assert ((a, b) in projected.bidirected) == bool(common)


@given(admgs(), st.data())
def test_projection_keeps_separations_among_what_is_kept(graph, data):
    kept = data.draw(st.lists(st.sampled_from(graph.nodes), unique=True, min_size=2))
    projected = graph.latent_projection(kept)
    rest = st.lists(st.sampled_from(kept[2:]), unique=True) if len(kept) > 2 else st.just([])
    separator = data.draw(rest)
    assert graph.is_d_separated(kept[0], kept[1], separator) == projected.is_d_separated(kept[0], kept[1], separator)


@given(admgs())
def test_c_components_partition_the_nodes_by_bidirected_paths(graph):
    spouses = nx.Graph(list(graph.bidirected))
    spouses.add_nodes_from(graph.nodes)
    assert set(graph.c_components()) == {frozenset(component) for component in nx.connected_components(spouses)}


@given(admgs())
def test_ancestors_and_descendants_agree_with_networkx(graph):
    explicit = graph.to_networkx()
    for node in graph:
        assert graph.ancestors(node) == {node} | (nx.ancestors(explicit, node) & set(graph))
        assert graph.descendants(node) == {node} | nx.descendants(explicit, node)


def test_a_text_is_one_node_and_none_is_no_name():
    assert ADMG(nodes="age").nodes == ("age",)
    assert ADMG([("age", "y")], nodes=["age", np.int64(3)]).nodes == ("3", "age", "y")
    for arguments in (
        {"nodes": [None]},
        {"nodes": ["a", ""]},
        {"directed": [("a", None)]},
        {"bidirected": [(None, "a")]},
    ):
        with pytest.raises(ValueError, match=r"a node is called (None|''); expected a name"):
            ADMG(**arguments)


def test_hidden_causes_have_names_of_their_own():
    graph = ADMG(bidirected=[("A", "BC"), ("AB", "C")])
    assert graph.is_d_separated("A", "C")
    assert not graph.is_d_separated("A", "BC")
    with pytest.raises(ValueError, match=r"'U_XY'.*X <-> Y"):
        ADMG(directed=[("U_XY", "X")], bidirected=[("X", "Y")]).to_networkx()


def test_names_of_numpy_become_plain_ones():
    """What is memoised by equal names must not keep the type of those that came first."""
    a, b, c = np.array(["A", "B", "C"])
    graph = ADMG([(a, b)], [(b, a)], [c])
    assert {type(name) for name in graph} == {str}
    assert {type(name) for edge in graph.directed | graph.bidirected for name in edge} == {str}
    assert {type(name) for name in as_set([a])} == {str}
