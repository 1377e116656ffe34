"""RC*: recover the c-factors of a causal effect from selected data.

Sources: huang2024, Eq. 4 and Algorithm 2 (RC*); Correa, Tian & Bareinboim (2019), "Identification of causal effects in
the presence of selection bias" (RC); Bareinboim & Tian (2015), "Recovering causal effects from selection bias",
Lemma 3; Tian & Pearl (2003), procedure Identify.

The data have the distribution P(v | S=1). In expressions, the condition S=1 is a value ``s`` after the bar of every
term; it has one state. `selected` builds the table on which to evaluate them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.graphs.adjustment import check_selection, named_sets
from causal_bandits.graphs.admg import listing
from causal_bandits.graphs.exchange import GraphLike, as_admg
from causal_bandits.identification.c_factors import (
    NotIdentifiable,
    ancestors_within,
    c_components_within,
    c_factor,
    c_factor_of_subset,
    identify_c_factor,
)
from causal_bandits.identification.expression import (
    Distributions,
    Expression,
    JointTable,
    Probability,
    sum_over,
    values_of,
)
from causal_bandits.identification.simplify import simplify


class NotRecoverable(NotIdentifiable):
    """RC finds no formula for the quantity in terms of P(v | S=1)."""


@dataclass(frozen=True)
class CFactor:
    """A c-factor Q[E] of an effect.

    Attributes
    ----------
    members : frozenset of str
        E.
    scope : frozenset of str
        E and its parents: Q[E] is a function of these variables.
    expression : Expression or None
        Q[E] in terms of P(v | S=1). None if RC does not recover it; then only 0 <= Q[E] <= 1 is known.
    """

    members: frozenset[str]
    scope: frozenset[str]
    expression: Expression | None


def selected(joint: ArrayLike, variables: Sequence[str], selection: str = "S") -> Distributions:
    """Build the table on which the expressions of this module are evaluated.

    Parameters
    ----------
    joint : array, one axis per variable
        P(v | S=1).
    variables : sequence of str
    selection : str
        The selection node. It becomes the last axis, of length one: its only state in the data is S=1 (index 0).
    """
    return {frozenset(): JointTable((*variables, selection), np.asarray(joint, dtype=np.float64)[..., None])}


def c_factorisation(
    graph: GraphLike, *, outcome: str | Iterable[str], treatment: str | Iterable[str] = (), selection: str = "S"
) -> tuple[CFactor, ...]:
    """Recover each c-factor of P(outcome | do(treatment)) by RC* (huang2024, Eq. 4).

    Let D be the ancestors of Y in the graph without X. Then P(y | do(x)) is the sum over D without Y of the product of
    Q[D_i], where the D_i are the c-components of the subgraph that D induces.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
        With the selection node.
    outcome, treatment : str or iterable of str
        Y (not empty) and X, disjoint, without S.
    selection : str
        S; a node without children.

    Returns
    -------
    tuple of CFactor
        Ordered by the name of their first member.

    Raises
    ------
    ValueError
        If a name is unknown, sets overlap, Y is empty or S has children.
    """
    graph = as_admg(graph)
    y, x = named_sets(graph, outcome=outcome, treatment=treatment)
    s = check_selection(graph, selection, outcome=y, treatment=x)
    relevant = ancestors_within(graph, frozenset(graph.nodes) - x - s, y)
    found = []
    for members in c_components_within(graph, relevant):
        expression: Expression | None
        try:
            expression = recover_c_factor(graph, members, selection)
        except NotRecoverable:
            expression = None
        found.append(CFactor(members, members | graph.parents(members), expression))
    return tuple(found)


def recover_c_factor(graph: GraphLike, members: Iterable[str], selection: str = "S") -> Expression:
    """Express Q[E] in terms of P(v | S=1): run RC* on one c-factor (huang2024, Algorithm 2).

    Why the recursion of line 15 is right: let T be the remaining nodes, including S, and t the values of T without
    S. At every call the distribution is ``P = Q[T](t, S=1) / P(S=1)``. At the start this is P(v | S=1). Line 5 sums
    the complement of an ancestral set out of Q[T]. Line 15 leaves ``P / prod Q[C_i] = Q[T without C] / P(S=1)``. This
    is also a function of the values of C, which are intervened on. It still sums to one over t: C has no ancestor of S,
    so the intervention on C does not change P(S=1). The constant 1 / P(S=1) cancels in the ratios that make up
    c-factors (`c_factor_of_subset`).

    Why these ratios under S=1 equal those of Q[T]: given its predecessors in topological order, a variable V of C_i
    depends on its c-component among them and on the parents of that component. If the ancestors of S are added to the
    predecessors, both stay the same, since no ancestor of S is in C_i or descends from V. So V is independent of S.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
        With the selection node.
    members : iterable of str
        E, connected by bidirected edges.
    selection : str

    Returns
    -------
    Expression
        A function of the values of E and its parents. Any other free value is arbitrary.

    Raises
    ------
    NotRecoverable
        If RC* returns the bound [0, 1], in line 9 or because Identify fails in line 12 (ledger L21).
    ValueError
        If a name is unknown, E is empty or not connected by bidirected edges, or S has children or is in E.
    """
    graph = as_admg(graph)
    (e,) = named_sets(graph, members=members)
    s = check_selection(graph, selection, members=e)
    if len(c_components_within(graph, e)) != 1:
        raise ValueError(f"{listing(e)}: not connected by bidirected edges, so not a c-component")
    t = frozenset(graph.nodes) - s
    p: Expression = Probability(values_of(t), values_of(s))
    while True:
        before_s = ancestors_within(graph, t | s, s)  # includes S
        kept = (ancestors_within(graph, t, e) | before_s) - s  # lines 4 to 6
        p = simplify(sum_over(values_of(t - kept), p))
        t = kept
        components = [c for c in c_components_within(graph, t | s) if not c & before_s]  # line 7
        for c in components:
            if e <= c:  # line 12
                if isinstance(p, Probability):  # still a joint distribution, for which fewer conditions are enough
                    q = c_factor(graph, c, t, given=values_of(s))
                else:
                    q = c_factor_of_subset(graph, c, t, p)
                try:
                    return identify_c_factor(graph, e, c, q)  # line 13
                except NotIdentifiable as failure:
                    raise NotRecoverable(str(failure)) from None
        rest = t.difference(*components)
        if rest == t:  # lines 8 to 11
            raise NotRecoverable(f"every c-component around Q[{listing(e)}] contains an ancestor of {selection}")
        # Line 15: P / prod Q[C_i] is the product of the same ratios over the other variables.
        p = c_factor_of_subset(graph, rest, t, p)
        t = rest
