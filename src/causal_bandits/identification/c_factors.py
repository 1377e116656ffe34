"""Tian's c-factors: Q[S], the distribution of S when everything else is intervened on.

Sources: Tian & Pearl (2002), "A general identification condition for causal effects"; Tian & Pearl (2003),
"On the identification of causal effects", Lemmas 3 and 4 and the procedure Identify. ID (`identify`), z2ID
(`z2id`) and recovery under selection bias all rest on these functions.
"""

from __future__ import annotations

from collections.abc import Iterable

from causal_bandits.graphs.admg import ADMG
from causal_bandits.identification.expression import (
    Expression,
    Probability,
    Quotient,
    Value,
    product_of,
    sum_over,
    values_of,
)
from causal_bandits.identification.simplify import simplify


class NotIdentifiable(ValueError):
    """The effect is no function of the given distributions (or, for z2ID, none that the algorithm finds)."""


def ancestors_within(graph: ADMG, within: frozenset[str], nodes: Iterable[str]) -> frozenset[str]:
    """An(``nodes``) in the subgraph induced by ``within``; ``nodes`` included."""
    reached, frontier = set(nodes), list(nodes)
    while frontier:
        new = (graph.parents(frontier.pop()) & within) - reached
        reached |= new
        frontier += new
    return frozenset(reached)


def c_component_within(graph: ADMG, within: frozenset[str], nodes: Iterable[str]) -> frozenset[str]:
    """The c-component(s) of ``nodes`` in the subgraph induced by ``within``."""
    reached, frontier = set(nodes), list(nodes)
    while frontier:
        new = (graph.spouses(frontier.pop()) & within) - reached
        reached |= new
        frontier += new
    return frozenset(reached)


def c_components_within(graph: ADMG, within: frozenset[str]) -> tuple[frozenset[str], ...]:
    """The c-components of the subgraph induced by ``within``, ordered by their first node's name."""
    left, components = within, []
    while left:
        components.append(c_component_within(graph, within, [min(left)]))
        left -= components[-1]
    return tuple(components)


def c_factor(
    graph: ADMG,
    component: frozenset[str],
    within: frozenset[str],
    do: frozenset[Value] = frozenset(),
    given: frozenset[Value] = frozenset(),
) -> Expression:
    """Q[S] of a c-component S of ``graph[within]`` from the joint P_do(within): a product of conditionals.

    Parameters
    ----------
    graph : ADMG
    component : frozenset of str
        S, a c-component (or a union of some) of the subgraph.
    within : frozenset of str
        The variables that the distribution is about, closed under ancestors once ``do`` is cut.
    do : frozenset of Value
        Names the distribution.
    given : frozenset of Value
        A condition that the whole distribution is under; its variables are not ``within``.

    Returns
    -------
    Expression
        ``prod P_do(v_i | pa+(v_i))``; pa+ are the predecessors in topological order that V_i depends on: with
        T_i its c-component among itself and its predecessors, (T_i and the parents of T_i) without V_i (Tian
        & Pearl 2002, after Lemma 1). The order is the graph's own, ties by name (ledger L09).
    """
    order = [v for v in graph.topological_order if v in within]
    terms = []
    for i, v in enumerate(order):
        if v in component:
            with_predecessors = frozenset(order[: i + 1])
            territory = c_component_within(graph, with_predecessors, [v])
            depends_on = (territory | (graph.parents(territory) & within)) - {v}
            terms.append(Probability(values_of([v]), values_of(depends_on) | given, do))
    return product_of(terms)


def c_factor_of_subset(
    graph: ADMG,
    component: frozenset[str],
    within: frozenset[str],
    q_within: Expression,
) -> Expression:
    """Q[S] of a c-component S (or a union of some) of ``graph[A]`` from Q[A] (Tian & Pearl 2003, Lemma 4).

    With A in topological order, ``Q[S] = prod over V_i in S of Q[A up to i] / Q[A up to i-1]``, where Q[A up
    to i] is Q[A] summed over the rest.
    """
    order = [v for v in graph.topological_order if v in within]

    def up_to(i: int) -> Expression:
        return simplify(sum_over(values_of(order[i:]), q_within))

    return simplify(product_of(Quotient(up_to(i + 1), up_to(i)) for i, v in enumerate(order) if v in component))


def identify_c_factor(graph: ADMG, target: frozenset[str], known: frozenset[str], q_known: Expression) -> Expression:
    """Q[C] from Q[T] (procedure Identify of Tian & Pearl 2003).

    Parameters
    ----------
    graph : ADMG
    target : frozenset of str
        C, a subset of T with a single c-component in ``graph[C]``.
    known : frozenset of str
        T, with a single c-component in ``graph[T]``.
    q_known : Expression
        Q[T].

    Raises
    ------
    NotIdentifiable
        If C has T as its ancestors within T: the pair (T, C) then spans a hedge.
    """
    ancestors = ancestors_within(graph, known, target)
    q_ancestors = sum_over(values_of(known - ancestors), q_known)
    if ancestors == target:  # step 1
        return simplify(q_ancestors)
    if ancestors == known:  # step 2
        raise NotIdentifiable(f"Q[{_listing(target)}] is not identifiable from Q[{_listing(known)}] (a hedge)")
    component = c_component_within(graph, ancestors, target)  # step 3
    return identify_c_factor(
        graph, target, component, c_factor_of_subset(graph, component, ancestors, simplify(q_ancestors))
    )


def _listing(nodes: Iterable[str]) -> str:
    return ", ".join(sorted(nodes))
