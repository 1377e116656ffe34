"""Tian's c-factors: Q[S] is the distribution of S when all other variables are intervened on.

Sources: Tian & Pearl (2002), "A general identification condition for causal effects"; Tian & Pearl (2003),
"On the identification of causal effects", Lemmas 3 and 4 and the procedure Identify. ID (`identify`), z2ID
(`z2id`) and recovery under selection bias all rest on these functions.
"""

from __future__ import annotations

from collections.abc import Iterable

from causal_bandits.graphs.admg import ADMG, listing
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
    """The given distributions do not determine the effect, or z2ID, which may miss one, finds no formula."""


def ancestors_within(graph: ADMG, within: frozenset[str], nodes: Iterable[str]) -> frozenset[str]:
    """Return the ancestors of ``nodes``, themselves included, in the subgraph that ``within`` induces."""
    reached, frontier = set(nodes), list(nodes)
    while frontier:
        new = (graph.parents(frontier.pop()) & within) - reached
        reached |= new
        frontier += new
    return frozenset(reached)


def c_component_within(graph: ADMG, within: frozenset[str], nodes: Iterable[str]) -> frozenset[str]:
    """Return the c-components that contain ``nodes`` in the subgraph that ``within`` induces."""
    reached, frontier = set(nodes), list(nodes)
    while frontier:
        new = (graph.spouses(frontier.pop()) & within) - reached
        reached |= new
        frontier += new
    return frozenset(reached)


def c_components_within(graph: ADMG, within: frozenset[str]) -> tuple[frozenset[str], ...]:
    """Return the c-components of the subgraph that ``within`` induces, ordered by their first node's name."""
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
    """Return Q[S] of a c-component S of ``graph[within]``, given the joint distribution P_do(within).

    Parameters
    ----------
    graph : ADMG
    component : frozenset of str
        S, a c-component (or a union of some) of the subgraph.
    within : frozenset of str
        The variables of the distribution. In the graph without the edges into ``do`` they contain their ancestors.
    do : frozenset of Value
        The intervention that the distribution is under.
    given : frozenset of Value
        A condition that the whole distribution is under. Its variables are not in ``within``.

    Returns
    -------
    Expression
        The product of P_do(v_i | pa+(v_i)) over V_i in S. pa+(V_i) are the predecessors in topological order that V_i
        depends on. Let T_i be the c-component of V_i in the subgraph of V_i and its predecessors; then pa+(V_i)
        consists of T_i and the parents of T_i, without V_i (Tian & Pearl 2002, after Lemma 1). The order is the
        graph's own, with ties by name (ledger L09).
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
    """Return Q[S] of one or more c-components S of ``graph[A]``, given Q[A] (Tian & Pearl 2003, Lemma 4).

    With A in topological order, Q[S] is the product over V_i in S of Q[A up to i] / Q[A up to i-1]. Q[A up to i] is
    Q[A] summed over the variables after V_i.
    """
    order = [v for v in graph.topological_order if v in within]

    def up_to(i: int) -> Expression:
        return simplify(sum_over(values_of(order[i:]), q_within))

    return simplify(product_of(Quotient(up_to(i + 1), up_to(i)) for i, v in enumerate(order) if v in component))


def identify_c_factor(graph: ADMG, target: frozenset[str], known: frozenset[str], q_known: Expression) -> Expression:
    """Return Q[C], given Q[T] (procedure Identify of Tian & Pearl 2003).

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
        If all of T are ancestors of C within T: then (T, C) is a hedge.
    """
    ancestors = ancestors_within(graph, known, target)
    q_ancestors = sum_over(values_of(known - ancestors), q_known)
    if ancestors == target:  # step 1
        return simplify(q_ancestors)
    if ancestors == known:  # step 2
        raise NotIdentifiable(f"Q[{listing(target)}] is not identifiable from Q[{listing(known)}] (a hedge)")
    component = c_component_within(graph, ancestors, target)  # step 3
    return identify_c_factor(
        graph, target, component, c_factor_of_subset(graph, component, ancestors, simplify(q_ancestors))
    )
