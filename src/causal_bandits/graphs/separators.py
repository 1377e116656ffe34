"""d-separating sets of the smallest joint domain, by minimum cuts.

Sources: Tian, Paz & Pearl (1998), "Finding minimal d-separators" (the minimum-cost separator as a minimum vertex cut of
the moralised ancestral graph); Huang, Zhang & Wu (2022), Section 3.2 and line 2 of Algorithms 1 and 2 (the set W).

The cost of a set is the number of joint states of its members, a product, and cuts add: capacities are logarithms. They
are taken as integers, precise enough that no two different products are ever confused (`_exact_logarithms`), with the
tie-breaks as lower digits of the same integers. So the minimum cut is unique, and exact: no set of the same cost with
fewer members exists, and among those left the one returned comes first by its sorted names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Context, Decimal
from math import prod
from typing import TYPE_CHECKING, Literal, get_args

from causal_bandits.graphs.admg import ADMG

if TYPE_CHECKING:  # imported where it is used, as in admg
    import networkx as nx

Objective = Literal["W", "Z"]


def minimum_separator(
    graph: ADMG,
    x: str | Iterable[str],
    y: str | Iterable[str],
    sizes: Mapping[str, int],
    restricted: Iterable[str] | None = None,
    included: Iterable[str] = (),
) -> frozenset[str]:
    """The d-separator of ``x`` and ``y`` with the fewest joint states (Tian, Paz & Pearl 1998).

    Every separator that is minimal by inclusion lies among the ancestors of ``x``, ``y`` and ``included``; there it is
    a vertex cut of the moral graph. Bidirected edges are hidden causes, which no separator may hold.

    Parameters
    ----------
    graph : ADMG
    x, y : str or iterable of str
        Disjoint, not empty.
    sizes : mapping from str to int
        Number of states, at least 1, of every node that a separator may hold.
    restricted : iterable of str, optional
        The nodes that a separator may hold; members of ``x`` and ``y`` are left out. Default: all nodes.
    included : iterable of str
        Nodes that it must hold; they count in its cost.

    Returns
    -------
    frozenset of str
        Ties: the fewest members, then the first by sorted names.

    Raises
    ------
    ValueError
        If a node is unknown, sets overlap, a size is missing or below 1, or no separator exists (a path that no allowed
        node blocks is spelled out).

    Examples
    --------
    >>> chain = ADMG([("X", "A"), ("A", "B"), ("B", "Y")])
    >>> sorted(minimum_separator(chain, "X", "Y", {"A": 3, "B": 2}))
    ['B']
    """
    xs, ys, required = _known(graph, "x", x), _known(graph, "y", y), _known(graph, "included", included)
    allowed = (frozenset(graph) if restricted is None else _known(graph, "restricted", restricted)) - xs - ys
    for name, nodes in (("x", xs), ("y", ys)):
        if not nodes:
            raise ValueError(f"{name} is empty: nothing to separate")
    for (one, first), (other, second) in (
        (("x", xs), ("y", ys)),
        (("x", xs), ("included", required)),
        (("y", ys), ("included", required)),
    ):
        if first & second:
            raise ValueError(f"{one} and {other} overlap: {', '.join(sorted(first & second))}")
    if required - allowed:
        raise ValueError(f"included but not in restricted: {', '.join(sorted(required - allowed))}")
    domains = _domains(allowed, sizes)
    moral = _moral_ancestral_graph(graph, xs | ys | required)
    moral.remove_nodes_from(required)  # conditioned on: no path passes them
    logs = _exact_logarithms(domains)
    return required | _minimum_cut(moral, xs, ys, _ranked({v: (logs[v],) for v in sorted(allowed & set(moral))}))


def reward_separator(
    graph: ADMG,
    reward: str,
    arms: Iterable[str],
    context: Iterable[str],
    sizes: Mapping[str, int],
    objective: Objective = "W",
) -> frozenset[str]:
    r"""The set W that d-separates the reward from (A ∪ X) \ W with the fewest joint states (huang2022, Section 3.2).

    W may hold arm and context variables, each at its own cost: W is a minimum vertex cut between R and a sink joined to
    all of A ∪ X, in the moral graph of An({R} ∪ A ∪ X). (A member of W outside these ancestors can be dropped: it only
    enlarges the moral graph. Edges among A ∪ X change nothing, so the policy's edges X -> A may be left out.)

    Parameters
    ----------
    graph : ADMG
    reward : str
        The reward R; no arm or context variable descends from it.
    arms, context : iterable of str
        The disjoint sets A and X. All other nodes are the intermediate variables I.
    sizes : mapping from str to int
        Number of states, at least 1, of every node but the reward.
    objective : {"W", "Z"}
        What must have the fewest joint states: W (the text after Algorithm 1, and the paper's examples), or
        Z = W \ (A ∪ X) and then W (line 2 as printed). Since W = A ∪ X always separates, the second always
        gives Z = ∅ (L41).

    Returns
    -------
    frozenset of str
        Ties: the fewest members, then the first by sorted names.

    Raises
    ------
    ValueError
        If a node is unknown, sets overlap, arms or context descend from the reward, or a size is missing or below 1.
    """
    a, x = _known(graph, "arms", arms), _known(graph, "context", context)
    r = _known(graph, "reward", [reward])
    features = a | x
    if a & x:
        raise ValueError(f"arms and context overlap: {', '.join(sorted(a & x))}")
    later = features & graph.descendants(r)
    if later:
        raise ValueError(f"arms or context hold the reward {reward} or its descendants: {', '.join(sorted(later))}")
    if not features:
        raise ValueError("arms and context are both empty: nothing to separate the reward from")
    if objective not in get_args(Objective):
        raise ValueError(f"objective {objective!r}: expected one of {', '.join(get_args(Objective))}")
    moral = _moral_ancestral_graph(graph, r | features)
    allowed = sorted((frozenset(graph) - r) & set(moral))
    logs = _exact_logarithms(_domains(allowed, sizes))
    costs = {v: (logs[v] if objective == "W" or v not in features else 0, logs[v]) for v in allowed}
    return _minimum_cut(moral, r, features, _ranked(costs))


def _known(graph: ADMG, what: str, nodes: str | Iterable[str]) -> frozenset[str]:
    chosen = frozenset([nodes]) if isinstance(nodes, str) else frozenset(nodes)
    unknown = sorted(chosen.difference(graph.nodes))
    if unknown:
        raise ValueError(f"{what}: not in the graph: {', '.join(unknown)} (its nodes: {', '.join(graph.nodes)})")
    return chosen


def _domains(nodes: Iterable[str], sizes: Mapping[str, int]) -> dict[str, int]:
    missing = sorted(set(nodes).difference(sizes))
    if missing:
        raise ValueError(f"no domain size for {', '.join(missing)}")
    domains = {v: int(sizes[v]) for v in sorted(nodes)}
    for node, size in domains.items():
        if size != sizes[node] or size < 1:
            raise ValueError(f"domain size of {node}: {sizes[node]}, expected a whole number of at least 1")
    return domains


def _moral_ancestral_graph(graph: ADMG, nodes: Iterable[str]) -> nx.Graph[str]:
    """Moral graph of the ancestors of ``nodes``, hidden causes of bidirected edges among them included."""
    import networkx as nx

    ancestral = graph.subgraph(graph.ancestors(nodes)).to_networkx()
    return nx.Graph(nx.moral_graph(ancestral))


def _exact_logarithms(sizes: Mapping[str, int]) -> dict[str, int]:
    """Integers that add as the sizes multiply: equal sums for equal products, a smaller sum for a smaller product.

    log s is the sum of the logarithms of its prime factors, so equal products have equal sums, however the logarithms
    are rounded. Two different products up to P differ by at least 1/(P + 1) in logarithm; with at most log2 P factors,
    each rounded by at most one unit, a scale above 2 (P + 1) log2 P keeps their order.
    """
    bound = prod(sizes.values())
    scale = 4 * (bound + 1) * (bound.bit_length() + 1)
    precise = Context(prec=len(str(scale)) + 10)
    units: dict[int, int] = {}

    def logarithm(size: int) -> int:
        factors = _prime_factors(size)
        for p in factors:
            if p not in units:
                units[p] = int(precise.multiply(precise.ln(Decimal(p)), Decimal(scale)))
        return sum(units[p] for p in factors)

    return {node: logarithm(size) for node, size in sizes.items()}


def _prime_factors(number: int) -> list[int]:
    factors, p = [], 2
    while p * p <= number:
        while number % p == 0:
            factors.append(p)
            number //= p
        p += 1
    return factors + [number] * (number > 1)


def _ranked(costs: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """One capacity per node whose sums compare as: first cost, second cost, ..., number of members, sorted names."""
    names, capacities = sorted(costs), dict.fromkeys(costs, 0)
    # Of two sets of one size, the first by sorted names holds the earliest name in which they differ.
    by_name = {v: 2 ** len(names) - 2 ** (len(names) - 1 - rank) for rank, v in enumerate(names)}
    levels = [*zip(*(costs[v] for v in names), strict=True), [1] * len(names), [by_name[v] for v in names]]
    for level in levels:
        radix = 1 + sum(level)  # the sums of this level never carry into the one above
        for v, cost in zip(names, level, strict=True):
            capacities[v] = capacities[v] * radix + cost
    return capacities


def _minimum_cut(
    moral: nx.Graph[str], sources: frozenset[str], sinks: frozenset[str], capacities: Mapping[str, int]
) -> frozenset[str]:
    """The cheapest set of the nodes with a capacity that meets every path between ``sources`` and ``sinks``."""
    import networkx as nx

    network: nx.DiGraph[tuple[str, str]] = nx.DiGraph()
    start, end = ("source", ""), ("sink", "")
    network.add_nodes_from([start, end])
    for v in moral:  # every node is an edge; those without a capacity are never cut
        network.add_edge(("in", v), ("out", v), **({"capacity": capacities[v]} if v in capacities else {}))
    for u, v in moral.edges:
        network.add_edge(("out", u), ("in", v))
        network.add_edge(("out", v), ("in", u))
    network.add_edges_from([(start, ("in", v)) for v in sources] + [(("out", v), end) for v in sinks])
    try:
        _, (reached, _) = nx.minimum_cut(network, start, end)
    except nx.NetworkXUnbounded:
        blocked = moral.subgraph(set(moral).difference(capacities))
        routes = nx.multi_source_dijkstra_path(blocked, sources)
        route = min((routes[v] for v in sinks if v in routes), key=lambda path: (len(path), path))
        names = f"{', '.join(sorted(sources))} from {', '.join(sorted(sinks))}"
        raise ValueError(
            f"nothing separates {names}: no allowed node blocks {' - '.join(route)} in the moral graph"
        ) from None
    return frozenset(v for v in capacities if ("in", v) in reached and ("out", v) not in reached)
