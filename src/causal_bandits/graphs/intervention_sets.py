"""Sets of variables that are worth intervening on: minimal (MIS) and possibly optimal (POMIS) ones.

Sources: Lee & Bareinboim (2018), "Structural causal bandits: where to intervene?" (MIS, POMIS, MUCT, interventional
border and the recursive procedures); Lee & Bareinboim (2019), Theorem 4 (non-manipulable variables).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain, combinations

from causal_bandits.graphs.admg import ADMG, as_set, check_name, listing
from causal_bandits.graphs.bit_graph import ALL, EMPTY, BitGraph, NodeSet, union
from causal_bandits.graphs.exchange import GraphLike, as_admg

InterventionSets = frozenset[frozenset[str]]


def brute_force(graph: GraphLike, *, outcome: str, non_manipulable: Iterable[str] = ()) -> InterventionSets:
    """Return every subset of the manipulable variables (strategy BF of lee2019).

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    outcome : str
        The variable Y whose mean is wanted; it is never manipulable.
    non_manipulable : iterable of str
        The set N.

    Returns
    -------
    frozenset of frozenset of str
        The empty set, which stands for observation, is one of them.
    """
    graph = as_admg(graph)
    free = _manipulable(graph, outcome, non_manipulable)
    return frozenset(frozenset(s) for s in chain.from_iterable(combinations(free, k) for k in range(len(free) + 1)))


def minimal_intervention_sets(
    graph: GraphLike, *, outcome: str, non_manipulable: Iterable[str] = ()
) -> InterventionSets:
    """Find the minimal intervention sets: those without a proper subset that always has the same effect.

    A set X is minimal if and only if every member is an ancestor of Y in the graph without the edges into X (rule 3 of
    the do-calculus). With non-manipulable variables N, the minimal sets are those disjoint from N (lee2019,
    Definition 2). The recursion adds variables, effects before causes, and drops the candidates that a choice has cut
    off from Y, so it reaches every set once (Lee & Bareinboim 2018, Algorithm "MISs").

    Parameters and result are those of `brute_force`.
    """
    graph = as_admg(graph)
    g = _effects_first(graph)
    free = g.set_of(_manipulable(graph, outcome, non_manipulable))
    found: list[NodeSet] = []

    def add_from(relevant: NodeSet, chosen: NodeSet, candidates: NodeSet) -> None:
        """Add ``chosen`` and the sets that contain it; from every ``relevant`` node a path to Y avoids ``chosen``."""
        found.append(chosen)
        while candidates:
            variable = candidates & -candidates
            candidates ^= variable
            left = _ancestors_without(g, relevant, variable)
            # Cutting the edges into a cause keeps every path from an effect chosen earlier to Y.
            add_from(left, chosen | variable, left & candidates)

    ancestors = g.ancestors(g.node[outcome], ALL)
    add_from(ancestors, EMPTY, ancestors & free)
    return g.families(found)


def possibly_optimal_intervention_sets(
    graph: GraphLike, *, outcome: str, non_manipulable: Iterable[str] = ()
) -> InterventionSets:
    """Find the possibly-optimal minimal intervention sets, POMIS (lee2019, Definition 3 and Theorem 4).

    In the projection of the graph onto the manipulable variables, X is a POMIS if and only if X is the interventional
    border of the graph without the edges into X. The recursion goes from one border to the next instead of testing
    every subset (Lee & Bareinboim 2018, Algorithm 1).

    A border and its territory determine each other, so the recursion is over territories. What lies beyond a border
    no longer matters: the next territory is computed within the current one, without the variable that is cut.

    Parameters and result are those of `brute_force`.
    """
    graph = as_admg(graph)
    projected = graph.latent_projection([*_manipulable(graph, outcome, non_manipulable), outcome])
    g = _effects_first(projected)
    y, half, followers = g.node[outcome], g.first(len(g.names) // 2), _followers(g)
    follow = cache(lambda nodes: union(nodes, followers))  # searches from Y have most of their steps in common
    parents = cache(g.parents_of)  # of halves of sets, which territories share
    borders: list[NodeSet] = []

    def sub_pomis(territory: NodeSet, candidates: NodeSet) -> None:
        borders.append((parents(territory & half) | parents(territory & ~half)) & ~territory)
        while candidates:
            variable = candidates & -candidates
            candidates ^= variable
            smaller = _territory(y, follow, _ancestors_without(g, territory, variable))
            lost = territory ^ smaller
            if lost & -lost == variable:  # otherwise already found from an earlier candidate
                sub_pomis(smaller, smaller & candidates)

    start = _territory(y, follow, g.ancestors(y, ALL))
    sub_pomis(start, start & ~y)
    return g.families(borders)


def muct(graph: GraphLike, *, outcome: str) -> frozenset[str]:
    """Return the minimal unobserved-confounders' territory of the outcome (lee2019, before Fig. 2).

    It is the smallest set that contains Y and, within the subgraph of the ancestors of Y, all descendants of its
    members and every c-component that contains one of them.
    """
    graph = as_admg(graph)
    _manipulable(graph, outcome, ())
    g = graph.bits
    y, followers = g.node[outcome], _followers(g)
    return g.named(_territory(y, lambda nodes: union(nodes, followers), g.ancestors(y, ALL)))


def interventional_border(graph: GraphLike, *, outcome: str) -> frozenset[str]:
    """Return the interventional border: the parents of the territory `muct` that lie outside it."""
    graph = as_admg(graph)
    territory = muct(graph, outcome=outcome)
    return graph.parents(territory) - territory


def _manipulable(graph: ADMG, outcome: str, non_manipulable: Iterable[str]) -> tuple[str, ...]:
    check_name("outcome", outcome)
    fixed = as_set(non_manipulable, "non_manipulable")
    unknown = (fixed | {outcome}).difference(graph.nodes)
    if unknown:
        raise ValueError(f"not in the graph: {listing(unknown)} (its nodes: {listing(graph)})")
    return tuple(v for v in graph.nodes if v != outcome and v not in fixed)


# ---------------------------------------------------------------------- on sets of nodes


def _effects_first(graph: ADMG) -> BitGraph:
    """Number the nodes from effects to causes.

    The first member of a set is then the first variable to be intervened on.
    """
    return BitGraph.of(graph.topological_order[::-1], graph.directed, graph.bidirected)


def _ancestors_without(graph: BitGraph, relevant: NodeSet, variable: NodeSet) -> NodeSet:
    """Return the ancestors of Y in ``relevant`` without ``variable``.

    All nodes of ``relevant`` must be ancestors of Y. Only nodes that lose their last child are lost, so it is enough to
    go upwards from the variable.
    """
    relevant ^= variable
    suspects = graph.parents[variable.bit_length() - 1] & relevant
    while suspects:
        low = suspects & -suspects
        node = low.bit_length() - 1
        suspects ^= low
        if not graph.children[node] & relevant:
            relevant ^= low
            suspects |= graph.parents[node] & relevant
    return relevant


def _territory(reward: NodeSet, follow: Callable[[NodeSet], NodeSet], ancestors: NodeSet) -> NodeSet:
    """Return the territory of the reward: the smallest set that contains it and that ``follow`` does not leave.

    Given a set of nodes, ``follow`` returns all their `_followers`.
    """
    territory = fresh = reward
    while fresh:
        fresh = follow(fresh) & ancestors & ~territory
        territory |= fresh
    return territory


def _followers(graph: BitGraph) -> list[NodeSet]:
    """Return, for each node, what belongs to any territory that contains it: its children and spouses."""
    return [children | spouses for children, spouses in zip(graph.children, graph.spouses, strict=True)]
