"""The ID algorithm: causal effects from the observational distribution, by Tian's c-factors.

Sources: Tian & Pearl (2002, 2003); Shpitser & Pearl (2006), "Identification of joint interventional
distributions in recursive semi-Markovian causal models" (completeness). The formulation by c-factors fails exactly
where theirs does (Huang & Valtorta 2006). z2ID and the recovery under selection bias use the same functions.
"""

from __future__ import annotations

from collections.abc import Iterable

from causal_bandits.graphs.adjustment import named_sets
from causal_bandits.graphs.admg import ADMG, listing
from causal_bandits.identification.c_factors import (
    NotIdentifiable,
    ancestors_within,
    c_factor,
    check_c_factor,
    identify_c_factor,
)
from causal_bandits.identification.expression import Expression, Value, product_of, sum_over, values_of
from causal_bandits.identification.simplify import simplify


def identify(graph: ADMG, outcome: str | Iterable[str], treatment: str | Iterable[str] = ()) -> Expression:
    """Express P(outcome | do(treatment)) by the observational distribution: run the ID algorithm.

    Parameters
    ----------
    graph : ADMG
    outcome, treatment : str or iterable of str
        Y (not empty) and X, without common members.

    Returns
    -------
    Expression
        A function of the values of Y and X. Another free value may be any value of its variable.

    Raises
    ------
    NotIdentifiable
        If the effect is not identifiable: it differs between two models of the graph with the same observational
        distribution.
    ValueError
        If a variable is unknown, Y is empty, or Y and X overlap.

    Examples
    --------
    >>> front_door = ADMG(directed=[("X", "Z"), ("Z", "Y")], bidirected=[("X", "Y")])
    >>> print(identify(front_door, "Y", "X"))
    sum_{z} P(z | x) sum_{x'} P(y | x', z) P(x')
    """
    y, x = named_sets(graph, outcome=outcome, treatment=treatment)
    try:
        return simplify(identify_in(graph, frozenset(graph.nodes), y, x))
    except NotIdentifiable as failure:
        raise NotIdentifiable(f"P({listing(y)} | do({listing(x)})) is not identifiable: {failure}") from None


def identify_in(
    graph: ADMG,
    within: frozenset[str],
    y: frozenset[str],
    x: frozenset[str],
    do: frozenset[Value] = frozenset(),
) -> Expression:
    """Run ID in the subgraph that ``within`` induces, given P_do(within); the result is not simplified.

    Parameters
    ----------
    graph : ADMG
    within : frozenset of str
    y, x : frozenset of str
        Outcome and treatment, both subsets of ``within``.
    do : frozenset of Value
        The intervention whose distribution takes the place of the observational one.
    """
    pairs = check_identifiable(graph, within, y, x)
    relevant, d = ancestors_within(graph, within, y), frozenset().union(*(component for component, _ in pairs))
    factors = [
        identify_c_factor(graph, component, known, c_factor(graph, known, relevant, do)) for component, known in pairs
    ]
    return sum_over(values_of(d - y), product_of(factors))


def check_identifiable(
    graph: ADMG, within: frozenset[str], y: frozenset[str], x: frozenset[str]
) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Run ID without formulas: raise NotIdentifiable, or return what the formula is made of.

    Parameters are those of `identify_in`.

    Returns
    -------
    list of (frozenset, frozenset)
        The c-components of the effect, and for each the c-component of the relevant subgraph that contains it.
    """
    g, outcome = graph.bits, graph.bits.mask(y)
    relevant = g.ancestors(outcome, g.mask(within))
    pairs = []
    for component in g.c_components(g.ancestors(outcome, relevant & ~g.mask(x))):
        known = g.c_component(component, relevant)
        check_c_factor(graph, component, known)
        pairs.append((g.named(component), g.named(known)))
    return pairs
