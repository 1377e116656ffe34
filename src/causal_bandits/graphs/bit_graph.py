"""Acyclic directed mixed graphs with sets of nodes as bits of a number, for searches over many sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:

    class NodeSet:
        """A set of the nodes 0, 1, ... of a `BitGraph`.

        When the program runs it is an integer of which bit i is set if node i is a member, so an operation on two sets
        is one operation on two integers. Type checkers know the operations below and no others: an integer is not a
        set of nodes, nor a set a number. The difference is ``a & ~b``, and ``a & -a`` is the first member alone.
        """

        def __or__(self, other: NodeSet) -> NodeSet:
            """Return the union."""

        def __and__(self, other: NodeSet) -> NodeSet:
            """Return the intersection."""

        def __xor__(self, other: NodeSet) -> NodeSet:
            """Return the symmetric difference: of a set and a part of it, what is left."""

        def __invert__(self) -> NodeSet:
            """Return the complement."""

        def __neg__(self) -> NodeSet:
            """Return the first member with the complement of what comes before and after it."""

        def __bool__(self) -> bool:
            """Return whether there is a member."""

        def bit_count(self) -> int:
            """Return the number of members."""

        def bit_length(self) -> int:
            """Return one more than the number of the last member."""

else:
    NodeSet = int

EMPTY: NodeSet = 0  # type: ignore[assignment]
#: All nodes of any graph.
ALL: NodeSet = -1  # type: ignore[assignment]


class BitGraph:
    """An acyclic directed mixed graph on nodes 0, 1, ..., with sets of nodes as `NodeSet`.

    Parameters
    ----------
    node : mapping from str to NodeSet
        The set of each node alone, by its name; in the order of the nodes.
    parents, children, spouses : sequence of NodeSet
        The neighbours of each node.
    """

    __slots__ = ("children", "names", "node", "parents", "spouses")

    def __init__(
        self,
        node: Mapping[str, NodeSet],
        parents: Sequence[NodeSet],
        children: Sequence[NodeSet],
        spouses: Sequence[NodeSet],
    ) -> None:
        self.node = node
        self.names = tuple(node)
        self.parents = parents
        self.children = children
        self.spouses = spouses

    @classmethod
    def of(
        cls, names: Sequence[str], directed: Iterable[tuple[str, str]], bidirected: Iterable[tuple[str, str]]
    ) -> BitGraph:
        """Build the graph from its edges; the nodes are numbered in the order of ``names``."""
        number = {name: i for i, name in enumerate(names)}
        node: dict[str, NodeSet] = {name: 1 << i for name, i in number.items()}  # type: ignore[misc]
        parents, children, spouses = ([EMPTY] * len(number) for _ in range(3))
        for cause, effect in directed:
            parents[number[effect]] |= node[cause]
            children[number[cause]] |= node[effect]
        for a, b in bidirected:
            spouses[number[a]] |= node[b]
            spouses[number[b]] |= node[a]
        return cls(node, parents, children, spouses)

    # ------------------------------------------------------------------ names and sets

    @property
    def everything(self) -> NodeSet:
        """All nodes of this graph."""
        return self.first(len(self.names))

    @staticmethod
    def first(number: int) -> NodeSet:
        """Return the set of the first nodes."""
        return (1 << number) - 1  # type: ignore[return-value]

    def set_of(self, names: Iterable[str]) -> NodeSet:
        """Return the set of nodes given by name."""
        node, found = self.node, EMPTY
        for name in names:
            found |= node[name]
        return found

    def named(self, nodes: NodeSet) -> frozenset[str]:
        """Return the names of the members of a set."""
        names, found = self.names, []
        while nodes:
            low = nodes & -nodes
            found.append(names[low.bit_length() - 1])
            nodes ^= low
        return frozenset(found)

    def families(self, sets: Iterable[NodeSet]) -> frozenset[frozenset[str]]:
        """Return the names of the members of many sets; a half that several sets share is looked up once."""
        named, half = cache(self.named), self.first(len(self.names) // 2)
        return frozenset([named(nodes & half) | named(nodes & ~half) for nodes in sets])

    # ------------------------------------------------------------------ what is reached, within a set of nodes

    def ancestors(self, nodes: NodeSet, within: NodeSet) -> NodeSet:
        """Return ``nodes`` and their ancestors in the subgraph that ``within`` induces."""
        return reach(nodes, self.parents, within)

    def descendants(self, nodes: NodeSet, within: NodeSet) -> NodeSet:
        """Return ``nodes`` and their descendants in the subgraph that ``within`` induces."""
        return reach(nodes, self.children, within)

    def c_component(self, nodes: NodeSet, within: NodeSet) -> NodeSet:
        """Return the c-components that contain ``nodes`` in the subgraph that ``within`` induces."""
        return reach(nodes, self.spouses, within)

    def c_components(self, within: NodeSet) -> list[NodeSet]:
        """Return the c-components of the subgraph that ``within`` induces, ordered by their first node."""
        found = []
        while within:
            found.append(self.c_component(within & -within, within))
            within ^= found[-1]
        return found

    def parents_of(self, nodes: NodeSet) -> NodeSet:
        """Return the parents of ``nodes``; a member is included if it is a parent of another member."""
        return union(nodes, self.parents)

    # ------------------------------------------------------------------ graphs derived from this one

    def do(self, nodes: NodeSet) -> BitGraph:
        """Remove all edges into ``nodes``."""
        kept, every = ~nodes, self.node.values()
        return BitGraph(
            self.node,
            [EMPTY if own & nodes else parents for own, parents in zip(every, self.parents, strict=True)],
            [children & kept for children in self.children],
            [EMPTY if own & nodes else spouses & kept for own, spouses in zip(every, self.spouses, strict=True)],
        )

    def without_edges(self, causes: NodeSet, effects: NodeSet) -> BitGraph:
        """Remove the directed edges that lead from ``causes`` into ``effects``."""
        every = self.node.values()
        return BitGraph(
            self.node,
            [parents & ~causes if own & effects else parents for own, parents in zip(every, self.parents, strict=True)],
            [
                children & ~effects if own & causes else children
                for own, children in zip(every, self.children, strict=True)
            ],
            self.spouses,
        )

    # ------------------------------------------------------------------ independence

    def is_d_separated(self, x: NodeSet, y: NodeSet, given: NodeSet) -> bool:
        """Check whether ``given`` d-separates ``x`` from ``y``; members of ``given`` are left out of both.

        In the graph of the ancestors of all three sets, let the members of every c-component and its parents be
        adjacent to each other (Richardson 2003, "Markov properties for acyclic directed mixed graphs": the augmented
        graph). The sets are d-separated if and only if ``given`` blocks every path there.
        """
        x, y = x & ~given, y & ~given
        among = self.ancestors(x | y | given, ALL)
        seen = fresh = x
        entered = EMPTY  # c-components whose members are all reached
        while fresh and not seen & y:
            component = self.c_component((fresh | union(fresh, self.children)) & among & ~entered, among)
            entered |= component
            fresh = (component | self.parents_of(component)) & ~given & ~seen
            seen |= fresh
        return not seen & y


def union(nodes: NodeSet, neighbours: Sequence[NodeSet]) -> NodeSet:
    """Return the union of the neighbours of ``nodes``."""
    found = EMPTY
    while nodes:
        low = nodes & -nodes
        found |= neighbours[low.bit_length() - 1]
        nodes ^= low
    return found


def reach(start: NodeSet, neighbours: Sequence[NodeSet], within: NodeSet) -> NodeSet:
    """Return ``start`` and every node of ``within`` that a path from it reaches."""
    reached = fresh = start
    while fresh:
        low = fresh & -fresh
        new = neighbours[low.bit_length() - 1] & within & ~reached
        reached |= new
        fresh ^= low | new
    return reached
