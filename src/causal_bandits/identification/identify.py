"""ID: causal effects from the observational distribution alone, by Tian's c-factors.

Sources: Tian & Pearl (2002, 2003); Shpitser & Pearl (2006), "Identification of joint interventional
distributions in recursive semi-Markovian causal models" (completeness). The formulation by c-factors fails
exactly where theirs does (Huang & Valtorta 2006) and shares its core with z2ID and with recovery under
selection bias.
"""

from __future__ import annotations

from collections.abc import Iterable

from causal_bandits.graphs.admg import ADMG
from causal_bandits.identification.c_factors import (
    NotIdentifiable,
    ancestors_within,
    c_component_within,
    c_components_within,
    c_factor,
    identify_c_factor,
)
from causal_bandits.identification.expression import Expression, Value, product_of, sum_over, values_of
from causal_bandits.identification.simplify import simplify


def identify(graph: ADMG, outcome: str | Iterable[str], treatment: str | Iterable[str] = ()) -> Expression:
    """P(outcome | do(treatment)) as an expression in the observational distribution.

    Parameters
    ----------
    graph : ADMG
    outcome, treatment : str or iterable of str
        Y (not empty) and X, without common members.

    Returns
    -------
    Expression
        A function of the values of Y and X. A value that is free beside these may be any value of its
        variable.

    Raises
    ------
    NotIdentifiable
        If two models of the graph agree on the observational distribution and differ on the effect.
    ValueError
        If a variable is unknown, Y is empty, or Y and X overlap.

    Examples
    --------
    >>> front_door = ADMG(directed=[("X", "Z"), ("Z", "Y")], bidirected=[("X", "Y")])
    >>> print(identify(front_door, "Y", "X"))
    sum_{z} P(z | x) sum_{x'} P(y | x', z) P(x')
    """
    y, x = checked_query(graph, outcome, treatment)
    try:
        return simplify(identify_in(graph, frozenset(graph.nodes), y, x))
    except NotIdentifiable as failure:
        raise NotIdentifiable(f"P({_list(y)} | do({_list(x)})) is not identifiable: {failure}") from None


def identify_in(
    graph: ADMG,
    within: frozenset[str],
    y: frozenset[str],
    x: frozenset[str],
    do: frozenset[Value] = frozenset(),
) -> Expression:
    """ID in the subgraph induced by ``within``, whose distribution P_do(within) is known; not simplified.

    Parameters
    ----------
    graph : ADMG
    within : frozenset of str
    y, x : frozenset of str
        Outcome and treatment, both within.
    do : frozenset of Value
        Names the distribution that takes the place of the observational one.
    """
    relevant = ancestors_within(graph, within, y)
    d = ancestors_within(graph, relevant - x, y)
    factors = []
    for component in c_components_within(graph, d):
        known = c_component_within(graph, relevant, component)
        factors.append(identify_c_factor(graph, component, known, c_factor(graph, known, relevant, do)))
    return sum_over(values_of(d - y), product_of(factors))


def checked_query(
    graph: ADMG, outcome: str | Iterable[str], treatment: str | Iterable[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Outcome and treatment as sets, or an error that names what is wrong with them."""
    y, x = (frozenset([s]) if isinstance(s, str) else frozenset(s) for s in (outcome, treatment))
    for name, nodes in (("outcome", y), ("treatment", x)):
        unknown = sorted(nodes.difference(graph.nodes))
        if unknown:
            raise ValueError(f"{name}: {', '.join(unknown)} not in the graph (its nodes: {', '.join(graph.nodes)})")
    if not y:
        raise ValueError("outcome: no variable given")
    if y & x:
        raise ValueError(f"{_list(y & x)}: both outcome and treatment")
    return y, x


def _list(nodes: Iterable[str]) -> str:
    return ", ".join(sorted(nodes))
