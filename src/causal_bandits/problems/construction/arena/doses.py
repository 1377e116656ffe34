"""Wrong edges in doses.

Diagrams differ from the truth in k pairs of variables, for k = 0, 1, 2, ...

Errors are made one after another. So the diagram with k + 1 errors is the diagram with k errors and one more, and no
pair of variables is changed twice: k is the number of pairs at which belief and truth differ (L210).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from causal_bandits.graphs.admg import ADMG, Edge
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.problems.construction.arena.diagrams import REWARD, inner_edges, turnable


class Change(NamedTuple):
    """One error of a diagram.

    The belief loses and gains directed edges, and loses or gains a hidden cause.

    At least one of the three is given. A turned edge is lost in one direction and gained in the other.
    """

    gone: Edge | None = None
    new: Edge | None = None
    confounded: Edge | None = None

    @property
    def place(self) -> tuple[bool, str, str]:
        """Whether it concerns a hidden cause, and the pair of variables."""
        a, b = self.confounded or self.gone or self.new or ("", "")
        return (self.confounded is not None, min(a, b), max(a, b))


def changed(graph: ADMG, change: Change) -> ADMG:
    """Return the diagram with one error more."""
    directed = set(graph.directed) - {change.gone}
    bidirected = set(graph.bidirected) ^ ({change.confounded} if change.confounded else set())
    return ADMG([*sorted(directed), *([change.new] if change.new else [])], sorted(bidirected), graph.nodes)


def _causes(graph: ADMG) -> list[str]:
    return [v for v in graph.nodes if v != REWARD]


def _turned(graph: ADMG) -> list[Change]:
    return [Change((a, b), (b, a)) for a, b in turnable(graph)]


def _missing(graph: ADMG) -> list[Change]:
    return [Change(gone=edge) for edge in inner_edges(graph)]


def _cause_lost(graph: ADMG) -> list[Change]:
    return [Change(gone=(v, REWARD)) for v in sorted(graph.parents(REWARD))]


def _extra(graph: ADMG) -> list[Change]:
    joined = graph.directed | {(b, a) for a, b in graph.directed}
    pairs = [pair for pair in permutations(_causes(graph), 2) if pair not in joined]
    return [Change(new=(a, b)) for a, b in pairs if a not in graph.descendants(b)]


def _cause_invented(graph: ADMG) -> list[Change]:
    return [Change(new=(v, REWARD)) for v in _causes(graph) if v not in graph.parents(REWARD)]


def _overlooked(graph: ADMG) -> list[Change]:
    return [Change(confounded=pair) for pair in sorted(graph.bidirected)]


def _invented(graph: ADMG) -> list[Change]:
    return [Change(confounded=pair) for pair in combinations(graph.nodes, 2) if pair not in graph.bidirected]


#: The kinds of errors, with the errors of the kind that a diagram admits, in a fixed order.
KINDS: dict[str, Callable[[ADMG], list[Change]]] = {
    "turned": _turned,
    "missing": _missing,
    "cause_lost": _cause_lost,
    "extra": _extra,
    "cause_invented": _cause_invented,
    "overlooked": _overlooked,
    "invented": _invented,
}
#: Kinds after which the belief still admits the true model, so that the best intervention stays among the arms.
HARMLESS = ("extra", "cause_invented", "invented")
#: Each error is of a kind of its own, drawn uniformly.
MIXED = "mixed"


def believed(
    graph: ADMG, kind: str, wrong: int, rng: np.random.Generator, among: Collection[str] = tuple(KINDS)
) -> tuple[ADMG, int]:
    """Make errors one after another.

    Parameters
    ----------
    graph : ADMG
        The true diagram; its reward is `diagrams.REWARD`, which has no effects.
    kind : str
        A key of `KINDS`, or `MIXED`: every error is of a kind drawn uniformly among those of ``among`` that the
        belief so far admits.
    wrong : int
        How many errors, >= 0.
    rng : numpy.random.Generator
        With the same random numbers, more errors are the same errors and further ones.
    among : collection of str
        Keys of `KINDS`: the kinds that mixed errors are drawn from, by default all.

    Returns
    -------
    ADMG
        The belief.
    int
        How many errors were made: fewer than ``wrong`` if no further error of the kind is possible (L211).

    Raises
    ------
    ValueError
        If the kind is unknown or ``wrong`` is negative.
    """
    if kind not in (MIXED, *KINDS) or wrong < 0:
        raise ValueError(f"kind={kind!r}, wrong={wrong}: expected {MIXED}, {', '.join(KINDS)}; and a number >= 0")
    touched: set[tuple[bool, str, str]] = set()
    for made in range(wrong):
        names = [list(among)[i] for i in rng.permutation(len(among))] if kind == MIXED else [kind]
        possible = next(filter(None, (_untouched(KINDS[name](graph), touched) for name in names)), None)
        if possible is None:
            return graph, made
        change = possible[int(rng.integers(len(possible)))]
        touched.add(change.place)
        graph = changed(graph, change)
    return graph, wrong


def _untouched(changes: list[Change], touched: Collection[tuple[bool, str, str]]) -> list[Change]:
    return [change for change in changes if change.place not in touched]


def distance(graph: ADMG, other: ADMG) -> int:
    """Count the pairs of variables at which two diagrams differ: in directed edges, and in hidden causes.

    A turned edge counts once (structural Hamming distance, with hidden causes beside the edges).
    """
    directed = {(min(edge), max(edge)) for edge in graph.directed ^ other.directed}
    return len(directed) + len(graph.bidirected ^ other.bidirected)


# ---------------------------------------------------------------------- the essential graph of a tree

#: Kinds of errors in the essential graph of a causal tree, whose edges are undirected and which has no hidden causes.
TREE_KINDS = ("turned", "missing", "extra")


def believed_tree(
    essential: PartiallyDirectedGraph, true: ADMG, wrong: int, rng: np.random.Generator
) -> tuple[PartiallyDirectedGraph, int]:
    """Make errors in the undirected essential graph of a tree, each of a kind drawn uniformly.

    ``turned``: an edge is believed to point from the effect to the cause. ``missing``: an edge is lost. ``extra``: an
    edge joins two variables that have none. No pair is changed twice.

    Parameters
    ----------
    essential : PartiallyDirectedGraph
        Without directed edges.
    true : ADMG
        The tree.
    wrong : int
        How many errors, >= 0.
    rng : numpy.random.Generator

    Returns
    -------
    PartiallyDirectedGraph
    int
        How many errors were made.

    Raises
    ------
    ValueError
        If an edge is directed.
    """
    if essential.directed:
        raise ValueError(
            f"{len(essential.directed)} directed edges: expected the essential graph of one tree, with none"
        )
    left = sorted(essential.undirected)
    free = sorted(set(combinations(essential.nodes, 2)) - essential.adjacent)
    directed: list[Edge] = []
    kept, added = set(left), set[Edge]()
    for made in range(wrong):
        names = [TREE_KINDS[i] for i in rng.permutation(len(TREE_KINDS))]
        name = next((name for name in names if (free if name == "extra" else left)), None)
        if name is None:
            return PartiallyDirectedGraph(essential.nodes, directed, kept | added), made
        pairs = free if name == "extra" else left
        a, b = pairs.pop(int(rng.integers(len(pairs))))
        if name == "extra":
            added.add((a, b))
            continue
        kept.remove((a, b))
        if name == "turned":
            directed.append((b, a) if (a, b) in true.directed else (a, b))
    return PartiallyDirectedGraph(essential.nodes, directed, kept | added), wrong
