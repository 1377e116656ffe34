"""Random DAGs with tiers, and the graph of their equivalence class by enumeration."""

from itertools import combinations, product

import networkx as nx
from hypothesis import strategies as st

from causal_bandits.graphs import ADMG, PartiallyDirectedGraph


@st.composite
def tiered_dags(draw, min_nodes=2, max_nodes=6, max_tiers=3):
    """A DAG of one-letter names in random causal order, and tiers (by number) that agree with it."""
    names = "ABCDEFG"[: draw(st.integers(min_nodes, max_nodes))]
    order = draw(st.permutations(names))
    edges = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :] if draw(st.booleans())]
    levels = sorted(draw(st.integers(0, draw(st.integers(0, max_tiers - 1)))) for _ in order)
    return ADMG(edges, nodes=order), dict(zip(order, levels, strict=True))


def as_lists(tiers):
    return [sorted(v for v in tiers if tiers[v] == tier) for tier in sorted(set(tiers.values()))]


def colliders(edges):
    """Unshielded colliders as (pair of causes, effect)."""
    adjacent = {frozenset(e) for e in edges}
    causes = {b: sorted(a for a, c in edges if c == b) for _, b in edges}
    return {
        ((x, y), z) for z, into in causes.items() for x, y in combinations(into, 2) if frozenset((x, y)) not in adjacent
    }


def equivalence_class(graph, tiers, barred=frozenset()):
    """What all equivalent DAGs agree on, among those that agree with the tiers and have no barred edge."""
    edges, known = sorted(graph.directed), colliders(graph.directed)
    seen = set()
    for flips in product((False, True), repeat=len(edges)):
        turned = [(b, a) if flip else (a, b) for flip, (a, b) in zip(flips, edges, strict=True)]
        agrees = (
            all(tiers[a] <= tiers[b] for a, b in turned) and not barred & set(turned) and colliders(turned) == known
        )
        if agrees and nx.is_directed_acyclic_graph(nx.DiGraph(turned)):
            seen |= set(turned)
    directed = {e for e in seen if e[::-1] not in seen}
    return PartiallyDirectedGraph(graph.nodes, directed, [e for e in seen - directed if e[0] < e[1]])
