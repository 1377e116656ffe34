"""Sets of variables that are worth intervening on: minimal (MIS) and possibly optimal (POMIS) ones.

Sources: Lee & Bareinboim (2018), "Structural causal bandits: where to intervene?" (MIS, POMIS, MUCT, interventional
border and the recursive procedures); Lee & Bareinboim (2019), Theorem 4 (non-manipulable variables).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations

from causal_bandits.graphs.admg import ADMG, as_set, listing

InterventionSets = frozenset[frozenset[str]]


def brute_force(graph: ADMG, reward: str, non_manipulable: Iterable[str] = ()) -> InterventionSets:
    """Return every subset of the manipulable variables (strategy BF of lee2019).

    Parameters
    ----------
    graph : ADMG
    reward : str
        The reward variable Y; it is never manipulable.
    non_manipulable : iterable of str
        The set N.

    Returns
    -------
    frozenset of frozenset of str
        The empty set, which stands for observation, is one of them.
    """
    free = _manipulable(graph, reward, non_manipulable)
    return frozenset(frozenset(s) for s in chain.from_iterable(combinations(free, k) for k in range(len(free) + 1)))


def minimal_intervention_sets(graph: ADMG, reward: str, non_manipulable: Iterable[str] = ()) -> InterventionSets:
    """Find the minimal intervention sets: those of which no proper subset always has the same effect.

    A set X is minimal if and only if every member is an ancestor of Y in the graph without the edges into X (rule 3 of
    the do-calculus). With non-manipulable variables N, the minimal sets are those that do not meet N (lee2019,
    Definition 2). The recursion adds variables, effects before causes, and drops the candidates that a choice has cut
    off from Y, so that it reaches every set once (Lee & Bareinboim 2018, Algorithm "MISs").

    Parameters and result are those of `brute_force`.
    """
    free = set(_manipulable(graph, reward, non_manipulable))
    found: set[frozenset[str]] = set()

    def add_from(graph: ADMG, chosen: frozenset[str], candidates: tuple[str, ...]) -> None:
        found.add(chosen)
        for i, variable in enumerate(candidates):
            cut = graph.do(variable)
            cut = cut.subgraph(cut.ancestors(reward))
            add_from(cut, chosen | {variable}, tuple(v for v in candidates[i + 1 :] if v in cut))

    relevant = graph.subgraph(graph.ancestors(reward))
    # Effects before causes: cutting the edges into a cause keeps every path from an effect chosen earlier to Y.
    order = tuple(v for v in reversed(relevant.topological_order) if v in free)
    add_from(relevant, frozenset(), order)
    return frozenset(found)


def possibly_optimal_intervention_sets(
    graph: ADMG, reward: str, non_manipulable: Iterable[str] = ()
) -> InterventionSets:
    """Find the possibly-optimal minimal intervention sets, POMIS (lee2019, Definition 3 and Theorem 4).

    In the projection of the graph onto the manipulable variables, X is a POMIS if and only if X is the interventional
    border of the graph without the edges into X. The recursion goes from one border to the next instead of testing
    every subset (Lee & Bareinboim 2018, Algorithm 1).

    Parameters and result are those of `brute_force`.
    """
    projected = graph.latent_projection([*_manipulable(graph, reward, non_manipulable), reward])
    relevant = projected.subgraph(projected.ancestors(reward))
    found: set[frozenset[str]] = set()

    def sub_pomis(graph: ADMG, candidates: tuple[str, ...], obsolete: frozenset[str]) -> None:
        for i, variable in enumerate(candidates):
            cut = graph.do(variable)
            territory, border = muct(cut, reward), interventional_border(cut, reward)
            passed = obsolete | set(candidates[:i])
            if border & passed:  # found before, from an earlier candidate
                continue
            found.add(border)
            remaining = tuple(v for v in candidates[i + 1 :] if v in territory)
            if remaining:
                sub_pomis(cut.do(border).subgraph(territory | border), remaining, passed)

    territory, border = muct(relevant, reward), interventional_border(relevant, reward)
    found.add(border)
    start = relevant.do(border).subgraph(territory | border)
    sub_pomis(start, tuple(v for v in reversed(start.topological_order) if v in territory - {reward}), frozenset())
    return frozenset(found)


def muct(graph: ADMG, reward: str) -> frozenset[str]:
    """Return the minimal unobserved-confounders' territory of the reward (lee2019, before Fig. 2).

    It is the smallest set that contains Y and, within the subgraph of the ancestors of Y, all descendants of its
    members and every c-component that one of them is in.
    """
    relevant = graph.subgraph(graph.ancestors(reward))
    territory = frozenset([reward])
    while True:
        larger = relevant.c_component(relevant.descendants(territory))
        if larger == territory:
            return territory
        territory = larger


def interventional_border(graph: ADMG, reward: str) -> frozenset[str]:
    """Return the interventional border: the parents of the territory `muct` that lie outside it."""
    territory = muct(graph, reward)
    return graph.parents(territory) - territory


def _manipulable(graph: ADMG, reward: str, non_manipulable: Iterable[str]) -> tuple[str, ...]:
    fixed = as_set(non_manipulable)
    unknown = (fixed | {reward}).difference(graph.nodes)
    if unknown:
        raise ValueError(f"not in the graph: {listing(unknown)} (its nodes: {listing(graph)})")
    return tuple(v for v in graph.nodes if v != reward and v not in fixed)
