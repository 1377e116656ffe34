"""d-separating sets with the fewest joint states, found by enumeration.

Sources: Tian, Paz & Pearl (1998), "Finding minimal d-separators" (a separator is a vertex cut of the moralised
ancestral graph); Huang, Zhang & Wu (2022), Section 3.2 and line 2 of Algorithms 1 and 2 (the set W).

The cost of a set is the number of joint states of its members, a product of whole numbers. Among the sets of lowest
cost, the one with the fewest members is returned, and among those the first by sorted names, so the answer is unique.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Literal, get_args

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
    return required | _first_cut(moral, xs, ys, allowed, lambda members: prod(domains[v] for v in members))


def reward_separator(
    graph: GraphLike,
    *,
    outcome: str,
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
    outcome : str
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
    r, a, x = named_sets(graph, outcome=[outcome], arms=arms, context=context)
    features = a | x
    later = features & graph.descendants(r)
    if later:
        raise ValueError(f"arms or context: {listing(later)} descend from the outcome {outcome}")
    if not features:
        raise ValueError("arms, context: no variable given")
    if objective not in get_args(Objective):
        raise ValueError(f"objective {objective!r}: expected one of {', '.join(get_args(Objective))}")
    moral = _moral_ancestral_graph(graph, r | features)
    allowed = frozenset(graph) - r
    domains = _domains(allowed & set(moral), sizes)

    def cost(members: frozenset[str]) -> tuple[int, int]:
        counted = members if objective == "W" else members - features
        return prod(domains[v] for v in counted), prod(domains[v] for v in members)

    return _first_cut(moral, r, features, allowed, cost)


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


def _first_cut(
    moral: nx.Graph[str],
    sources: frozenset[str],
    sinks: frozenset[str],
    allowed: frozenset[str],
    cost: Callable[[frozenset[str]], Any],
) -> frozenset[str]:
    """Find the first cut by cost, then number of members, then sorted names.

    A cut contains a node of every path from ``sources`` to ``sinks``. So take a shortest path that the members so far
    leave open, and add each of its allowed nodes in turn, cheapest first; a node that was tried is out for the next.
    Members only add to the cost, so a set that does not come before the best cut is given up.
    """
    neighbours = {v: sorted(moral[v]) for v in moral}
    if route := _open_path(neighbours, sources, sinks, allowed):
        raise ValueError(
            f"no set separates {listing(sources)} from {listing(sinks)}: no allowed node blocks {' - '.join(route)} "
            "in the moral graph"
        )
    best: Any = None

    def extend(members: frozenset[str], left: frozenset[str]) -> None:
        nonlocal best
        rank = cost(members), len(members)
        if best is not None and rank > best[:2]:
            return
        path = _open_path(neighbours, sources, sinks, members)
        if not path:
            found = (*rank, sorted(members))
            best = found if best is None else min(best, found)
        elif best is None or rank < best[:2]:
            for v in sorted(left.intersection(path), key=lambda v: (cost(members | {v}), v)):
                left -= {v}
                extend(members | {v}, left)

    extend(frozenset(), allowed)
    return frozenset(best[-1])


def _open_path(
    neighbours: Mapping[str, Sequence[str]], sources: Iterable[str], sinks: frozenset[str], blocked: frozenset[str]
) -> list[str]:
    """Return a shortest path around the blocked nodes, the first by name; an empty list if there is none."""
    before: dict[str, str | None] = dict.fromkeys(sorted(sources))
    queue = [*before]
    for u in queue:
        if u in sinks:
            path = [u]
            while (previous := before[path[0]]) is not None:
                path.insert(0, previous)
            return path
        for v in neighbours[u]:
            if v not in before and v not in blocked:
                before[v] = u
                queue.append(v)
    return []
