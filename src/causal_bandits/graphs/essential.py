"""The essential graph (CPDAG) of a DAG, and its chain components.

Sources: Andersson, Madigan & Perlman (1997); Chickering (1995), "A transformational characterization of equivalent
Bayesian network structures"; lu2021, Definition 3. Chickering's labelling passes over the edges once; v-structures and
Meek's rules, applied edge by edge, would pass over the graph repeatedly.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from causal_bandits.graphs.admg import ADMG, Edge
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph

if TYPE_CHECKING:  # loads slowly, and only a few jobs need it
    import networkx as nx


def essential_graph(dag: ADMG) -> PartiallyDirectedGraph:
    """Return the graph that represents all DAGs with the same conditional independences as ``dag``.

    An edge is directed if all these DAGs direct it the same way; otherwise it is undirected.

    Parameters
    ----------
    dag : ADMG
        Without bidirected edges.

    Raises
    ------
    ValueError
        If there is a bidirected edge.

    Examples
    --------
    >>> essential_graph(ADMG([("A", "C"), ("B", "C"), ("C", "D"), ("D", "E")])).directed == {
    ...     ("A", "C"),
    ...     ("B", "C"),
    ...     ("C", "D"),
    ...     ("D", "E"),
    ... }
    True
    >>> sorted(essential_graph(ADMG([("B", "A"), ("B", "C")])).undirected)
    [('A', 'B'), ('B', 'C')]
    """
    if dag.bidirected:
        raise ValueError(f"an essential graph represents DAGs; not allowed: bidirected edges {sorted(dag.bidirected)}")
    place = {v: i for i, v in enumerate(dag.topological_order)}
    parents: dict[str, set[str]] = defaultdict(set)
    for cause, effect in dag.directed:
        parents[effect].add(cause)
    compelled: dict[str, set[str]] = {}
    for y in place:  # causes before effects
        causes = parents[y]
        if not causes:
            compelled[y] = set()
            continue
        x = max(causes, key=place.__getitem__)
        # w -> x -> y with w -> x compelled and w, y not adjacent; or z -> y <- x with z, x not adjacent: all are
        all_are = not compelled[x] <= causes or not causes - {x} <= parents[x]
        compelled[y] = causes if all_are else compelled[x]
    directed: list[Edge] = [(x, y) for y, causes in compelled.items() for x in causes]
    return PartiallyDirectedGraph(dag.nodes, directed, dag.directed - set(directed))


def chain_components(graph: PartiallyDirectedGraph) -> list[nx.Graph[str]]:
    """Return the chain components: the connected components of the undirected edges.

    They are ordered by the name of their first node; nodes and edges are inserted in sorted order.

    Parameters
    ----------
    graph : PartiallyDirectedGraph
        The chain components of an essential graph are chordal; those of a learned graph need not be.
    """
    import networkx as nx

    near: dict[str, list[str]] = {node: [] for node in graph.nodes}
    for a, b in graph.undirected:
        near[a].append(b)
        near[b].append(a)
    components, reached = [], set[str]()
    for first in graph.nodes:  # sorted: the first node of its component
        if first in reached:
            continue
        nodes = [first]
        reached.add(first)
        for node in nodes:
            new = [other for other in near[node] if other not in reached]
            nodes += new
            reached.update(new)
        nodes.sort()
        component: nx.Graph[str] = nx.Graph()
        component.add_nodes_from(nodes)
        component.add_edges_from((a, b) for a in nodes for b in sorted(near[a]) if a < b)
        components.append(component)
    return components
