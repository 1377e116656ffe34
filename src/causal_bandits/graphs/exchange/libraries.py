"""Convert graphs to and from networkx, pgmpy, y0 and causal-learn; each function imports its library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causal_bandits.graphs.admg import ADMG, Edge
from causal_bandits.graphs.exchange.parts import Graph, Parts, graph_of, is_hidden, parts_of
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph

if TYPE_CHECKING:
    import networkx as nx
    import pgmpy.base
    from causallearn.graph.GeneralGraph import GeneralGraph
    from y0.graph import NxMixedGraph


def to_networkx(graph: ADMG | PartiallyDirectedGraph) -> nx.DiGraph[str]:
    """Convert a graph to a networkx DiGraph.

    A bidirected edge becomes a hidden node (`ADMG.to_networkx`); an undirected edge A -- B becomes the arcs A -> B and
    B -> A.
    """
    if isinstance(graph, ADMG):
        return graph.to_networkx()
    import networkx as nx

    result: nx.DiGraph[str] = nx.DiGraph()
    result.add_nodes_from(graph.nodes)
    result.add_edges_from(sorted(graph.directed | graph.undirected | {(b, a) for a, b in graph.undirected}))
    return result


def from_networkx(graph: nx.DiGraph[str], kind: type[Graph]) -> Graph:
    """Convert a networkx DiGraph to a graph; see `to_networkx` for what its parts mean.

    Parameters
    ----------
    graph : networkx.DiGraph
        Its nodes are names. A node is hidden if an attribute says so: ``hidden``, ``latent`` or ``unobserved`` is true,
        or ``observed`` or ``measured`` is false (DoWhy writes ``observed="no"``). Nodes that a pgmpy graph lists in
        ``latents`` are hidden too.
    kind : ADMG or PartiallyDirectedGraph
        The class of the result.

    Raises
    ------
    ValueError
        If a node is not a name or its attributes cannot be read, or the graph has a cycle or an edge that this ``kind``
        cannot have (the message names it).

    Examples
    --------
    >>> from_networkx(to_networkx(ADMG([("X", "Z"), ("Z", "Y")], [("X", "Y")])), ADMG)
    ADMG(directed=[('X', 'Z'), ('Z', 'Y')], bidirected=[('X', 'Y')], nodes=['X', 'Y', 'Z'])
    """
    if not graph.is_directed() or graph.is_multigraph():
        raise ValueError(f"expected a networkx.DiGraph, got a {type(graph).__name__}")
    latents = getattr(graph, "latents", ())
    hidden = [v for v, attributes in graph.nodes(data=True) if v in latents or is_hidden(v, attributes)]
    both = [(a, b) for a, b in graph.edges if str(a) < str(b) and graph.has_edge(b, a)]
    if both and kind is ADMG:
        a, b = both[0]
        raise ValueError(
            f"{a} -- {b} ({a} -> {b} and {b} -> {a}): an ADMG has neither cycles nor undirected edges; an unmeasured "
            "common cause is a node with the attribute hidden=True"
        )
    one = [(a, b) for a, b in graph.edges if not graph.has_edge(b, a) or a == b]
    return graph_of(Parts(graph.nodes, one, undirected=both, hidden=hidden), kind)


def to_pgmpy(graph: ADMG | PartiallyDirectedGraph) -> pgmpy.base.ADMG | pgmpy.base.PDAG:
    """Convert a graph to pgmpy's ADMG or PDAG."""
    import pgmpy.base

    parts = parts_of(graph)
    if isinstance(graph, ADMG):
        result = pgmpy.base.ADMG(parts.directed, parts.bidirected)
    else:
        result = pgmpy.base.PDAG(parts.directed, parts.undirected)
    result.add_nodes_from(parts.nodes)
    return result


def from_pgmpy(graph: pgmpy.base.ADMG | pgmpy.base.PDAG | pgmpy.base.DAG, kind: type[Graph]) -> Graph:
    """Convert pgmpy's ADMG, PDAG or DAG to a graph; its latent nodes are hidden.

    A Bayesian network in pgmpy is a DAG.

    Parameters
    ----------
    graph : pgmpy.base.ADMG, PDAG or DAG
    kind : ADMG or PartiallyDirectedGraph
        The class of the result.

    Raises
    ------
    ValueError
        If the graph has an edge that this ``kind`` cannot have (the message names it).
    TypeError
        If ``graph`` is of a different class.
    """
    import pgmpy.base

    latents = getattr(graph, "latents", ())
    hidden = [v for v, attributes in graph.nodes(data=True) if v in latents or is_hidden(v, attributes)]
    if isinstance(graph, pgmpy.base.ADMG):
        typed = list(graph.edges(data="type"))
        directed = [(a, b) for a, b, name in typed if name == "directed"]
        bidirected = [(a, b) for a, b, name in typed if name == "bidirected"]
        parts = Parts(graph.nodes, directed, bidirected, hidden=hidden)
    elif isinstance(graph, pgmpy.base.PDAG):
        parts = Parts(graph.nodes, graph.directed_edges, undirected=graph.undirected_edges, hidden=hidden)
    elif isinstance(graph, pgmpy.base.DAG):
        parts = Parts(graph.nodes, graph.edges, hidden=hidden)
    else:
        raise TypeError(f"a {type(graph).__name__}: expected pgmpy's ADMG, PDAG or DAG")
    return graph_of(parts, kind)


def to_y0(graph: ADMG | PartiallyDirectedGraph) -> NxMixedGraph:
    """Convert a graph to y0's NxMixedGraph, which calls bidirected edges undirected.

    Raises
    ------
    ValueError
        If the graph has an undirected edge.
    """
    from y0.graph import NxMixedGraph

    parts = parts_of(graph)
    for a, b in parts.undirected:
        raise ValueError(f"{a} -- {b}: y0 has no edges without direction; what it calls undirected is a hidden cause")
    return NxMixedGraph.from_str_edges(parts.nodes, parts.directed, parts.bidirected)


def from_y0(graph: NxMixedGraph, kind: type[Graph]) -> Graph:
    """Convert y0's NxMixedGraph to a graph.

    Parameters
    ----------
    graph : y0.graph.NxMixedGraph
    kind : ADMG or PartiallyDirectedGraph
        The class of the result.

    Raises
    ------
    ValueError
        If a node is counterfactual, or the graph has an edge that this ``kind`` cannot have (the message names it).
    """
    graph.raise_on_counterfactual()
    directed = [(a.name, b.name) for a, b in graph.directed.edges]
    bidirected = [(a.name, b.name) for a, b in graph.undirected.edges]
    return graph_of(Parts([v.name for v in graph], directed, bidirected), kind)


def to_causal_learn(graph: ADMG | PartiallyDirectedGraph) -> GeneralGraph:
    """Convert a graph to causal-learn's GeneralGraph, with its nodes in sorted order."""
    from causallearn.graph.Edge import Edge as TheirEdge
    from causallearn.graph.Endpoint import Endpoint
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphNode import GraphNode

    parts = parts_of(graph)
    node = {v: GraphNode(v) for v in parts.nodes}
    result = GeneralGraph(list(node.values()))
    for edges, first, second in (
        (parts.directed, Endpoint.TAIL, Endpoint.ARROW),
        (parts.bidirected, Endpoint.ARROW, Endpoint.ARROW),
        (parts.undirected, Endpoint.TAIL, Endpoint.TAIL),
    ):
        for a, b in edges:
            result.add_edge(TheirEdge(node[a], node[b], first, second))
    return result


def from_causal_learn(graph: GeneralGraph, kind: type[Graph]) -> Graph:
    """Convert causal-learn's GeneralGraph, for instance the ``G`` of a CausalGraph, to a graph.

    Parameters
    ----------
    graph : causallearn.graph.GeneralGraph.GeneralGraph
        Or one of its subclasses. Nodes of the types LATENT and ERROR are hidden.
    kind : ADMG or PartiallyDirectedGraph
        The class of the result.

    Raises
    ------
    ValueError
        If an edge has a circle at an end, or this ``kind`` of graph cannot have it (the message names it).
    """
    edges: dict[tuple[str, str], list[Edge]] = {("TAIL", "ARROW"): [], ("ARROW", "ARROW"): [], ("TAIL", "TAIL"): []}
    for edge in graph.get_graph_edges():
        (a, first), (b, second) = sorted(
            (
                (edge.get_node1().get_name(), edge.get_endpoint1().name),
                (edge.get_node2().get_name(), edge.get_endpoint2().name),
            ),
            key=lambda end: end[1] == "ARROW",
        )
        if (first, second) not in edges:
            raise ValueError(f"{edge}: {kind.__name__} has no edges with an open end")
        edges[first, second].append((a, b))
    directed, bidirected, undirected = edges.values()
    hidden = [node.get_name() for node in graph.get_nodes() if node.get_node_type().name in ("LATENT", "ERROR")]
    return graph_of(Parts(graph.get_node_names(), directed, bidirected, undirected, hidden), kind)
