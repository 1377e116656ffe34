import time
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest

from causal_bandits.graphs import ADMG
from causal_bandits.graphs.chordal import (
    clique_graph,
    comparable_edges,
    directed_clique_tree,
    grouped,
    is_chordal,
    junction_tree,
    separator,
)
from causal_bandits.graphs.essential import essential_graph


def moral_dag(rng, n):
    """A DAG without v-structures: each node's parents are an earlier node and some of that one's parents."""
    names = [f"X{i}" for i in rng.permutation(n)]
    parents = {names[0]: set()}
    for i, name in enumerate(names[1:], start=1):
        other = names[int(rng.integers(i))]
        parents[name] = {other} | {p for p in sorted(parents[other]) if rng.random() < 0.6}
    return ADMG([(p, v) for v, causes in parents.items() for p in causes], nodes=names)


def skeleton(dag):
    graph = nx.Graph(sorted(dag.directed))
    graph.add_nodes_from(dag.nodes)
    return graph


def test_junction_trees_have_the_running_intersection_property_on_random_chordal_graphs():
    rng = np.random.default_rng(1)
    for _ in range(300):
        graph = skeleton(moral_dag(rng, int(rng.integers(1, 11))))
        tree = junction_tree(graph)
        assert {frozenset(c) for c in tree} == {frozenset(c) for c in nx.find_cliques(graph)}
        assert nx.is_tree(tree)
        for node in graph:
            assert nx.is_connected(tree.subgraph([clique for clique in tree if node in clique]))


def intersections(tree):
    graph = nx.Graph()
    graph.add_nodes_from(tree)
    graph.add_weighted_edges_from((a, b, len(separator(a, b))) for a, b in combinations(tree, 2) if separator(a, b))
    return graph


def test_junction_trees_weigh_as_much_as_any_spanning_tree():
    rng = np.random.default_rng(2)
    for _ in range(100):
        tree = junction_tree(skeleton(moral_dag(rng, 9)))
        heaviest = nx.maximum_spanning_tree(intersections(tree))
        assert sum(len(separator(*e)) for e in tree.edges) == heaviest.size(weight="weight")


def all_junction_trees(tree):
    whole = intersections(tree)
    weight = nx.maximum_spanning_tree(whole).size(weight="weight")
    for edges in combinations(whole.edges, len(tree) - 1):
        candidate = nx.Graph(edges)
        if (
            len(candidate) == len(tree)
            and nx.is_tree(candidate)
            and whole.edge_subgraph(edges).size("weight") == weight
        ):
            yield candidate


def test_the_clique_graph_is_the_union_of_all_junction_trees():
    rng, seen = np.random.default_rng(3), 0
    for _ in range(200):
        tree = junction_tree(skeleton(moral_dag(rng, int(rng.integers(4, 8)))))
        if len(tree) > 1 and intersections(tree).number_of_edges() <= 12:
            union = nx.compose_all(all_junction_trees(tree))
            assert {frozenset(e) for e in clique_graph(tree).edges} == {frozenset(e) for e in union.edges}
            seen += 1
    assert seen > 100


def test_the_smallest_separator_between_two_cliques_decides_not_the_last():
    """On the path of cliques ABH - ACH - DEH - DFH the separators are AH, H, DH: the smallest stands in the middle."""
    tree = junction_tree(nx.Graph(["AB", "AC", "DE", "DF", *("H" + v for v in "ABCDEF")]))
    assert sorted(len(separator(*edge)) for edge in tree.edges) == [1, 2, 2]
    union = nx.compose_all(all_junction_trees(tree))
    assert {frozenset(e) for e in clique_graph(tree).edges} == {frozenset(e) for e in union.edges}
    assert clique_graph(tree).has_edge(("A", "B", "H"), ("D", "F", "H"))


def comparable(graph):
    """Definition 10 on the clique graph, with proper parts (E40)."""
    return any(
        set(separator(clique, a)) < set(separator(clique, b)) or set(separator(clique, b)) < set(separator(clique, a))
        for clique in graph
        for a, b in combinations(graph[clique], 2)
    )


def test_one_junction_tree_tells_whether_edges_of_the_clique_graph_are_comparable():
    rng, seen = np.random.default_rng(4), []
    for _ in range(300):
        tree = junction_tree(skeleton(moral_dag(rng, 8)))
        seen.append(comparable_edges(tree) is not None)
        assert seen[-1] == comparable(clique_graph(tree))
    assert 50 < sum(seen) < 250


def test_the_printed_definition_10_excludes_a_star():
    """E40: the paper names trees among the intersection-incomparable graphs; three leaves are enough to fail."""

    def printed(graph):
        return any(
            set(separator(clique, a)) <= set(separator(clique, b))
            or set(separator(clique, b)) <= set(separator(clique, a))
            for clique in graph
            for a, b in combinations(graph[clique], 2)
        )

    assert printed(clique_graph(junction_tree(nx.Graph(["HA", "HB", "HC"]))))
    assert not printed(clique_graph(junction_tree(nx.Graph(["HA", "HB", "AC"]))))
    assert comparable_edges(junction_tree(nx.Graph(["HA", "HB", "HC"]))) is None


def test_groups_do_not_depend_on_which_junction_tree():
    star = [("A", "H"), ("B", "H"), ("C", "H")]
    path, hub = nx.Graph([star[:2], star[1:]]), nx.Graph([star[:2], [star[0], star[2]]])
    assert grouped(path) == grouped(hub)
    assert grouped(path).separators == (("H",),)
    assert grouped(path).neighbours == [[3], [3], [3], [0, 1, 2]]


def test_directed_clique_trees_have_a_head_on_every_edge_and_no_colliders_where_incomparable():
    """What Squires et al. (2020) prove, and the repairs of Algorithms 7 and 8 stand on."""
    rng, seen = np.random.default_rng(5), 0
    for _ in range(300):
        dag = moral_dag(rng, 8)
        assert not essential_graph(dag).directed
        tree = junction_tree(skeleton(dag))
        directions = directed_clique_tree(dag, tree)
        assert "none" not in directions.values()
        if comparable_edges(tree) is None:
            seen += 1
            for clique in tree:
                heads = [
                    separator(*edge)
                    for edge, kind in directions.items()
                    if clique in edge and kind == ("forward" if edge[1] == clique else "backward")
                ]
                assert len(set(heads)) <= 1  # upstream neighbours over one separator at most
    assert seen > 100


def test_chordality():
    assert is_chordal(nx.Graph(["AB", "BC", "CA", "CD"]))
    assert not is_chordal(nx.cycle_graph("ABCD"))
    rng = np.random.default_rng(6)
    for _ in range(300):
        graph = nx.gnp_random_graph(7, 0.45, seed=int(rng.integers(10**6)))
        named = nx.relabel_nodes(graph, {i: f"X{i}" for i in graph})
        assert is_chordal(named) == nx.is_chordal(named)
    with pytest.raises(ValueError, match=r"not a chordal graph: .*'[ABCD]'"):
        junction_tree(nx.cycle_graph("ABCD"))


def test_ten_thousand_nodes_take_a_moment():
    names = [f"X{i:05}" for i in range(10_000)]
    for edges in (
        pairwise(names),
        [(names[0], name) for name in names[1:]],
        [(names[i], names[j]) for j in range(1, 10_000) for i in (j - 1, j - 2) if i >= 0],
    ):
        graph = nx.Graph(list(edges))
        start = time.process_time()
        tree = junction_tree(graph)
        grouped(tree)
        comparable_edges(tree)
        assert time.process_time() - start < 4
