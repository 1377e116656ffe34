"""The latent projection as lee2019 defines it where that is not the usual one; what Fig. 3 projects."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations

from causal_bandits.graphs.admg import ADMG

#: Fig. 3's edges are not in the text: a graph whose projection onto {X, Y, Z} is the front-door graph (ledger L07).
LARGER = ADMG(directed=[("X", "S"), ("S", "Z"), ("Z", "T"), ("T", "Y"), ("R", "X"), ("R", "Y")])


def literal_projection(graph: ADMG, keep: Collection[str]) -> ADMG:
    """Return the latent projection with item 2 of its definition taken literally (ledger E20).

    Bidirected edges come from confounders of the diagram alone, not from the noise of variables that are left out.
    """

    def reached(ends: Iterable[str]) -> set[str]:
        found, pending = set(), list(ends)
        while pending:
            node = pending.pop()
            found |= {node} & set(keep)
            pending += [] if node in keep else graph.children(node)
        return found

    directed = {(a, b) for a in keep for b in reached(graph.children(a))}
    bidirected = {pair for edge in graph.bidirected for pair in combinations(sorted(reached(edge)), 2)}
    return ADMG(directed, bidirected, keep)
