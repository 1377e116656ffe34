"""Nodes and edges by kind: the form that all conversions go through."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from causal_bandits.graphs.admg import ADMG, Edge
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph

#: The two classes of graphs that can be converted.
Graph = TypeVar("Graph", ADMG, PartiallyDirectedGraph)


class Parts(NamedTuple):
    """The nodes of a graph, and its edges by kind."""

    nodes: Iterable[str] = ()
    directed: Iterable[Edge] = ()
    bidirected: Iterable[Edge] = ()
    undirected: Iterable[Edge] = ()
    hidden: Iterable[str] = ()


def parts_of(graph: ADMG | PartiallyDirectedGraph) -> Parts:
    """Take a graph apart; edges are sorted, so that what is written does not depend on hash seeds."""
    if isinstance(graph, ADMG):
        return Parts(graph.nodes, sorted(graph.directed), sorted(graph.bidirected))
    return Parts(graph.nodes, sorted(graph.directed), undirected=sorted(graph.undirected))


def graph_of(parts: Parts, kind: type[Graph]) -> Graph:
    """Build a graph of this kind from its parts; refuse an edge or node that this kind cannot have."""
    nodes = dict.fromkeys(parts.nodes)
    for node in nodes:
        if not isinstance(node, str):
            raise ValueError(f"node {node!r}: expected a name (a str)")
    if issubclass(kind, ADMG):
        for a, b in parts.undirected:
            raise ValueError(f"{a} -- {b}: an ADMG has no undirected edge")
        graph = ADMG(parts.directed, parts.bidirected, nodes)
        hidden = set(parts.hidden)
        return graph.latent_projection(v for v in nodes if v not in hidden) if hidden else graph
    for a, b in parts.bidirected:
        raise ValueError(f"{a} <-> {b}: a partially directed graph has no bidirected edge")
    for node in parts.hidden:
        raise ValueError(f"{node} is hidden: a partially directed graph has no hidden node")
    return PartiallyDirectedGraph(nodes, parts.directed, parts.undirected)
