"""Nodes and edges by kind: the common form for all conversions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


#: Attributes of a node that say whether it was measured, and whether a true value means that it was not.
_HIDING = {"hidden": True, "latent": True, "unobserved": True, "observed": False, "measured": False}
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def is_hidden(node: object, attributes: Mapping[str, object]) -> bool:
    """Check whether a node's attributes say that it was not measured.

    ``hidden``, ``latent`` and ``unobserved`` say so if they are true, ``observed`` and ``measured`` if they are false.
    Values are Booleans, 0 and 1, or the words true, false, yes and no; None is ignored.

    Raises
    ------
    ValueError
        If such an attribute has any other value, or two of them contradict each other.
    """
    found = set()
    for name, hides in _HIDING.items():
        value = attributes.get(name)
        if value is not None:
            word = str(value).strip().lower()
            if word not in _TRUTHS:
                raise ValueError(f"node {node!r}: {name}={value!r}; expected true or false, yes or no, 1 or 0")
            found.add(_TRUTHS[word] == hides)
    if len(found) > 1:
        given = ", ".join(f"{name}={attributes[name]!r}" for name in _HIDING if attributes.get(name) is not None)
        raise ValueError(f"node {node!r}: {given}; expected attributes that do not contradict each other")
    return True in found


def parts_of(graph: ADMG | PartiallyDirectedGraph) -> Parts:
    """Split a graph into its parts; edges are sorted, so the output does not depend on hash seeds."""
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
