"""The ID algorithm: causal effects from the observational distribution, by Tian's c-factors.

Sources: Tian & Pearl (2002, 2003); Shpitser & Pearl (2006), "Identification of joint interventional distributions in
recursive semi-Markovian causal models" (completeness). The formulation in terms of c-factors fails exactly where theirs
does (Huang & Valtorta 2006). z2ID and the recovery under selection bias use the same functions.
"""

from __future__ import annotations

from collections.abc import Iterable

from causal_bandits.graphs.adjustment import named_sets
from causal_bandits.graphs.admg import ADMG, listing
from causal_bandits.graphs.bit_graph import EMPTY, NodeSet
from causal_bandits.graphs.exchange import GraphLike, as_admg
from causal_bandits.identification.c_factors import (
    NotIdentifiable,
    check_c_factor,
    q_component,
    q_identified,
    values_in,
)
from causal_bandits.identification.expression import Expression, Value, product_of, sum_over
from causal_bandits.identification.simplify import simplify


def identify(graph: GraphLike, *, outcome: str | Iterable[str], treatment: str | Iterable[str] = ()) -> Expression:
    """Express P(outcome | do(treatment)) in terms of the observational distribution: run the ID algorithm.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    outcome, treatment : str or iterable of str
        Y (not empty) and X, without common members.

    Returns
    -------
    Expression
        A function of the values of Y and X. Any other free value is arbitrary.

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
    >>> print(identify(front_door, outcome="Y", treatment="X"))
    sum_{z} P(z | x) sum_{x'} P(y | x', z) P(x')
    """
    graph = as_admg(graph)
    y, x = named_sets(graph, outcome=outcome, treatment=treatment)
    g = graph.bits
    try:
        return simplify(identify_in(graph, g.everything, g.set_of(y), g.set_of(x)))
    except NotIdentifiable as failure:
        raise NotIdentifiable(f"P({listing(y)} | do({listing(x)})) is not identifiable: {failure}") from None


def identify_in(graph: ADMG, within: NodeSet, y: NodeSet, x: NodeSet, do: frozenset[Value] = frozenset()) -> Expression:
    """Run ID in the subgraph that ``within`` induces, given P_do(within); the result is not simplified.

    Parameters
    ----------
    graph : ADMG
    within : NodeSet
    y, x : NodeSet
        Outcome and treatment, both subsets of ``within``.
    do : frozenset of Value
        The intervention whose distribution replaces the observational one.
    """
    relevant, pairs = check_identifiable(graph, within, y, x)
    factors, d = [], EMPTY
    for component, known in pairs:
        factors.append(q_identified(graph, component, known, q_component(graph, known, relevant, do)))
        d |= component
    return sum_over(values_in(graph, d & ~y), product_of(factors))


def check_identifiable(
    graph: ADMG, within: NodeSet, y: NodeSet, x: NodeSet
) -> tuple[NodeSet, list[tuple[NodeSet, NodeSet]]]:
    """Run ID without building the formula: return what the formula needs, or raise NotIdentifiable.

    Parameters are those of `identify_in`.

    Returns
    -------
    NodeSet
        The relevant nodes: the ancestors of the outcome.
    list of (NodeSet, NodeSet)
        The c-components of the effect, and for each the c-component of the relevant subgraph that contains it.
    """
    g = graph.bits
    relevant = g.ancestors(y, within)
    pairs = []
    for component in g.c_components(g.ancestors(y, relevant & ~x)):
        known = g.c_component(component, relevant)
        check_c_factor(graph, component, known)
        pairs.append((component, known))
    return relevant, pairs
