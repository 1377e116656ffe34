import time
from itertools import combinations, pairwise, permutations, product

import networkx as nx
import numpy as np
import pytest
from tiered_graphs import equivalence_class

from causal_bandits.graphs import ADMG
from causal_bandits.graphs.essential import chain_components, essential_graph
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph, completed


def all_edges(n):
    """The edges of every DAG on nodes A, B, ..., each once, and the parents of its nodes."""
    names = "ABCDE"[:n]
    pairs = list(combinations(names, 2))
    for kinds in product((None, 1, -1), repeat=len(pairs)):
        edges = [pair[::kind] for pair, kind in zip(pairs, kinds, strict=True) if kind]
        parents = {v: {a for a, b in edges if b == v} for v in names}
        left = dict(parents)
        while free := [v for v in left if not parents[v] & left.keys()]:
            for v in free:
                del left[v]
        if not left:
            yield edges, parents


def all_dags(n):
    return (ADMG(edges, nodes=list("ABCDE"[:n])) for edges, _ in all_edges(n))


def by_meek(dag):
    """V-structures and Meek's rules."""
    adjacent = {frozenset(e) for e in dag.directed}
    parents = {v: dag.parents(v) for v in dag}
    colliders = {(x, z) for z in dag for x, y in permutations(parents[z], 2) if frozenset((x, y)) not in adjacent}
    return completed(dag.nodes, colliders, dag.directed)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_equals_enumeration_of_the_equivalence_class(n):
    dags = list(all_dags(n))
    assert len(dags) == {1: 1, 2: 3, 3: 25, 4: 543}[n]
    for dag in dags:
        assert essential_graph(dag) == equivalence_class(dag, dict.fromkeys(dag.nodes, 0))


def test_equals_enumeration_of_the_equivalence_class_on_all_dags_with_five_nodes():
    """All 29,281 at once: DAGs with one skeleton and the same v-structures are a class."""
    classes = {}
    for edges, parents in all_edges(5):
        adjacent = frozenset(min(e, e[::-1]) for e in edges)
        colliders = frozenset(
            (pair, z) for z, into in parents.items() for pair in combinations(sorted(into), 2) if pair not in adjacent
        )
        classes.setdefault((adjacent, colliders), []).append(frozenset(edges))
    assert len(classes) == 8782  # Gillispie & Perlman 2002
    for members in classes.values():
        common = frozenset.intersection(*members)
        for edges in members:
            assert essential_graph(ADMG(edges, nodes=list("ABCDE"))).directed == common


def test_equals_meeks_rules_on_random_larger_dags():
    rng = np.random.default_rng(0)
    for _ in range(200):
        names = [f"X{i}" for i in rng.permutation(12)]
        edges = [pair for pair in combinations(names, 2) if rng.random() < rng.uniform(0.1, 0.5)]
        dag = ADMG(edges, nodes=names)
        assert essential_graph(dag) == by_meek(dag)


def test_chain_components_of_a_tree_and_of_a_collider():
    tree = essential_graph(ADMG(["AB", "AC", "CD"]))
    assert [sorted(c) for c in chain_components(tree)] == [["A", "B", "C", "D"]]
    collider = essential_graph(ADMG(["AC", "BC", "CD", "EF"]))
    assert [sorted(c) for c in chain_components(collider)] == [["A"], ["B"], ["C"], ["D"], ["E", "F"]]


def test_chain_components_are_those_of_networkx_in_its_order():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(1, 25))
        names = [f"V{i:02}" for i in rng.permutation(n)]
        pairs = [tuple(rng.choice(n, 2, replace=False)) for _ in range(int(rng.integers(0, n)) if n > 1 else 0)]
        graph = PartiallyDirectedGraph(names, [], {frozenset((names[a], names[b])) for a, b in pairs})
        loose = nx.Graph()
        loose.add_nodes_from(graph.nodes)
        loose.add_edges_from(sorted(graph.undirected))
        found = chain_components(graph)
        assert [list(c) for c in found] == [sorted(c) for c in sorted(nx.connected_components(loose), key=min)]
        for component in found:
            assert list(component.edges) == [(a, b) for a in component for b in sorted(loose[a]) if a < b]


def test_refuses_hidden_causes():
    with pytest.raises(ValueError, match=r"bidirected.*'A', 'B'"):
        essential_graph(ADMG(bidirected=["AB"]))


@pytest.mark.parametrize("shape", ["path", "star", "collider"])
def test_ten_thousand_nodes_take_a_moment(shape):
    names = [f"X{i:05}" for i in range(10_000)]
    edges = {
        "path": list(pairwise(names)),
        "star": [(names[0], name) for name in names[1:]],
        "collider": [(name, names[0]) for name in names[1:]],
    }[shape]
    dag = ADMG(edges)
    start = time.process_time()
    graph = essential_graph(dag)
    assert len(chain_components(graph)) == (10_000 if shape == "collider" else 1)
    assert time.process_time() - start < 2
