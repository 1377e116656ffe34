"""The latent projection as lee2019 defines it, where that differs from the usual one."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations

from causal_bandits.graphs.admg import ADMG


def literal_projection(graph: ADMG, keep: Collection[str]) -> ADMG:
    """The latent projection with item 2 of its definition to the letter (ledger E20).

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
