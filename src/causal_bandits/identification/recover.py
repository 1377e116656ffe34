"""RC*: c-factors of a causal effect from data that entered the sample by selection.

Sources: huang2024, Eq. 4 and Algorithm 2 (RC*); Correa, Tian & Bareinboim (2019), "Identification of causal effects in
the presence of selection bias" (RC); Bareinboim & Tian (2015), "Recovering causal effects from selection bias",
Lemma 3; Tian & Pearl (2003), procedure Identify.

The data are P(v | S=1). Expressions write this condition as a value ``s`` that stands behind the bar of every term; it
has one state. `selected` makes the table that they are evaluated on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.graphs.adjustment import check_selection, named_sets
from causal_bandits.graphs.admg import ADMG
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
    product_of,
    sum_over,
    values_of,
)
from causal_bandits.identification.simplify import simplify


class NotRecoverable(NotIdentifiable):
    """RC finds no way to compute the quantity from P(v | S=1)."""


@dataclass(frozen=True)
class CFactor:
    """One c-factor Q[E] of an effect.

    Attributes
    ----------
    members : frozenset of str
        E.
    scope : frozenset of str
        E and its parents: the variables that Q[E] is a function of.
    expression : Expression or None
        Q[E] in terms of P(v | S=1); None if RC does not recover it, in which case all that is known is
        0 <= Q[E] <= 1.
    """

    members: frozenset[str]
    scope: frozenset[str]
    expression: Expression | None


def selected(joint: ArrayLike, variables: Sequence[str], selection: str = "S") -> Distributions:
    """The distribution of the selected units as the expressions of this module need it.

    Parameters
    ----------
    joint : array, one axis per variable
        P(v | S=1).
    variables : sequence of str
    selection : str
        The selection node. It gets a last axis of length one: its only state among the data, S=1, has index 0.
    """
    return {frozenset(): JointTable((*variables, selection), np.asarray(joint, dtype=np.float64)[..., None])}


def recover(
    graph: ADMG, outcome: str | Iterable[str], treatment: str | Iterable[str] = (), selection: str = "S"
) -> Expression:
    """P(outcome | do(treatment)) as an expression in P(v | S=1), by RC on its c-factors.

    Parameters
    ----------
    graph : ADMG
        With the selection node.
    outcome, treatment : str or iterable of str
        Y (not empty) and X, disjoint, without S.
    selection : str
        S; a node without children.

    Returns
    -------
    Expression
        Evaluate it on `selected` data. A value that is free beside those of Y and X may be any value.

    Raises
    ------
    NotRecoverable
        If a c-factor of the effect is not recovered.
    ValueError
        If a name is unknown, sets overlap, Y is empty or S has children.

    Examples
    --------
    >>> print(recover(ADMG([("X", "Y"), ("X", "S")]), "Y", "X"))
    P(y | s, x)
    """
    factors = c_factorisation(graph, outcome, treatment, selection)
    missing = [factor for factor in factors if factor.expression is None]
    if missing:
        listed = ", ".join(f"Q[{', '.join(sorted(factor.members))}]" for factor in missing)
        raise NotRecoverable(f"not recoverable from P(v | {selection}=1): {listed}")
    relevant = frozenset().union(*(factor.members for factor in factors))
    y = frozenset([outcome]) if isinstance(outcome, str) else frozenset(outcome)
    return simplify(sum_over(values_of(relevant - y), product_of(f.expression for f in factors if f.expression)))


def c_factorisation(
    graph: ADMG, outcome: str | Iterable[str], treatment: str | Iterable[str] = (), selection: str = "S"
) -> tuple[CFactor, ...]:
    """The c-factors of P(outcome | do(treatment)), each as RC* finds it (huang2024, Eq. 4).

    With D the ancestors of Y in the graph without X, ``P(y | do(x)) = sum over D without Y of prod Q[D_i]``, one D_i
    per c-component of the subgraph over D.

    Parameters and errors are those of `recover`, which is all of them or nothing.

    Returns
    -------
    tuple of CFactor
        Ordered by their first member's name.
    """
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


def recover_c_factor(graph: ADMG, members: Iterable[str], selection: str = "S") -> Expression:
    """Q[E] from P(v | S=1) (huang2024, Algorithm 2).

    What the recursion of line 15 is about: let T be the nodes that are left, S among them, and t the values of T
    without S. At every call the distribution is ``P = Q[T](t, S=1) / P(S=1)``. At the start this is P(v | S=1). Line 5
    sums an ancestral set's complement out of Q[T]. Line 15 leaves ``P / prod Q[C_i] = Q[T without C] / P(S=1)``, a
    function of the values of C too: of the intervention on C. It still sums to one over t, because C holds no
    ancestor of S, so that intervening on C leaves P(S=1) as it is; and the constant 1 / P(S=1) cancels in the ratios
    from which c-factors are made (`c_factor_of_subset`).

    Why these ratios, taken under S=1, are those of Q[T]: a variable V of C_i depends, given its predecessors in
    topological order, on its c-component among them and that one's parents. Adding the ancestors of S to the
    predecessors changes neither, as none is in C_i and none descends from V. So V is independent of S, too.

    Parameters
    ----------
    graph : ADMG
        With the selection node.
    members : iterable of str
        E, connected by bidirected edges.
    selection : str

    Returns
    -------
    Expression
        In the values of E and its parents; a value that is free beside these may be any value.

    Raises
    ------
    NotRecoverable
        Where RC* returns the bound [0, 1]: line 9, and where Identify fails in line 12 (ledger L21).
    ValueError
        If a name is unknown, E is empty or not connected, or S has children or is in E.
    """
    (e,) = named_sets(graph, members=members)
    s = check_selection(graph, selection, members=e)
    if len(c_components_within(graph, e)) != 1:
        raise ValueError(f"{', '.join(sorted(e))}: not connected by bidirected edges, no c-factor")
    t = frozenset(graph.nodes) - s
    p: Expression = Probability(values_of(t), values_of(s))
    while True:
        before_s = ancestors_within(graph, t | s, s)  # S among them
        kept = (ancestors_within(graph, t, e) | before_s) - s  # lines 4 to 6
        p = simplify(sum_over(values_of(t - kept), p))
        t = kept
        components = [c for c in c_components_within(graph, t | s) if not c & before_s]  # line 7
        for c in components:
            if e <= c:  # line 12
                if isinstance(p, Probability):  # as it stands at the start: then fewer conditions are enough
                    q = c_factor(graph, c, t, given=values_of(s))
                else:
                    q = c_factor_of_subset(graph, c, t, p)
                try:
                    return identify_c_factor(graph, e, c, q)  # line 13
                except NotIdentifiable as failure:
                    raise NotRecoverable(str(failure)) from None
        rest = t.difference(*components)
        if rest == t:  # lines 8 to 11
            raise NotRecoverable(f"every c-component around Q[{', '.join(sorted(e))}] holds an ancestor of {selection}")
        # Line 15: P / prod Q[C_i] is the product of the same ratios over the other variables.
        p = c_factor_of_subset(graph, rest, t, p)
        t = rest
