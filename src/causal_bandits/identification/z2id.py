"""z2ID: causal effects from the distributions of an arbitrary collection of interventions.

Source: Lee & Bareinboim (2019), Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from causal_bandits.graphs.admg import ADMG
from causal_bandits.identification.c_factors import NotIdentifiable, ancestors_within, c_components_within
from causal_bandits.identification.expression import Expression, Value, product_of, sum_over, values_of
from causal_bandits.identification.identify import checked_query, identify_in
from causal_bandits.identification.simplify import simplify


@dataclass(frozen=True)
class _Source:
    """A distribution P_z at hand; ``active``: the members of Z in the present graph, ``do``: all of Z."""

    active: frozenset[str]
    do: frozenset[Value]

    def restricted(self, nodes: frozenset[str]) -> _Source:
        """The source in an ancestral subgraph: what falls out of it may take any value, with a prime."""
        dropped = {Value(v): Value(v, 1) for v in self.active - nodes}
        return _Source(self.active & nodes, frozenset(dropped.get(value, value) for value in self.do))


def _by_size(sources: Sequence[_Source]) -> list[_Source]:
    return sorted(sources, key=lambda source: len(source.active))


#: In which order line 6 tries the experiments that fit, and which of them (ledger L08); ties by name.
TRIED: dict[str, Callable[[Sequence[_Source]], list[_Source]]] = {
    "smallest": _by_size,
    "largest": lambda sources: sorted(sources, key=lambda source: -len(source.active)),
    "minimal": lambda sources: _by_size([s for s in sources if not any(o.active < s.active for o in sources)]),
    "maximal": lambda sources: _by_size([s for s in sources if not any(o.active > s.active for o in sources)]),
}


def z2id(
    graph: ADMG,
    outcome: str | Iterable[str],
    treatment: str | Iterable[str],
    experiments: Iterable[Iterable[str]],
    tried: str = "smallest",
) -> Expression:
    """P(outcome | do(treatment)) as an expression in the distributions of ``experiments``.

    Parameters
    ----------
    graph : ADMG
    outcome, treatment : str or iterable of str
        Y (not empty) and X, without common members.
    experiments : iterable of iterables of str
        The intervention sets that have been played, each for all its values; the empty one is observation.
    tried : str
        A key of `TRIED`.

    Returns
    -------
    Expression
        A function of the values of Y and X. A value that is free beside these may be any value of its
        variable: each is a data source of its own.

    Raises
    ------
    NotIdentifiable
        If the algorithm finds no expression (it is sound; the paper leaves completeness open).
    ValueError
        If a variable is unknown, Y is empty, or Y and X overlap.

    Examples
    --------
    >>> graph = ADMG([("A", "C"), ("A", "Y"), ("B", "C"), ("C", "Y")], [("A", "B"), ("B", "Y")])
    >>> print(z2id(graph, "Y", "C", [{"B"}]))
    sum_{a} P_b(y | a, c) P_b(a)
    """
    y, x = checked_query(graph, outcome, treatment)
    collection = {frozenset([z] if isinstance(z, str) else z) for z in experiments}
    unknown = sorted(frozenset().union(*collection).difference(graph.nodes))
    if unknown:
        raise ValueError(f"experiments: {', '.join(unknown)} not in the graph (its nodes: {', '.join(graph.nodes)})")
    sources = tuple(_Source(z, values_of(z)) for z in sorted(collection, key=lambda z: (len(z), sorted(z))))
    v = frozenset(graph.nodes)
    try:
        if frozenset() not in collection and not x:  # line 2
            factors = [_sub_z2id(graph, v, s, v - s, sources, tried) for s in c_components_within(graph, v)]
            return simplify(sum_over(values_of(v - y), product_of(factors)))  # line 3
        return simplify(_sub_z2id(graph, v, y, x, sources, tried))  # line 4
    except NotIdentifiable as failure:
        available = "; ".join(f"do({_list(z)})" for z in sorted(collection, key=sorted)) or "nothing"
        raise NotIdentifiable(f"no expression for P({_list(y)} | do({_list(x)})) from {available}: {failure}") from None


def _sub_z2id(
    graph: ADMG, v: frozenset[str], y: frozenset[str], x: frozenset[str], sources: tuple[_Source, ...], tried: str
) -> Expression:
    """sub-z2ID (lines 5 to 14) on the subgraph of ``graph`` that ``v`` induces."""
    for source in TRIED[tried]([s for s in sources if s.active <= x]):  # line 6
        try:
            return identify_in(graph, v - source.active, y, x - source.active, source.do)  # line 7
        except NotIdentifiable:
            continue
    ancestors = ancestors_within(graph, v, y)
    if v != ancestors:  # line 8
        return _sub_z2id(
            graph, ancestors, y, x & ancestors, tuple(s.restricted(ancestors) for s in sources), tried
        )  # line 9
    w = (v - x) - ancestors_within(graph, v - x, y)  # An(Y) once the edges into X are cut, apart from X itself
    if w:  # line 10
        return _sub_z2id(graph, v, y, x | w, sources, tried)  # line 11: any value w
    components = c_components_within(graph, v - x)
    if len(components) > 1:  # line 12
        factors = [_sub_z2id(graph, v, s, v - s, sources, tried) for s in components]
        return sum_over(values_of(v - (y | x)), product_of(factors))  # line 13
    raise NotIdentifiable(f"P({_list(y)} | do({_list(x)})) reduces to none of them")  # line 14


def _list(nodes: Iterable[str]) -> str:
    return ", ".join(sorted(nodes))
