"""Chordal graphs: maximal cliques, junction trees, clique graphs and directed clique trees.

Sources: Blair & Peyton (1993), "An introduction to chordal graphs and clique trees"; Squires et al. (2020); lu2021,
Definitions 5 to 10. Maximum cardinality search gives the maximal cliques and a junction tree in one linear pass
(networkx searches all nodes for each node, which is quadratic). A clique is the sorted tuple of its nodes' names.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

from causal_bandits.graphs.admg import ADMG

if TYPE_CHECKING:  # loads slowly, and only a few jobs need it
    import networkx as nx

Clique = tuple[str, ...]


def junction_tree(graph: nx.Graph[str]) -> nx.Graph[Clique]:
    """Build a junction tree: a tree of the maximal cliques (lu2021, Definition 6).

    For every node of the graph, the cliques that contain it are connected in the tree. A junction tree is a
    maximum-weight spanning tree of the cliques' intersection graph. A disconnected graph gets one tree per component.

    Parameters
    ----------
    graph : networkx.Graph
        Chordal; nodes are names.

    Raises
    ------
    ValueError
        If ``graph`` has a cycle of four or more nodes without a chord.

    Examples
    --------
    >>> import networkx as nx
    >>> sorted(junction_tree(nx.Graph(["AB", "AC", "BC", "BD"])).edges)
    [(('A', 'B', 'C'), ('B', 'D'))]
    """
    import networkx as nx

    cliques: list[set[str]] = []
    edges: list[tuple[int, int]] = []
    home: dict[str, int] = {}  # the index of the first clique that contains a node
    met: dict[str, int] = {}
    size_before = 0
    for node in _maximum_cardinality_search(graph):
        earlier = {other for other in graph[node] if other in met}
        if earlier:
            last = max(earlier, key=met.__getitem__)
            if not all(other in graph[last] for other in earlier if other != last):
                raise ValueError(
                    f"not a chordal graph: not all earlier neighbours of {node!r} are adjacent: {sorted(earlier)}"
                )
        if len(earlier) <= size_before:  # a new clique begins, as it does with the very first node
            if earlier:
                edges.append((home[last], len(cliques)))
            cliques.append(set(earlier))
        home[node] = len(cliques) - 1
        cliques[-1].add(node)
        met[node] = len(met)
        size_before = len(earlier)
    names = [tuple(sorted(clique)) for clique in cliques]
    tree: nx.Graph[Clique] = nx.Graph()
    tree.add_nodes_from(sorted(names))
    tree.add_edges_from(sorted((min(names[a], names[b]), max(names[a], names[b])) for a, b in edges))
    return tree


def _maximum_cardinality_search(graph: nx.Graph[str]) -> Iterator[str]:
    """Yield all nodes, each time one with the most neighbours already yielded (Tarjan & Yannakakis 1984)."""
    count = dict.fromkeys(sorted(graph), 0)
    waiting: list[dict[str, None]] = [dict.fromkeys(reversed(count))]  # by count; a dict serves as an ordered set
    while count:
        while not waiting[-1]:
            waiting.pop()
        node, _ = waiting[-1].popitem()
        del count[node]
        yield node
        for other in sorted(graph[node]):
            if other in count:
                del waiting[count[other]][other]
                count[other] += 1
                if count[other] == len(waiting):
                    waiting.append({})
                waiting[count[other]][other] = None


def is_chordal(graph: nx.Graph[str]) -> bool:
    """Check in linear time whether every cycle of four or more nodes has a chord."""
    try:
        junction_tree(graph)
    except ValueError:
        return False
    return True


def separator(first: Clique, second: Clique) -> Clique:
    """Return the nodes that two cliques have in common, sorted."""
    return tuple(sorted(set(first) & set(second)))


def clique_graph(tree: nx.Graph[Clique]) -> nx.Graph[Clique]:
    """Return the clique graph: the union of all junction trees of a graph (lu2021, Definition 7).

    Two cliques are joined if some junction tree joins them. That is so if they have as many nodes in common as there
    are in the smallest separator on the path between them in the given junction tree. The number of edges may be
    quadratic: in the clique graph of a star, all cliques are joined to each other.

    Parameters
    ----------
    tree : networkx.Graph
        From `junction_tree`.
    """
    import networkx as nx

    union: nx.Graph[Clique] = nx.Graph()
    union.add_nodes_from(tree)
    for first in tree:
        pending = [(other, first, len(separator(first, other))) for other in tree[first]]
        while pending:
            clique, before, narrowest = pending.pop()
            common = len(separator(first, clique))
            if common == narrowest:
                union.add_edge(first, clique)
            if common:  # otherwise no clique further on shares a node with the first one
                pending += [
                    (other, clique, min(narrowest, len(separator(clique, other))))
                    for other in tree[clique]
                    if other != before
                ]
    return union


def comparable_edges(tree: nx.Graph[Clique]) -> tuple[Clique, Clique, Clique] | None:
    """Find cliques C1, C2, C3 whose edges C1 - C2 and C2 - C3 are intersection-comparable, or None.

    Two edges are comparable here if the separator of one is a *proper* subset of the separator of the other. Definition
    10 of lu2021 as printed counts equal separators too. It then excludes the star with three leaves, which the paper
    lists among the graphs that it admits (E40).

    One junction tree is enough to decide; the clique graph is not needed. Take a separator that is a proper subset of
    another one. All separators on the path between the two contain the smaller one, so somewhere on the path two
    neighbouring edges are comparable.

    Parameters
    ----------
    tree : networkx.Graph
        From `junction_tree`.
    """
    for clique in tree:
        ends = {frozenset(separator(clique, other)): other for other in tree[clique]}
        for first, second in combinations(ends, 2):
            if first < second or second < first:
                return ends[first], clique, ends[second]
    return None


class GroupedCliques(NamedTuple):
    """A tree of cliques and groups: a junction tree in which edges with the same separator are merged.

    A group consists of the cliques that are connected by tree edges with the same separator. Junction trees of a graph
    differ in how they join the cliques of a group. If no edges are intersection-comparable, they differ in nothing else
    (Kumar & Madhavan 2002), so the groups do not depend on the junction tree.

    Attributes
    ----------
    cliques : tuple of cliques
        Sorted. Their indices are 0, 1, ...
    separators : tuple of cliques
        The separator of each group. The indices of the groups follow those of the cliques.
    neighbours : list of lists of int
        For each index: a clique's groups, or a group's cliques.
    """

    cliques: tuple[Clique, ...]
    separators: tuple[Clique, ...]
    neighbours: list[list[int]]


def grouped(tree: nx.Graph[Clique]) -> GroupedCliques:
    """Merge the edges of a junction tree that have the same separator; see `GroupedCliques`.

    Parameters
    ----------
    tree : networkx.Graph
        From `junction_tree`.
    """
    cliques = tuple(sorted(tree))
    number = {clique: i for i, clique in enumerate(cliques)}
    neighbours: list[list[int]] = [[] for _ in cliques]
    separators: list[Clique] = []
    seen: set[tuple[Clique, Clique]] = set()
    for clique in cliques:
        for common in sorted({separator(clique, other) for other in tree[clique]}):
            if (clique, common) in seen:
                continue
            members, pending = [], [clique]
            seen.add((clique, common))
            while pending:
                here = pending.pop()
                members.append(number[here])
                for other in tree[here]:
                    if separator(here, other) == common and (other, common) not in seen:
                        seen.add((other, common))
                        pending.append(other)
            for member in members:
                neighbours[member].append(len(neighbours))
            neighbours.append(sorted(members))
            separators.append(common)
    return GroupedCliques(cliques, tuple(separators), neighbours)


#: How a DAG directs an edge between cliques: C1 -> C2, C1 <- C2, arrow heads at both ends, or at none.
Direction = Literal["forward", "backward", "both", "none"]


def directed_clique_tree(dag: ADMG, tree: nx.Graph[Clique]) -> dict[tuple[Clique, Clique], Direction]:
    """Direct the edges of a junction tree according to a DAG (lu2021, Definition 8).

    The edge C1 - C2 has an arrow head at C2 if every node in both is a parent of every node in C2 that is not in C1.

    Parameters
    ----------
    dag : ADMG
        The skeleton of this DAG is the graph of ``tree``.
    tree : networkx.Graph
        From `junction_tree`.

    Returns
    -------
    dict from edge to direction
        The two cliques of an edge are sorted.
    """

    def head_at(clique: Clique, other: Clique) -> bool:
        common = set(separator(clique, other))
        return all((cause, effect) in dag.directed for cause in common for effect in clique if effect not in common)

    words: dict[tuple[bool, bool], Direction] = {
        (True, True): "both",
        (False, True): "forward",
        (True, False): "backward",
        (False, False): "none",
    }
    edges = sorted(tuple(sorted(edge)) for edge in tree.edges)
    return {(a, b): words[head_at(a, b), head_at(b, a)] for a, b in edges}
