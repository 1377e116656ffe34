"""Tian's c-factors: Q[S] is the distribution of S when all other variables are intervened on.

Sources: Tian & Pearl (2002), "A general identification condition for causal effects"; Tian & Pearl (2003),
"On the identification of causal effects", Lemmas 3 and 4 and the procedure Identify. ID (`identify`), z2ID
(`z2id`) and recovery under selection bias all rest on these functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from causal_bandits.errors import CausalBanditsError
from causal_bandits.graphs.admg import ADMG, listing
from causal_bandits.graphs.bit_graph import EMPTY, NodeSet
from causal_bandits.graphs.exchange import GraphLike, as_admg
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


class NotIdentifiable(CausalBanditsError):
    """The given distributions do not determine the effect, or z2ID finds no formula, though one may exist."""


def ancestors_within(graph: ADMG, within: frozenset[str], nodes: Iterable[str]) -> frozenset[str]:
    """Return the ancestors of ``nodes``, including themselves, in the subgraph that ``within`` induces."""
    g = graph.bits
    return g.named(g.ancestors(g.set_of(nodes), g.set_of(within)))


def c_components_within(graph: ADMG, within: frozenset[str]) -> tuple[frozenset[str], ...]:
    """Return the c-components of the subgraph that ``within`` induces, ordered by their first node's name."""
    g = graph.bits
    return tuple(map(g.named, g.c_components(g.set_of(within))))


def c_factor(
    graph: GraphLike,
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
        S, a c-component (or a union of several) of the subgraph.
    within : frozenset of str
        The variables of the distribution. They contain their ancestors in the graph without the edges into ``do``.
    do : frozenset of Value
        The intervention under which the distribution is given.
    given : frozenset of Value
        A condition on the whole distribution. Its variables are not in ``within``.

    Returns
    -------
    Expression
        The product of P_do(v_i | pa+(v_i)) over V_i in S. pa+(V_i) are the predecessors in topological order that V_i
        depends on. Let T_i be the c-component of V_i in the subgraph of V_i and its predecessors; then pa+(V_i)
        consists of T_i and the parents of T_i, without V_i (Tian & Pearl 2002, after Lemma 1). The order is the
        graph's own, with ties broken by name (ledger L09).
    """
    graph = as_admg(graph)
    set_of = graph.bits.set_of
    return q_component(graph, set_of(component), set_of(within), do, given)


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
    set_of = graph.bits.set_of
    return q_subset(graph, set_of(component), set_of(within), q_within)


def identify_c_factor(
    graph: GraphLike, target: frozenset[str], known: frozenset[str], q_known: Expression
) -> Expression:
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
    graph = as_admg(graph)
    set_of = graph.bits.set_of
    check_c_factor(graph, set_of(target), set_of(known))
    return q_identified(graph, set_of(target), set_of(known), q_known)


# ---------------------------------------------------------------------- the same on NodeSet


def values_in(graph: ADMG, nodes: NodeSet) -> frozenset[Value]:
    """Return the unprimed value of each node."""
    return values_of(graph.bits.named(nodes))


def q_component(
    graph: ADMG,
    component: NodeSet,
    within: NodeSet,
    do: frozenset[Value] = frozenset(),
    given: frozenset[Value] = frozenset(),
) -> Expression:
    """Return Q[S], given P_do(within); see `c_factor`."""
    g, before, terms = graph.bits, EMPTY, []
    for v in graph.topological_order:
        own = g.node[v]
        before |= own & within
        if own & within & component:
            territory = g.c_component(own, before)
            depends_on = (territory | g.parents_of(territory) & within) & ~own
            terms.append(term(values_of([v]), values_in(graph, depends_on) | given, do))
    return product_of(terms)


def q_subset(graph: ADMG, component: NodeSet, within: NodeSet, q_within: Expression) -> Expression:
    """Return Q[S], given Q[A]; see `c_factor_of_subset`."""
    node = graph.bits.node
    order = [v for v in graph.topological_order if node[v] & within]

    @cache  # adjacent ratios share one of these
    def up_to(i: int) -> Expression:
        return simplify(sum_over(values_of(order[i:]), q_within))

    ratios = [Quotient(up_to(i + 1), up_to(i)) for i, v in enumerate(order) if node[v] & component]
    return simplify(product_of(ratios))


def check_c_factor(graph: ADMG, target: NodeSet, known: NodeSet) -> None:
    """Run procedure Identify without building formulas.

    It raises NotIdentifiable if Q[known] does not determine Q[target].
    """
    g = graph.bits
    while (ancestors := g.ancestors(target, known)) != target:
        if ancestors == known:
            q_target, q_known = (f"Q[{listing(g.named(nodes))}]" for nodes in (target, known))
            raise NotIdentifiable(f"{q_target} is not identifiable from {q_known} (a hedge)")
        known = g.c_component(target, ancestors)


def q_identified(graph: ADMG, target: NodeSet, known: NodeSet, q_known: Expression) -> Expression:
    """Return Q[C], given Q[T], once `check_c_factor` has accepted it; see `identify_c_factor`."""
    g = graph.bits
    while True:
        ancestors = g.ancestors(target, known)
        q_ancestors = simplify(sum_over(values_in(graph, known & ~ancestors), q_known))
        if ancestors == target:  # step 1
            return q_ancestors
        known = g.c_component(target, ancestors)  # step 3; step 2, the hedge, was ruled out before
        q_known = q_subset(graph, known, ancestors, q_ancestors)
