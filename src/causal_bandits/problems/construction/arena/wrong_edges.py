"""Diagrams that differ from the truth in k pairs of variables, for k = 0, 1, 2, ...

Errors are made one after another, so the diagram with k + 1 errors has those of the one with k errors, and one more. No
pair of variables is changed twice: k is the number of pairs in which belief and truth differ (L210).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from causal_bandits.graphs.admg import ADMG, Edge
from causal_bandits.problems.construction.arena.diagrams import REWARD


class Change(NamedTuple):
    """One error in a diagram.

    The belief loses and gains directed edges, and loses or gains a hidden cause.

    At least one of the three fields is given. A turned edge is lost in one direction and gained in the other.
    """

    gone: Edge | None = None
    new: Edge | None = None
    confounded: Edge | None = None

    @property
    def place(self) -> tuple[bool, str, str]:
        """Whether the error concerns a hidden cause, and its pair of variables."""
        a, b = self.confounded or self.gone or self.new or ("", "")
        return (self.confounded is not None, min(a, b), max(a, b))


def changed(graph: ADMG, change: Change) -> ADMG:
    """Return the diagram with one more error."""
    directed = set(graph.directed) - {change.gone}
    bidirected = set(graph.bidirected) ^ ({change.confounded} if change.confounded else set())
    return ADMG([*sorted(directed), *([change.new] if change.new else [])], sorted(bidirected), graph.nodes)


def _causes(graph: ADMG) -> list[str]:
    return [v for v in graph.nodes if v != REWARD]


def _inner_edges(graph: ADMG) -> list[Edge]:
    """List the edges between causes, which are those that do not lead to the reward, sorted."""
    return sorted(edge for edge in graph.directed if REWARD not in edge)


def _turned(graph: ADMG) -> list[Change]:
    """List the errors that turn an edge a -> b, unless another directed path from a to b would then close a cycle."""
    edges = _inner_edges(graph)
    return [Change((a, b), (b, a)) for a, b in edges if b not in graph.descendants(graph.children(a) - {b})]


def _missing(graph: ADMG) -> list[Change]:
    return [Change(gone=edge) for edge in _inner_edges(graph)]


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


#: The kinds of errors, each with a function that lists the errors of this kind that a diagram admits, in a fixed order.
KINDS: dict[str, Callable[[ADMG], list[Change]]] = {
    "turned": _turned,
    "missing": _missing,
    "cause_lost": _cause_lost,
    "extra": _extra,
    "cause_invented": _cause_invented,
    "overlooked": _overlooked,
    "invented": _invented,
}
#: Kinds after which the belief still admits the true model, so the best intervention stays among the arms.
HARMLESS = ("extra", "cause_invented", "invented")
#: The kind of each error is drawn uniformly.
MIXED = "mixed"


def believed(graph: ADMG, kind: str, wrong: int, rng: np.random.Generator) -> tuple[ADMG, int]:
    """Make errors in a diagram, one after another.

    Parameters
    ----------
    graph : ADMG
        The true diagram; its reward is `diagrams.REWARD`, which has no effects.
    kind : str
        A key of `KINDS`, or `MIXED`: each error is of a kind drawn uniformly among those that the belief so far admits.
    wrong : int
        The number of errors, >= 0.
    rng : numpy.random.Generator
        With the same random numbers, a larger ``wrong`` adds errors to those of a smaller one.

    Returns
    -------
    ADMG
        The belief.
    int
        The number of errors made: fewer than ``wrong`` if no further error of the kind is possible (L211).

    Raises
    ------
    ValueError
        If the kind is unknown or ``wrong`` is negative.
    """
    if kind not in (MIXED, *KINDS) or wrong < 0:
        raise ValueError(f"kind={kind!r}, wrong={wrong}: expected {MIXED}, {', '.join(KINDS)}; and a number >= 0")
    touched: set[tuple[bool, str, str]] = set()
    for made in range(wrong):
        names = [list(KINDS)[i] for i in rng.permutation(len(KINDS))] if kind == MIXED else [kind]
        possible = next(filter(None, (_untouched(KINDS[name](graph), touched) for name in names)), None)
        if possible is None:
            return graph, made
        change = possible[int(rng.integers(len(possible)))]
        touched.add(change.place)
        graph = changed(graph, change)
    return graph, wrong


def _untouched(changes: list[Change], touched: Collection[tuple[bool, str, str]]) -> list[Change]:
    return [change for change in changes if change.place not in touched]
