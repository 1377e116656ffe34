"""The IDC algorithm: conditional causal effects P(y | do(x), z) from the observational distribution.

Source: Shpitser & Pearl (2006), "Identification of conditional interventional distributions", Figure 5 (IDC), which is
sound and complete.
"""

from __future__ import annotations

from collections.abc import Iterable

from causal_bandits.graphs.adjustment import named_sets
from causal_bandits.graphs.admg import ADMG, listing
from causal_bandits.graphs.exchange import GraphLike, as_admg
from causal_bandits.identification.c_factors import NotIdentifiable
from causal_bandits.identification.expression import Expression, Quotient, sum_over, values_of
from causal_bandits.identification.identify import identify_in
from causal_bandits.identification.simplify import simplify


def identify_conditional(
    graph: GraphLike,
    *,
    outcome: str | Iterable[str],
    treatment: str | Iterable[str] = (),
    given: str | Iterable[str] = (),
) -> Expression:
    """Express P(outcome | do(treatment), given) in terms of the observational distribution: run IDC.

    The condition is observed after the intervention. It may contain effects of the treatment.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    outcome, treatment, given : str or iterable of str
        Y (not empty), X and Z, without common members.

    Returns
    -------
    Expression
        A function of the values of Y, X and Z. Any other free value is arbitrary.

    Raises
    ------
    NotIdentifiable
        If the conditional effect differs between two models of the graph with the same observational distribution.
    ValueError
        If a variable is unknown, Y is empty, or two of the sets overlap.

    Examples
    --------
    The joint effect on Y and Z is not identifiable here; the conditional effect is.

    >>> print(identify_conditional("dag { X -> Z -> Y ; X <-> Z }", outcome="Y", treatment="X", given="Z"))
    P(y | z)
    """
    diagram = as_admg(graph)
    y, x, z = named_sets(diagram, outcome=outcome, treatment=treatment, given=given)
    query = f"P({listing(y)} | do({listing(x)}){', ' * bool(z)}{listing(z)})"
    while (moved := _exchangeable(diagram, y, x, z)) is not None:  # line 1
        x, z = x | {moved}, z - {moved}
    g = diagram.bits
    try:
        joint = identify_in(diagram, g.everything, g.set_of(y | z), g.set_of(x))  # line 2
    except NotIdentifiable as failure:
        raise NotIdentifiable(f"{query} is not identifiable: {failure}") from None
    return simplify(Quotient(joint, sum_over(values_of(y), joint)) if z else joint)


def _exchangeable(graph: ADMG, y: frozenset[str], x: frozenset[str], z: frozenset[str]) -> str | None:
    """Return the first member of Z, by name, that may be set instead of observed (rule 2 of the do-calculus)."""
    cut = graph.do(x)
    for v in sorted(z):
        if cut.without_edges_out_of(v).is_d_separated(y, v, x | z - {v}):
            return v
    return None
