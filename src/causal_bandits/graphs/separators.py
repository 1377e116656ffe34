"""d-separating sets with the fewest joint states, found by enumeration.

Sources: Tian, Paz & Pearl (1998), "Finding minimal d-separators" (a separator is a vertex cut of the moralised
ancestral graph); Huang, Zhang & Wu (2022), Section 3.2 and line 2 of Algorithms 1 and 2 (the set W).

The cost of a set is the number of joint states of its members, a product of whole numbers. Among the sets of lowest
cost, the one with the fewest members is returned, and among those the first by sorted names, so the answer is unique.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Literal, get_args

from causal_bandits.graphs.adjustment import named_sets
from causal_bandits.graphs.admg import ADMG, listing
from causal_bandits.graphs.exchange import GraphLike, as_admg

if TYPE_CHECKING:  # networkx loads slowly, so the functions that need it import it
    import networkx as nx

Objective = Literal["W", "Z"]


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
    domains = _domains((frozenset(graph) - r) & set(moral), sizes)

    def cost(members: frozenset[str]) -> tuple[int, int]:
        counted = members if objective == "W" else members - features
        return prod(domains[v] for v in counted), prod(domains[v] for v in members)

    return _first_cut(moral, outcome, features, frozenset(domains), cost)


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
    reward: str,
    features: frozenset[str],
    allowed: frozenset[str],
    cost: Callable[[frozenset[str]], tuple[int, int]],
) -> frozenset[str]:
    """Find the first cut between the reward and the features by cost, then number of members, then sorted names.

    A cut contains a node of every path. So take a shortest path that the members so far leave open, and add each of its
    allowed nodes in turn, cheapest first; a node that was tried is out for the next. Members only add to the cost, so a
    set that does not come before the best cut is given up. The features, all allowed, are a cut.
    """
    neighbours = {v: sorted(moral[v]) for v in moral}
    best: tuple[tuple[int, int], int, list[str]] | None = None

    def extend(members: frozenset[str], left: frozenset[str]) -> None:
        nonlocal best
        rank = cost(members), len(members)
        if best is not None and rank > best[:2]:
            return
        path = _open_path(neighbours, reward, features, members)
        if not path:
            found = (*rank, sorted(members))
            best = found if best is None else min(best, found)
        elif best is None or rank < best[:2]:
            for v in sorted(left.intersection(path), key=lambda v: (cost(members | {v}), v)):
                left -= {v}
                extend(members | {v}, left)

    extend(frozenset(), allowed)
    return frozenset(best[-1]) if best else frozenset()


def _open_path(
    neighbours: Mapping[str, Sequence[str]], start: str, ends: frozenset[str], blocked: frozenset[str]
) -> list[str]:
    """Return a shortest path around the blocked nodes, the first by name; an empty list if there is none."""
    before = {start: start}
    queue = [start]
    for u in queue:
        if u in ends:
            path = [u]
            while path[-1] != start:
                path.append(before[path[-1]])
            return path
        for v in neighbours[u]:
            if v not in before and v not in blocked:
                before[v] = u
                queue.append(v)
    return []
