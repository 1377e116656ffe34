"""Acyclic directed mixed graphs with sets of nodes as bit masks, for searches over many sets.

A set of nodes is an integer: bit i is set if node i is a member. So an operation on two sets is one operation on two
integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache


class BitGraph:
    """An acyclic directed mixed graph on nodes 0, 1, ..., with sets of nodes as bit masks.

    Parameters
    ----------
    names : sequence of str
        The name of each node.
    parents, children, spouses : sequence of int
        The neighbours of each node, as masks.
    """

    __slots__ = ("children", "names", "number", "parents", "spouses")

    def __init__(
        self, names: Sequence[str], parents: Sequence[int], children: Sequence[int], spouses: Sequence[int]
    ) -> None:
        self.names = names
        self.parents = parents
        self.children = children
        self.spouses = spouses
        self.number = {name: i for i, name in enumerate(names)}

    @classmethod
    def of(
        cls, names: Sequence[str], directed: Iterable[tuple[str, str]], bidirected: Iterable[tuple[str, str]]
    ) -> BitGraph:
        """Build the graph from its edges; the nodes are numbered in the order of ``names``."""
        graph = cls(names, parents := [0] * len(names), children := [0] * len(names), spouses := [0] * len(names))
        number = graph.number
        for cause, effect in directed:
            parents[number[effect]] |= 1 << number[cause]
            children[number[cause]] |= 1 << number[effect]
        for a, b in bidirected:
            spouses[number[a]] |= 1 << number[b]
            spouses[number[b]] |= 1 << number[a]
        return graph

    # ------------------------------------------------------------------ names and masks

    @property
    def everything(self) -> int:
        """The mask of all nodes."""
        return (1 << len(self.names)) - 1

    def mask(self, names: Iterable[str]) -> int:
        """Return the mask of nodes given by name."""
        number, found = self.number, 0
        for name in names:
            found |= 1 << number[name]
        return found

    def named(self, nodes: int) -> frozenset[str]:
        """Return the names of the nodes of a mask."""
        names, found = self.names, []
        while nodes:
            low = nodes & -nodes
            found.append(names[low.bit_length() - 1])
            nodes ^= low
        return frozenset(found)

    def families(self, sets: Iterable[int]) -> frozenset[frozenset[str]]:
        """Return the names of the nodes of many masks; a half that several masks share is looked up once."""
        named, half = cache(self.named), (1 << len(self.names) // 2) - 1
        return frozenset([named(nodes & half) | named(nodes & ~half) for nodes in sets])

    # ------------------------------------------------------------------ what is reached, within a set of nodes

    def ancestors(self, nodes: int, within: int) -> int:
        """Return ``nodes`` and their ancestors in the subgraph that ``within`` induces."""
        return reach(nodes, self.parents, within)

    def descendants(self, nodes: int, within: int) -> int:
        """Return ``nodes`` and their descendants in the subgraph that ``within`` induces."""
        return reach(nodes, self.children, within)

    def c_component(self, nodes: int, within: int) -> int:
        """Return the c-components that contain ``nodes`` in the subgraph that ``within`` induces."""
        return reach(nodes, self.spouses, within)

    def c_components(self, within: int) -> list[int]:
        """Return the c-components of the subgraph that ``within`` induces, ordered by their first node."""
        found = []
        while within:
            found.append(self.c_component(within & -within, within))
            within ^= found[-1]
        return found

    def parents_of(self, nodes: int) -> int:
        """Return the parents of ``nodes``; a member is included if it is a parent of another member."""
        return union(nodes, self.parents)

    # ------------------------------------------------------------------ graphs derived from this one

    def do(self, nodes: int) -> BitGraph:
        """Remove all edges into ``nodes``."""
        kept = ~nodes
        return BitGraph(
            self.names,
            [0 if nodes >> i & 1 else parents for i, parents in enumerate(self.parents)],
            [children & kept for children in self.children],
            [0 if nodes >> i & 1 else spouses & kept for i, spouses in enumerate(self.spouses)],
        )

    def without_edges(self, causes: int, effects: int) -> BitGraph:
        """Remove the directed edges that lead from ``causes`` into ``effects``."""
        return BitGraph(
            self.names,
            [parents & ~causes if effects >> i & 1 else parents for i, parents in enumerate(self.parents)],
            [children & ~effects if causes >> i & 1 else children for i, children in enumerate(self.children)],
            self.spouses,
        )

    # ------------------------------------------------------------------ independence

    def is_d_separated(self, x: int, y: int, given: int) -> bool:
        """Check whether ``given`` d-separates ``x`` from ``y``; members of ``given`` are left out of both.

        In the graph of the ancestors of all three sets, let the members of every c-component and its parents be
        adjacent to each other (Richardson 2003, "Markov properties for acyclic directed mixed graphs": the augmented
        graph). The sets are d-separated if and only if ``given`` blocks every path there.
        """
        x, y = x & ~given, y & ~given
        among = self.ancestors(x | y | given, -1)
        seen = fresh = x
        entered = 0  # c-components whose members are all reached
        while fresh and not seen & y:
            component = self.c_component((fresh | union(fresh, self.children)) & among & ~entered, among)
            entered |= component
            fresh = (component | self.parents_of(component)) & ~given & ~seen
            seen |= fresh
        return not seen & y


def union(nodes: int, neighbours: Sequence[int]) -> int:
    """Return the union of the neighbours of ``nodes``."""
    found = 0
    while nodes:
        low = nodes & -nodes
        found |= neighbours[low.bit_length() - 1]
        nodes ^= low
    return found


def reach(start: int, neighbours: Sequence[int], within: int) -> int:
    """Return ``start`` and every node of ``within`` that a path from it reaches."""
    reached = fresh = start
    while fresh:
        low = fresh & -fresh
        new = neighbours[low.bit_length() - 1] & within & ~reached
        reached |= new
        fresh ^= low | new
    return reached
