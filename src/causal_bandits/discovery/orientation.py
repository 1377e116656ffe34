"""The last step of PC: direct the edges of a skeleton, with tiers.

Source: Spirtes, Glymour & Scheines (2001), PC; with background knowledge, Meek (1995).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations

from causal_bandits.graphs.admg import Edge
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph, completed

#: The tier of each variable. No edge leads from a tier into a lower one.
Tiers = Mapping[str, int]


def oriented(
    nodes: Iterable[str],
    adjacent: Iterable[Edge],
    separating_sets: Mapping[frozenset[str], Iterable[str]],
    tiers: Tiers,
    barred: Collection[Edge] = (),
) -> PartiallyDirectedGraph:
    """Direct the edges of a skeleton by tiers, then by unshielded colliders, then by Meek's rules.

    X - Z - Y with X and Y not adjacent becomes a collider if Z is not in the set that separated X and Y. If a collider
    contradicts the tiers or ``barred``, the tiers and ``barred`` win. If two colliders contradict each other, the first
    by name wins, as is usual for PC.

    Parameters
    ----------
    nodes : iterable of str
    adjacent : iterable of (str, str)
        The edges of the skeleton.
    separating_sets : mapping from frozenset of two nodes to iterable of str
        The separating set of each pair that is not adjacent. A pair that only prior knowledge separates has none,
        and says nothing about colliders.
    tiers : mapping from str to int
        No edge leads from a tier into a lower one.
    barred : collection of (str, str)
        Edges ``cause -> effect`` that are excluded. At most one direction of an edge of the skeleton is barred.
    """
    names = sorted(nodes)
    graph = PartiallyDirectedGraph(names, undirected=adjacent)
    directed = known_directions(graph.adjacent, tiers, barred)
    for x, y in combinations(names, 2):
        if graph.kind(x, y) != "none" or frozenset((x, y)) not in separating_sets:
            continue
        for z in names:
            joined = z not in (x, y) and graph.kind(x, z) != "none" and graph.kind(y, z) != "none"
            if joined and z not in separating_sets[frozenset((x, y))] and not {(z, x), (z, y)} & directed:
                directed |= {(x, z), (y, z)}
    return completed(names, directed, graph.adjacent)


def known_directions(edges: Iterable[Edge], tiers: Tiers, barred: Collection[Edge] = ()) -> set[Edge]:
    """Direct the edges that prior knowledge excludes in the opposite direction, and return them."""
    allowed = {(a, b): tiers[a] <= tiers[b] and (a, b) not in barred for e in edges for a, b in (e, e[::-1])}
    return {(a, b) for (a, b), may in allowed.items() if may and not allowed[b, a]}
