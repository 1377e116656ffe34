"""Tian's c-factors: Q[S] is the distribution of S when all other variables are intervened on.

Sources: Tian & Pearl (2002), "A general identification condition for causal effects"; Tian & Pearl (2003),
"On the identification of causal effects", Lemmas 3 and 4 and the procedure Identify. ID (`identify`), z2ID
(`z2id`) and recovery under selection bias all rest on these functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from causal_bandits.graphs.admg import ADMG, listing
from causal_bandits.identification.expression import (
    Expression,
    Quotient,
    Value,
    product_of,
    sum_over,
    term,
    values_of,
)
from causal_bandits.identification.simplify import simplify


class NotIdentifiable(ValueError):
    """The given distributions do not determine the effect, or z2ID, which may miss one, finds no formula."""


def ancestors_within(graph: ADMG, within: frozenset[str], nodes: Iterable[str]) -> frozenset[str]:
    """Return the ancestors of ``nodes``, themselves included, in the subgraph that ``within`` induces."""
    g = graph.bits
    return g.named(g.ancestors(g.mask(nodes), g.mask(within)))


def c_component_within(graph: ADMG, within: frozenset[str], nodes: Iterable[str]) -> frozenset[str]:
    """Return the c-components that contain ``nodes`` in the subgraph that ``within`` induces."""
    g = graph.bits
    return g.named(g.c_component(g.mask(nodes), g.mask(within)))


def c_components_within(graph: ADMG, within: frozenset[str]) -> tuple[frozenset[str], ...]:
    """Return the c-components of the subgraph that ``within`` induces, ordered by their first node's name."""
    g = graph.bits
    return tuple(map(g.named, g.c_components(g.mask(within))))


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
    g, inside, before, terms = graph.bits, graph.bits.mask(within), 0, []
    for v in graph.topological_order:
        if v in within:
            own = 1 << g.number[v]
            before |= own
            if v in component:
                territory = g.c_component(own, before)
                depends_on = (territory | g.parents_of(territory) & inside) & ~own
                terms.append(term(values_of([v]), values_of(g.named(depends_on)) | given, do))
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

    @cache  # neighbours in the order share one
    def up_to(i: int) -> Expression:
        return simplify(sum_over(values_of(order[i:]), q_within))

    return simplify(product_of(Quotient(up_to(i + 1), up_to(i)) for i, v in enumerate(order) if v in component))


def check_c_factor(graph: ADMG, target: int, known: int) -> None:
    """Run procedure Identify without formulas.

    It raises NotIdentifiable if Q[known] does not determine Q[target]. Parameters are those of `identify_c_factor`; the
    sets are bit masks.
    """
    g = graph.bits
    while (ancestors := g.ancestors(target, known)) != target:
        if ancestors == known:
            q_target, q_known = (f"Q[{listing(g.named(nodes))}]" for nodes in (target, known))
            raise NotIdentifiable(f"{q_target} is not identifiable from {q_known} (a hedge)")
        known = g.c_component(target, ancestors)


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
    check_c_factor(graph, graph.bits.mask(target), graph.bits.mask(known))  # step 2, and all further calls
    ancestors = ancestors_within(graph, known, target)
    q_ancestors = sum_over(values_of(known - ancestors), q_known)
    if ancestors == target:  # step 1
        return simplify(q_ancestors)
    component = c_component_within(graph, ancestors, target)  # step 3
    return identify_c_factor(
        graph, target, component, c_factor_of_subset(graph, component, ancestors, simplify(q_ancestors))
    )
