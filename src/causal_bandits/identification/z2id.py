"""The z2ID algorithm: causal effects from the distributions of several experiments.

Source: Lee & Bareinboim (2019), Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from causal_bandits.graphs.adjustment import named_sets
from causal_bandits.graphs.admg import ADMG, as_set, listing
from causal_bandits.graphs.bit_graph import NodeSet
from causal_bandits.graphs.exchange import GraphLike, as_admg
from causal_bandits.identification.c_factors import NotIdentifiable, values_in
from causal_bandits.identification.expression import Expression, Value, product_of, sum_over, values_of
from causal_bandits.identification.identify import check_identifiable, identify_in
from causal_bandits.identification.simplify import simplify


@dataclass(frozen=True)
class _Source:
    """A known distribution P_z: ``active`` is Z in the current graph, ``do`` contains all of Z."""

    active: NodeSet
    do: frozenset[Value]

    def restricted(self, graph: ADMG, nodes: NodeSet) -> _Source:
        """Restrict the source to an ancestral subgraph; the value of a removed variable becomes arbitrary (primed)."""
        dropped = {value: Value(value.variable, 1) for value in values_in(graph, self.active & ~nodes)}
        return _Source(self.active & nodes, frozenset(dropped.get(value, value) for value in self.do))

    def __lt__(self, other: _Source) -> bool:
        """Check whether the active variables are a proper subset of the other's."""
        return self.active != other.active and not self.active & ~other.active


def _maximal(sources: Sequence[_Source]) -> list[_Source]:
    """Keep the sources that are not a proper subset of another.

    No effect is lost: whatever ID finds from P_z, it also finds from P_z' for every Z' between Z and X, because G
    without Z' has no hedge that G without Z lacks.
    """
    return [s for s in sources if not any(s < other for other in sources)]


def _largest(sources: Sequence[_Source]) -> list[_Source]:
    return sorted(_maximal(sources), key=lambda source: -source.active.bit_count())


#: Line 6 tries the inclusion-maximal experiments within X, in an order that the paper leaves open (ledger L08).
#: ``maximal``: by size, the smallest first. ``largest``: the largest first. Ties are broken by name.
TRIED: dict[str, Callable[[Sequence[_Source]], list[_Source]]] = {"maximal": _maximal, "largest": _largest}


def z2id(
    graph: GraphLike,
    *,
    outcome: str | Iterable[str],
    treatment: str | Iterable[str],
    experiments: Iterable[Iterable[str]],
    tried: str = "maximal",
) -> Expression:
    """Express P(outcome | do(treatment)) in terms of the distributions of ``experiments``: run z2ID.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    outcome, treatment : str or iterable of str
        Y (not empty) and X, without common members.
    experiments : iterable of iterables of str
        The intervention sets whose distributions are known, each for all its values. The empty set is observation.
    tried : str
        The order in which line 6 tries the experiments: a key of `TRIED`.

    Returns
    -------
    Expression
        A function of the values of Y and X. Any other free value is arbitrary; each choice of it uses a different data
        source.

    Raises
    ------
    NotIdentifiable
        If the algorithm finds no expression. It is sound. Without observation it misses some P(outcome), since line 2
        also requires variables on which the outcome does not depend.
    ValueError
        If a variable is unknown, Y is empty, or Y and X overlap.

    Examples
    --------
    >>> graph = ADMG([("A", "C"), ("A", "Y"), ("B", "C"), ("C", "Y")], [("A", "B"), ("B", "Y")])
    >>> print(z2id(graph, outcome="Y", treatment="C", experiments=[{"B"}]))
    sum_{a} P_b(y | a, c) P_b(a)
    """
    graph = as_admg(graph)
    y, x = named_sets(graph, outcome=outcome, treatment=treatment)
    collection = {as_set(z) for z in experiments}
    named_sets(graph, experiments=frozenset().union(*collection))
    g = graph.bits
    sources = tuple(_Source(g.set_of(z), values_of(z)) for z in sorted(collection, key=lambda z: (len(z), sorted(z))))
    v, of_y, of_x = g.everything, g.set_of(y), g.set_of(x)
    try:
        if frozenset() not in collection and not x:  # line 2
            factors = [_sub_z2id(graph, v, s, v & ~s, sources, tried) for s in g.c_components(v)]
            formula = _sum_of_product(values_in(graph, v & ~of_y), factors)  # line 3
        else:
            formula = _sub_z2id(graph, v, of_y, of_x, sources, tried)  # line 4
    except NotIdentifiable as failure:
        available = "; ".join(f"do({listing(z)})" for z in sorted(collection, key=sorted)) or "nothing"
        query = f"P({listing(y)} | do({listing(x)}))"
        raise NotIdentifiable(f"no expression for {query} from {available}: {failure}") from None
    return simplify(formula())


def _sub_z2id(
    graph: ADMG, v: NodeSet, y: NodeSet, x: NodeSet, sources: tuple[_Source, ...], tried: str
) -> Callable[[], Expression]:
    """Run sub-z2ID (lines 5 to 14) on the subgraph that ``v`` induces.

    The search uses only the graph and fails early; the function that it returns builds the formula.
    """
    g = graph.bits
    for source in TRIED[tried]([s for s in sources if not s.active & ~x]):  # line 6
        left = v & ~source.active, y, x & ~source.active
        try:
            check_identifiable(graph, *left)
        except NotIdentifiable:
            continue
        return partial(identify_in, graph, *left, source.do)  # line 7
    ancestors = g.ancestors(y, v)
    if v != ancestors:  # line 8
        restricted = tuple(s.restricted(graph, ancestors) for s in sources)
        return _sub_z2id(graph, ancestors, y, x & ancestors, restricted, tried)  # line 9
    w = v & ~x & ~g.ancestors(y, v & ~x)  # not in An(Y) of the graph without the edges into X
    if w:  # line 10
        return _sub_z2id(graph, v, y, x | w, sources, tried)  # line 11: any value w
    components = g.c_components(v & ~x)
    if len(components) > 1:  # line 12
        factors = [_sub_z2id(graph, v, s, v & ~s, sources, tried) for s in components]
        return _sum_of_product(values_in(graph, v & ~(y | x)), factors)  # line 13
    query = f"P({listing(g.named(y))} | do({listing(g.named(x))}))"
    raise NotIdentifiable(f"{query} cannot be expressed in terms of any of them")  # line 14


def _sum_of_product(over: frozenset[Value], factors: Sequence[Callable[[], Expression]]) -> Callable[[], Expression]:
    return lambda: sum_over(over, product_of(factor() for factor in factors))
