"""The compiled order of elimination: it is that of a plain search, and it ends where a clique is too wide."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

from causal_bandits.models.clique_order import eliminated


def moral(parents):
    graph = nx.Graph()
    graph.add_nodes_from(range(len(parents)))
    graph.add_edges_from((a, b) for v, own in enumerate(parents) for a in (*own, v) for b in own if a != b)
    return graph


def plain_order(parents):
    """Each time look at all variables that are left."""
    graph, order, cliques = moral(parents), [], []
    while graph:
        v = min(graph, key=lambda w: (graph.degree[w], -w))
        near = sorted(graph[v])
        graph.add_edges_from((a, b) for a in near for b in near if a < b)
        graph.remove_node(v)
        order.append(v)
        cliques.append([*near, v])
    return order, cliques


def arrays(parents):
    return np.cumsum([0, *map(len, parents)]), np.array([p for own in parents for p in own], dtype=np.int64)


def random_parents(rng):
    n = int(rng.integers(1, 30))
    most = int(rng.integers(1, 4))
    return [rng.choice(v, size=int(rng.integers(0, min(v, most) + 1)), replace=False).tolist() for v in range(n)]


def test_the_variable_with_the_fewest_neighbours_goes_first_and_of_several_the_last():
    rng = np.random.default_rng(0)
    for _ in range(250):
        parents = random_parents(rng)
        order, begin, member = eliminated(*arrays(parents), np.full(len(parents), 2), 2**60)
        expected_order, expected = plain_order(parents)
        assert order.tolist() == expected_order
        assert [member[a:b].tolist() for a, b in pairwise(begin)] == expected


@pytest.mark.parametrize("widest", [2, 4, 8, 16])
def test_the_elimination_ends_with_the_first_clique_that_is_too_wide(widest):
    rng, ended = np.random.default_rng(1), 0
    for _ in range(200):
        parents = random_parents(rng)
        states = rng.integers(2, 4, len(parents))
        order, begin, member = eliminated(*arrays(parents), states, widest)
        expected = plain_order(parents)[1]
        wide = [i for i, clique in enumerate(expected) if np.prod(states[clique]) > widest]
        assert len(order) == (wide[0] if wide else len(parents))
        assert len(begin) == len(order) + 1 + bool(wide)
        assert member[begin[-2] : begin[-1]].tolist() == expected[len(begin) - 2]
        ended += bool(wide)
    assert ended > 20
