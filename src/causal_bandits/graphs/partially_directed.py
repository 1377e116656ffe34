"""Partially directed graphs, which represent the DAGs that data and knowledge cannot distinguish.

Sources: Meek (1995), "Causal inference and causal explanation with background knowledge" (the four rules); Dor & Tarsi
(1992) (how to find a DAG of the class). pgmpy has both, but its third rule does not require that the two causes be
non-adjacent (L39), and its results depend on hash seeds.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Literal

from causal_bandits.graphs.admg import ADMG, Edge, listing


class PartiallyDirectedGraph:
    """A graph with directed and undirected edges, immutable and hashable.

    Parameters
    ----------
    nodes : iterable of str
    directed : iterable of (str, str)
        Edges ``cause -> effect``.
    undirected : iterable of (str, str)
        Edges whose direction is unknown; the order within a pair does not matter.

    Raises
    ------
    ValueError
        If an edge names an unknown node, joins a node to itself, or two edges join the same pair.
    """

    def __init__(self, nodes: Iterable[str], directed: Iterable[Edge] = (), undirected: Iterable[Edge] = ()) -> None:
        #: All nodes, sorted by name.
        self.nodes: tuple[str, ...] = tuple(sorted(set(nodes)))
        #: Directed edges as (cause, effect).
        self.directed: frozenset[Edge] = frozenset((cause, effect) for cause, effect in directed)
        #: Undirected edges; each is listed once, with its ends sorted by name.
        self.undirected: frozenset[Edge] = frozenset((min(a, b), max(a, b)) for a, b in undirected)
        #: Pairs of adjacent nodes, sorted within the pair.
        self.adjacent: frozenset[Edge] = self.undirected | {(min(a, b), max(a, b)) for a, b in self.directed}
        unknown = {v for e in self.adjacent for v in e}.difference(self.nodes)
        if unknown:
            raise ValueError(f"edges name unknown nodes: {listing(unknown)} (nodes: {listing(self.nodes)})")
        for a, b in self.adjacent:
            if a == b:
                raise ValueError(f"an edge joins {a!r} to itself")
        if len(self.adjacent) < len(self.directed) + len(self.undirected):
            twice = [f"{a}, {b}" for a, b in sorted(self.adjacent) if len(self._edges_of(a, b)) > 1]
            raise ValueError(f"more than one edge joins {'; '.join(twice)}")

    def _edges_of(self, a: str, b: str) -> list[Edge]:
        return [e for e in ((a, b), (b, a)) if e in self.directed] + [(a, b)] * ((a, b) in self.undirected)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PartiallyDirectedGraph):
            return NotImplemented
        return (self.nodes, self.directed, self.undirected) == (other.nodes, other.directed, other.undirected)

    def __hash__(self) -> int:
        return hash((self.nodes, self.directed, self.undirected))

    def __repr__(self) -> str:
        return f"PartiallyDirectedGraph({list(self.nodes)}, {sorted(self.directed)}, {sorted(self.undirected)})"

    def kind(self, a: str, b: str) -> Literal["none", "forward", "backward", "undirected"]:
        """Return how ``a`` and ``b`` are joined: not at all, a -> b, b -> a, or a - b."""
        if (a, b) in self.directed:
            return "forward"
        if (b, a) in self.directed:
            return "backward"
        return "undirected" if (min(a, b), max(a, b)) in self.undirected else "none"

    def parents(self, node: str) -> frozenset[str]:
        """Return the nodes with a directed edge into ``node``."""
        return frozenset(a for a, b in self.directed if b == node)

    def descends(self, node: str, ancestor: str) -> Literal["yes", "possibly", "no"]:
        """Check whether ``node`` descends from ``ancestor``.

        Returns
        -------
        {"yes", "possibly", "no"}
            "yes" if a path of directed edges leads there. "possibly" if only paths with undirected edges do, and on one
            of them no directed edge points backwards. "no" if there is no such path.
        """
        if node in _reach(ancestor, self.directed):
            return "yes"
        either = self.directed | self.undirected | {(b, a) for a, b in self.undirected}
        return "possibly" if node in _reach(ancestor, either) else "no"

    def to_admg(self) -> ADMG:
        """Return one of the DAGs that this graph represents.

        Such a DAG has the edges of this graph and no unshielded collider that this graph does not have. All of them
        have the same d-separations. The procedure (Dor & Tarsi 1992) takes a node without outgoing edges whose
        undirected neighbours are adjacent to all its neighbours, directs its undirected edges into it and removes it;
        of several such nodes it takes the first by name.

        Raises
        ------
        ValueError
            If there is no such DAG. A graph learned from finite data need not have one.
        """
        left, edges = set(self.nodes), set(self.directed)
        while left:
            for node in sorted(left):
                neighbours = {v: self.kind(v, node) for v in left - {node} if self.kind(v, node) != "none"}
                loose = {v for v, kind in neighbours.items() if kind == "undirected"}
                if "backward" not in neighbours.values() and all(
                    self.kind(v, w) != "none" for v in loose for w in neighbours if v != w
                ):
                    edges |= {(v, node) for v in loose}
                    left.remove(node)
                    break
            else:
                raise ValueError(f"no DAG has these edges and no further unshielded collider: {self!r}")
        return ADMG(edges, nodes=self.nodes)


def completed(nodes: Iterable[str], directed: Iterable[Edge], adjacent: Iterable[Edge]) -> PartiallyDirectedGraph:
    """Direct every edge whose direction follows from the known ones by Meek's four rules.

    Parameters
    ----------
    nodes : iterable of str
    directed : iterable of (str, str)
        The edges whose direction is known.
    adjacent : iterable of (str, str)
        All edges, including the directed ones; the order within a pair does not matter.
    """
    arrows = set(directed)
    pairs = {frozenset(e) for e in adjacent} | {frozenset(e) for e in arrows}
    loose = sorted((a, b) for p in pairs for a, b in [sorted(p)] if not {(a, b), (b, a)} & arrows)
    neighbours = {v: sorted(next(iter(p - {v})) for p in pairs if v in p) for v in sorted(nodes)}

    def compelled(a: str, b: str) -> bool:
        """Check whether the edge a - b must be a -> b."""

        def open_(c: str) -> bool:
            return frozenset((a, c)) in pairs and not {(a, c), (c, a)} & arrows

        into_b = [c for c in neighbours[b] if (c, b) in arrows]
        return (
            # rule 1: c -> a, and c and b are not adjacent
            any((c, a) in arrows and c != b and frozenset((c, b)) not in pairs for c in neighbours[a])
            # rule 2: a -> c -> b
            or any((a, c) in arrows for c in into_b)
            # rule 3: a - c -> b and a - d -> b, and c and d are not adjacent
            or any(open_(c) and open_(d) and frozenset((c, d)) not in pairs for c, d in combinations(into_b, 2))
            # rule 4: a - d -> c -> b, and a and c are adjacent, and d and b are not
            or any(
                (d, c) in arrows and open_(d) and frozenset((a, c)) in pairs and frozenset((d, b)) not in pairs
                for c in into_b
                for d in neighbours[c]
                if d not in (a, b)
            )
        )

    changed = True
    while changed:
        changed = False
        for a, b in loose:
            if not {(a, b), (b, a)} & arrows:
                for edge in ((a, b), (b, a)):
                    if compelled(*edge):
                        arrows.add(edge)
                        changed = True
                        break
    return PartiallyDirectedGraph(nodes, arrows, [e for e in loose if not {e, e[::-1]} & arrows])


def _reach(start: str, edges: Iterable[Edge]) -> set[str]:
    reached, frontier = {start}, [start]
    while frontier:
        here = frontier.pop()
        found = {b for a, b in edges if a == here} - reached
        reached |= found
        frontier += found
    return reached - {start}
