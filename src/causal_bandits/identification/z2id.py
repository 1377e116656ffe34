"""The z2ID algorithm: causal effects from the distributions of several experiments.

Source: Lee & Bareinboim (2019), Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from causal_bandits.graphs.adjustment import named_sets
from causal_bandits.graphs.admg import ADMG, as_set, listing
from causal_bandits.identification.c_factors import NotIdentifiable, ancestors_within, c_components_within
from causal_bandits.identification.expression import Expression, Value, product_of, sum_over, values_of
from causal_bandits.identification.identify import check_identifiable, identify_in
from causal_bandits.identification.simplify import simplify


@dataclass(frozen=True)
class _Source:
    """A known distribution P_z: ``active`` are the members of Z in the current graph, ``do`` is all of Z."""

    active: frozenset[str]
    do: frozenset[Value]

    def restricted(self, nodes: frozenset[str]) -> _Source:
        """Restrict the source to an ancestral subgraph; a removed variable may take any value (a prime)."""
        dropped = {Value(v): Value(v, 1) for v in self.active - nodes}
        return _Source(self.active & nodes, frozenset(dropped.get(value, value) for value in self.do))


def _by_size(sources: Sequence[_Source]) -> list[_Source]:
    return sorted(sources, key=lambda source: len(source.active))


#: Which of the experiments that fit line 6 tries, and in which order (ledger L08). Ties go by name.
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
    """Express P(outcome | do(treatment)) by the distributions of ``experiments``: run z2ID.

    Parameters
    ----------
    graph : ADMG
    outcome, treatment : str or iterable of str
        Y (not empty) and X, without common members.
    experiments : iterable of iterables of str
        The intervention sets whose distributions are known, each for all its values. The empty set is observation.
    tried : str
        A key of `TRIED`.

    Returns
    -------
    Expression
        A function of the values of Y and X. Another free value may be any value of its variable; each of them is a data
        source of its own.

    Raises
    ------
    NotIdentifiable
        If the algorithm finds no expression. It is sound; whether it is complete, the paper leaves open.
    ValueError
        If a variable is unknown, Y is empty, or Y and X overlap.

    Examples
    --------
    >>> graph = ADMG([("A", "C"), ("A", "Y"), ("B", "C"), ("C", "Y")], [("A", "B"), ("B", "Y")])
    >>> print(z2id(graph, "Y", "C", [{"B"}]))
    sum_{a} P_b(y | a, c) P_b(a)
    """
    y, x = named_sets(graph, outcome=outcome, treatment=treatment)
    collection = {as_set(z) for z in experiments}
    named_sets(graph, experiments=frozenset().union(*collection))
    sources = tuple(_Source(z, values_of(z)) for z in sorted(collection, key=lambda z: (len(z), sorted(z))))
    v = frozenset(graph.nodes)
    try:
        if frozenset() not in collection and not x:  # line 2
            factors = [_sub_z2id(graph, v, s, v - s, sources, tried) for s in c_components_within(graph, v)]
            formula = _sum_of_product(v - y, factors)  # line 3
        else:
            formula = _sub_z2id(graph, v, y, x, sources, tried)  # line 4
    except NotIdentifiable as failure:
        available = "; ".join(f"do({listing(z)})" for z in sorted(collection, key=sorted)) or "nothing"
        query = f"P({listing(y)} | do({listing(x)}))"
        raise NotIdentifiable(f"no expression for {query} from {available}: {failure}") from None
    return simplify(formula())


def _sub_z2id(
    graph: ADMG, v: frozenset[str], y: frozenset[str], x: frozenset[str], sources: tuple[_Source, ...], tried: str
) -> Callable[[], Expression]:
    """Run sub-z2ID (lines 5 to 14) on the subgraph that ``v`` induces.

    The search goes by the graph alone and fails early; the function that it returns builds the formula.
    """
    for source in TRIED[tried]([s for s in sources if s.active <= x]):  # line 6
        try:
            check_identifiable(graph, v - source.active, y, x - source.active)
        except NotIdentifiable:
            continue
        return partial(identify_in, graph, v - source.active, y, x - source.active, source.do)  # line 7
    ancestors = ancestors_within(graph, v, y)
    if v != ancestors:  # line 8
        return _sub_z2id(
            graph, ancestors, y, x & ancestors, tuple(s.restricted(ancestors) for s in sources), tried
        )  # line 9
    w = (v - x) - ancestors_within(graph, v - x, y)  # not in An(Y) of the graph without the edges into X
    if w:  # line 10
        return _sub_z2id(graph, v, y, x | w, sources, tried)  # line 11: any value w
    components = c_components_within(graph, v - x)
    if len(components) > 1:  # line 12
        factors = [_sub_z2id(graph, v, s, v - s, sources, tried) for s in components]
        return _sum_of_product(v - (y | x), factors)  # line 13
    raise NotIdentifiable(f"P({listing(y)} | do({listing(x)})) cannot be expressed by any of them")  # line 14


def _sum_of_product(over: frozenset[str], factors: Sequence[Callable[[], Expression]]) -> Callable[[], Expression]:
    return lambda: sum_over(values_of(over), product_of(factor() for factor in factors))
