"""d-separating sets with the fewest joint states, found as minimum cuts.

Sources: Tian, Paz & Pearl (1998), "Finding minimal d-separators" (the minimum-cost separator as a minimum vertex cut of
the moralised ancestral graph); Huang, Zhang & Wu (2022), Section 3.2 and line 2 of Algorithms 1 and 2 (the set W).

The cost of a set is the number of joint states of its members. That is a product, while the capacities of a cut add up,
so the capacities are logarithms. They are integers, precise enough to tell any two distinct products apart
(`_exact_logarithms`). The lower digits of the same integers break ties: among the sets of lowest cost, the one with the
fewest members is returned, and among those the first by sorted names. So the minimum cut is exact and unique.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Context, Decimal
from math import prod
from typing import TYPE_CHECKING, Literal, get_args

from causal_bandits.graphs.adjustment import named_sets
from causal_bandits.graphs.admg import ADMG, listing
from causal_bandits.graphs.exchange import GraphLike, as_admg

if TYPE_CHECKING:  # networkx loads slowly, so the functions that need it import it
    import networkx as nx

Objective = Literal["W", "Z"]


def minimum_separator(
    graph: GraphLike,
    x: str | Iterable[str],
    y: str | Iterable[str],
    sizes: Mapping[str, int],
    restricted: Iterable[str] | None = None,
    included: Iterable[str] = (),
) -> frozenset[str]:
    """Find the d-separator of ``x`` and ``y`` with the fewest joint states (Tian, Paz & Pearl 1998).

    Every separator that is minimal by inclusion consists of ancestors of ``x``, ``y`` and ``included``, and is a vertex
    cut of their moral graph. The hidden causes that bidirected edges represent cannot be members.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    x, y : str or iterable of str
        Disjoint, not empty.
    sizes : mapping from str to int
        The number of states, at least 1, of every node that may be a member.
    restricted : iterable of str, optional
        The nodes that may be members; those of ``x`` and ``y`` are left out. Default: all nodes.
    included : iterable of str
        Nodes that must be members; they count in the cost.

    Returns
    -------
    frozenset of str
        Of several with the fewest joint states: the one with the fewest members, then the first by sorted names.

    Raises
    ------
    ValueError
        If a node is unknown, sets overlap, a size is missing or below 1, or no separator exists (the message spells out
        a path that no allowed node blocks).

    Examples
    --------
    >>> chain = ADMG([("X", "A"), ("A", "B"), ("B", "Y")])
    >>> sorted(minimum_separator(chain, "X", "Y", {"A": 3, "B": 2}))
    ['B']
    """
    graph = as_admg(graph)
    xs, ys, required = named_sets(graph, x=x, y=y, included=included)
    (members,) = named_sets(graph, restricted=graph if restricted is None else restricted)
    allowed = members - xs - ys
    for name, nodes in (("x", xs), ("y", ys)):
        if not nodes:
            raise ValueError(f"{name}: no variable given")
    if required - allowed:
        raise ValueError(f"included: {listing(required - allowed)} not among restricted ({listing(allowed)})")
    domains = _domains(allowed, sizes)
    moral = _moral_ancestral_graph(graph, xs | ys | required)
    moral.remove_nodes_from(required)  # they are conditioned on, so no open path goes through them
    logs = _exact_logarithms(domains)
    return required | _minimum_cut(moral, xs, ys, _ranked({v: (logs[v],) for v in sorted(allowed & set(moral))}))


def reward_separator(
    graph: GraphLike,
    reward: str,
    arms: Iterable[str],
    context: Iterable[str],
    sizes: Mapping[str, int],
    objective: Objective = "W",
) -> frozenset[str]:
    r"""Find the set W with the fewest joint states that d-separates the reward from (A ∪ X) \ W.

    Source: huang2022, Section 3.2. Arm and context variables may be members of W, each at its own cost. W is a minimum
    vertex cut between R and a sink that is joined to all of A ∪ X, in the moral graph of An({R} ∪ A ∪ X). A member of W
    outside these ancestors could be dropped, because it only adds edges to the moral graph. Edges among A ∪ X change
    nothing, so the edges X -> A that a policy adds may be left out.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    reward : str
        The reward R; no arm or context variable descends from it.
    arms, context : iterable of str
        The disjoint sets A and X. All other nodes are the intermediate variables I.
    sizes : mapping from str to int
        The number of states, at least 1, of every node except the reward.
    objective : {"W", "Z"}
        Which set must have the fewest joint states. "W": the whole set, as the text after Algorithm 1 and the paper's
        examples say. "Z": first Z = W \ (A ∪ X), then W, as printed in line 2. Since W = A ∪ X always separates,
        "Z" always gives Z = ∅ (L41).

    Returns
    -------
    frozenset of str
        Of several with the fewest joint states: the one with the fewest members, then the first by sorted names.

    Raises
    ------
    ValueError
        If a node is unknown, sets overlap, arms or context descend from the reward, or a size is missing or below 1.
    """
    graph = as_admg(graph)
    r, a, x = named_sets(graph, reward=[reward], arms=arms, context=context)
    features = a | x
    later = features & graph.descendants(r)
    if later:
        raise ValueError(f"arms or context: {listing(later)} descend from the reward {reward}")
    if not features:
        raise ValueError("arms, context: no variable given")
    if objective not in get_args(Objective):
        raise ValueError(f"objective {objective!r}: expected one of {', '.join(get_args(Objective))}")
    moral = _moral_ancestral_graph(graph, r | features)
    allowed = sorted((frozenset(graph) - r) & set(moral))
    logs = _exact_logarithms(_domains(allowed, sizes))
    costs = {v: (logs[v] if objective == "W" or v not in features else 0, logs[v]) for v in allowed}
    return _minimum_cut(moral, r, features, _ranked(costs))


def _domains(nodes: Iterable[str], sizes: Mapping[str, int]) -> dict[str, int]:
    missing = set(nodes).difference(sizes)
    if missing:
        raise ValueError(f"sizes: no number of states for {listing(missing)}")
    domains = {v: int(sizes[v]) for v in sorted(nodes)}
    for node, size in domains.items():
        if size != sizes[node] or size < 1:
            raise ValueError(f"sizes: {node} has {sizes[node]} states, expected a whole number of at least 1")
    return domains


def _moral_ancestral_graph(graph: ADMG, nodes: Iterable[str]) -> nx.Graph[str]:
    """Return the moral graph of the ancestors of ``nodes``; its nodes include hidden causes."""
    import networkx as nx

    ancestral = graph.subgraph(graph.ancestors(nodes)).to_networkx()
    return nx.Graph(nx.moral_graph(ancestral))


def _exact_logarithms(sizes: Mapping[str, int]) -> dict[str, int]:
    """Return integers whose sums are in the same order as the products of the sizes.

    log s is the sum of the logarithms of its prime factors, so equal products have equal sums, however the logarithms
    are rounded. Two distinct products up to P differ by at least 1/(P + 1) in logarithm; with at most log2 P factors,
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
    """Return capacities whose sums compare sets of nodes level by level.

    The levels are the first cost, the second cost and so on, then the number of members and the sorted names.
    """
    names, capacities = sorted(costs), dict.fromkeys(costs, 0)
    # Of two sets of equal size, the first by sorted names contains the earliest name in which they differ. A smaller
    # set has a smaller sum: any k of these numbers sum to less than k 2^n, and any k + 1 of them to more.
    by_name = {v: 2 ** len(names) - 2 ** (len(names) - 1 - rank) for rank, v in enumerate(names)}
    levels = [*zip(*(costs[v] for v in names), strict=True), [by_name[v] for v in names]]
    for level in levels:
        radix = 1 + sum(level)  # no sum of this level reaches into the level above
        for v, cost in zip(names, level, strict=True):
            capacities[v] = capacities[v] * radix + cost
    return capacities


def _minimum_cut(
    moral: nx.Graph[str], sources: frozenset[str], sinks: frozenset[str], capacities: Mapping[str, int]
) -> frozenset[str]:
    """Find the cheapest set of nodes, all with a capacity, that blocks every path from ``sources`` to ``sinks``."""
    import networkx as nx

    network: nx.DiGraph[tuple[str, str]] = nx.DiGraph()
    start, end = ("source", ""), ("sink", "")
    network.add_nodes_from([start, end])
    for v in moral:  # a node becomes an edge; without a capacity it is never cut
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
        raise ValueError(
            f"no set separates {listing(sources)} from {listing(sinks)}: no allowed node blocks {' - '.join(route)} "
            "in the moral graph"
        ) from None
    return frozenset(v for v in capacities if ("in", v) in reached and ("out", v) not in reached)
