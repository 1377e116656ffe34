from itertools import product

import networkx as nx
import pytest
from hypothesis import given, settings
from tiered_graphs import colliders, equivalence_class, tiered_dags

from causal_bandits.graphs import ADMG, PartiallyDirectedGraph
from causal_bandits.graphs.partially_directed import completed


@settings(deadline=None, max_examples=200)
@given(tiered_dags())
def test_completing_equals_enumeration_of_the_orientations(problem):
    """Meek's rules with background knowledge: all edges across tiers, and no edge within one but colliders."""
    graph, tiers = problem
    known = {(a, b) for a, b in graph.directed if tiers[a] != tiers[b]}
    known |= {(x, z) for pair, z in colliders(graph.directed) for x in pair}
    assert completed(graph.nodes, known, graph.directed) == equivalence_class(graph, tiers)


def test_of_contradicting_edges_the_first_by_name_is_directed_first():
    """X -> A - B - C <- Z: A -> B, so B -> C. Were B - C looked at first, Z -> C would have C -> B."""
    copies = [[f"{v}{i}" for v in "XABCZ"] for i in range(12)]
    known = [edge for x, a, _, c, z in copies for edge in ((x, a), (z, c))]
    loose = [edge for _, a, b, c, _ in copies for edge in ((a, b), (b, c))]
    found = completed([v for copy in copies for v in copy], known, [*known, *loose])
    assert found.directed == {*known, *loose}


def test_an_edge_that_is_compelled_both_ways_gets_one_direction():
    """As learners may ask for: c -> a - b <- d with neither c and b nor d and a adjacent."""
    edges = [("c", "a"), ("d", "b")]
    assert completed("abcd", edges, [*edges, ("a", "b")]).directed == {*edges, ("a", "b")}


@settings(deadline=None, max_examples=200)
@given(tiered_dags())
def test_to_admg_is_a_member_of_the_class(problem):
    graph, tiers = problem
    learned = equivalence_class(graph, tiers)
    dag = learned.to_admg()
    assert {frozenset(e) for e in dag.directed} == {frozenset(e) for e in graph.directed}
    assert colliders(dag.directed) == colliders(graph.directed)
    assert learned.directed <= dag.directed


def test_to_admg_says_where_there_is_no_dag():
    square = PartiallyDirectedGraph("ABCD", undirected=["AB", "BC", "CD", "DA"])
    with pytest.raises(ValueError, match="PartiallyDirectedGraph"):
        square.to_admg()
    with pytest.raises(ValueError, match="PartiallyDirectedGraph"):
        PartiallyDirectedGraph("ABC", directed=["AB", "BC", "CA"]).to_admg()


@settings(deadline=None, max_examples=200)
@given(tiered_dags())
def test_descends_equals_search_over_the_class(problem):
    graph, tiers = problem
    learned = equivalence_class(graph, tiers)
    members = all_members(learned)
    for a, b in product(graph, repeat=2):
        if a != b:
            answer = learned.descends(b, a)
            # "possibly" promises nothing: a path of undirected edges need not be open in any one member.
            if answer != "possibly":
                assert all((b in member.descendants(a)) == (answer == "yes") for member in members)


def all_members(learned):
    known, members = colliders(learned.to_admg().directed), []
    for flips in product((False, True), repeat=len(learned.undirected)):
        turned = [(b, a) if flip else (a, b) for flip, (a, b) in zip(flips, sorted(learned.undirected), strict=True)]
        edges = [*learned.directed, *turned]
        if nx.is_directed_acyclic_graph(nx.DiGraph(edges)) and colliders(edges) == known:
            members.append(ADMG(edges, nodes=learned.nodes))
    return members


def test_kinds_and_parents():
    graph = PartiallyDirectedGraph("ABCD", directed=["AB"], undirected=["CB"])
    assert [graph.kind(*pair) for pair in ("AB", "BA", "BC", "CB", "AD")] == [
        "forward",
        "backward",
        "undirected",
        "undirected",
        "none",
    ]
    assert graph.parents("B") == {"A"}
    assert [graph.descends(v, "A") for v in "BCD"] == ["yes", "possibly", "no"]
    assert graph == PartiallyDirectedGraph("DCBA", directed=["AB"], undirected=["BC"])
    assert hash(graph) == hash(PartiallyDirectedGraph("DCBA", directed=["AB"], undirected=["BC"]))


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ({"directed": ["AQ"]}, "Q .*A, B, C"),
        ({"undirected": ["AA"]}, "'A'"),
        ({"directed": ["AB", "BA"]}, "A, B"),
        ({"directed": ["AB"], "undirected": ["AB"]}, "A, B"),
    ],
)
def test_refuses(edges, message):
    with pytest.raises(ValueError, match=message):
        PartiallyDirectedGraph("ABC", **edges)
