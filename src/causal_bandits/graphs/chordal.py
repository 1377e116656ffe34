"""Chordal graphs: maximal cliques, junction trees, clique graphs, and the directions that a DAG gives them.

Sources: Blair & Peyton (1993), "An introduction to chordal graphs and clique trees" (maximum cardinality search gives
the maximal cliques and a junction tree in one linear pass; networkx searches all nodes for each one, which is
quadratic); Squires et al. (2020); lu2021, Definitions 5 to 10. A clique is the sorted tuple of its nodes' names.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

from causal_bandits.graphs.admg import ADMG

if TYPE_CHECKING:  # loads slowly, and few jobs need it
    import networkx as nx

Clique = tuple[str, ...]


def junction_tree(graph: nx.Graph[str]) -> nx.Graph[Clique]:
    """A junction tree: maximal cliques joined so that those with a node in common are connected (Definition 6).

    It is a maximum-weight spanning tree of the cliques' intersection graph; a graph in pieces has one tree for each.

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
    home: dict[str, int] = {}  # the number of the clique in which a node was first met
    met: dict[str, int] = {}
    size_before = 0
    for node in _maximum_cardinality_search(graph):
        earlier = {other for other in graph[node] if other in met}
        if earlier:
            last = max(earlier, key=met.__getitem__)
            if not all(other in graph[last] for other in earlier if other != last):
                raise ValueError(f"not a chordal graph: the neighbours {sorted(earlier)} of {node!r} met before it")
        if len(earlier) <= size_before:  # a new clique begins; the first node of all is one, too
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
    """All nodes, each one with the most neighbours among those before it (Tarjan & Yannakakis 1984)."""
    count = dict.fromkeys(sorted(graph), 0)
    waiting: list[dict[str, None]] = [dict.fromkeys(reversed(count))]  # by count; dicts keep an order of their own
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
    """Whether every cycle of four or more nodes has a chord; linear."""
    try:
        junction_tree(graph)
    except ValueError:
        return False
    return True


def separator(first: Clique, second: Clique) -> Clique:
    """The nodes that two cliques have in common, sorted."""
    return tuple(sorted(set(first) & set(second)))


def clique_graph(tree: nx.Graph[Clique]) -> nx.Graph[Clique]:
    """The union of all junction trees of a graph (Definition 7), given one of them.

    Two cliques are joined if some junction tree joins them: if they have all of the smallest separator between them in
    common. The number of edges may be quadratic: all edges at a hub are joined to each other.

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
            if common:  # beyond a clique that has nothing in common, none has
                pending += [
                    (other, clique, min(narrowest, len(separator(clique, other))))
                    for other in tree[clique]
                    if other != before
                ]
    return union


def comparable_edges(tree: nx.Graph[Clique]) -> tuple[Clique, Clique, Clique] | None:
    """Cliques C1, C2, C3 whose edges C1 - C2 and C2 - C3 are intersection-comparable; None if there are none.

    One separator must be a *proper* part of the other. Definition 10 as printed counts equal ones too, and so excludes
    the star with three leaves, which the paper names among the graphs that it admits (E40). With proper parts it is
    enough to look at one junction tree in place of the clique graph: on the path from a narrow separator to a wide one
    that contains it every separator does, so two neighbouring edges somewhere on it differ.

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
    """A junction tree with its equal separators made one: a tree of cliques and of groups, as numbers.

    A group are the cliques that tree edges of one separator connect. Junction trees of a graph differ in how they join
    the cliques of a group; where no edges are intersection-comparable they differ in nothing else (Kumar & Madhavan
    2002), so the groups are the graph's own.

    Attributes
    ----------
    cliques : tuple of cliques
        Sorted; numbers 0, 1, ...
    separators : tuple of cliques
        Of the groups, whose numbers follow.
    neighbours : list of lists of int
        Between a clique and the groups that it is in.
    """

    cliques: tuple[Clique, ...]
    separators: tuple[Clique, ...]
    neighbours: list[list[int]]


def grouped(tree: nx.Graph[Clique]) -> GroupedCliques:
    """The groups of a junction tree's cliques; see `GroupedCliques`.

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


#: How a DAG directs an edge between cliques: C1 -> C2, C1 <- C2, or both ends have heads.
Direction = Literal["forward", "backward", "both", "none"]


def directed_clique_tree(dag: ADMG, tree: nx.Graph[Clique]) -> dict[tuple[Clique, Clique], Direction]:
    """The directions of a junction tree's edges (Definition 8), by edge, its ends sorted.

    The edge has a head at C2 if every common node is a cause of every node of C2 that is not common.

    Parameters
    ----------
    dag : ADMG
        Whose skeleton ``tree`` is of.
    tree : networkx.Graph
        From `junction_tree`.
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
