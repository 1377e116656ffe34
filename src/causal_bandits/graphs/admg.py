"""Acyclic directed mixed graphs (ADMGs): causal diagrams with hidden common causes.

A directed edge ``X -> Y`` says that X is an argument of Y's function; a bidirected edge ``X <-> Y`` says that X and Y
share an unobserved cause. The terms follow Tian & Pearl (2002) and Lee & Bareinboim (2019), Preliminaries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from causal_bandits.graphs.bit_graph import BitGraph

if TYPE_CHECKING:  # imported where used: every job builds diagrams, but only a few need networkx, which loads slowly
    import networkx as nx

Edge = tuple[str, str]


class ADMG:
    """A causal diagram: an acyclic directed mixed graph, immutable and hashable.

    Parameters
    ----------
    directed : iterable of (str, str)
        Edges ``cause -> effect``.
    bidirected : iterable of (str, str)
        Edges ``X <-> Y``; the order within a pair does not matter.
    nodes : str or iterable of str
        One or more additional nodes, which need not have edges. Names of other types, for instance NumPy's, become
        ``str``.

    Raises
    ------
    ValueError
        If the graph has a directed cycle (the message spells it out), an edge joins a node to itself, or the name of a
        node is None or empty.

    Examples
    --------
    >>> front_door = ADMG(directed=[("X", "Z"), ("Z", "Y")], bidirected=[("X", "Y")])
    >>> sorted(front_door.ancestors({"Y"}))
    ['X', 'Y', 'Z']
    >>> [sorted(component) for component in front_door.c_components()]
    [['X', 'Y'], ['Z']]
    """

    def __init__(
        self,
        directed: Iterable[Edge] = (),
        bidirected: Iterable[Edge] = (),
        nodes: str | Iterable[str] = (),
    ) -> None:
        self._directed: frozenset[Edge] = frozenset((_name(cause), _name(effect)) for cause, effect in directed)
        self._bidirected: frozenset[Edge] = frozenset(_unordered(_name(a), _name(b)) for a, b in bidirected)
        for a, b in self._directed | self._bidirected:
            if a == b:
                raise ValueError(f"an edge joins {a!r} to itself")
        named = {node for edge in self._directed | self._bidirected for node in edge}
        self._nodes: tuple[str, ...] = tuple(
            sorted(named.union(map(_name, [nodes] if isinstance(nodes, str) else nodes)))
        )
        #: All nodes, causes before effects. Ties are broken by name, so the order does not depend on that of the edges.
        self.topological_order: tuple[str, ...] = _topological_order(self._parents)

    # ------------------------------------------------------------------ what the graph is

    @property
    def nodes(self) -> tuple[str, ...]:
        """All nodes, sorted by name."""
        return self._nodes

    @property
    def directed(self) -> frozenset[Edge]:
        """Directed edges as (cause, effect)."""
        return self._directed

    @property
    def bidirected(self) -> frozenset[Edge]:
        """Bidirected edges, each listed once, with its ends sorted by name."""
        return self._bidirected

    def __contains__(self, node: object) -> bool:
        return node in self._parents

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def _key(self) -> tuple[tuple[str, ...], frozenset[Edge], frozenset[Edge]]:
        return self._nodes, self._directed, self._bidirected

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, ADMG) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return (
            f"ADMG(directed={sorted(self._directed)}, bidirected={sorted(self._bidirected)}, nodes={list(self._nodes)})"
        )

    # ------------------------------------------------------------------ family relations

    @cached_property
    def _parents(self) -> dict[str, frozenset[str]]:
        return _neighbours(self._nodes, ((effect, cause) for cause, effect in self._directed))

    @cached_property
    def _children(self) -> dict[str, frozenset[str]]:
        return _neighbours(self._nodes, self._directed)

    @cached_property
    def _spouses(self) -> dict[str, frozenset[str]]:
        both_ways = [*self._bidirected, *((b, a) for a, b in self._bidirected)]
        return _neighbours(self._nodes, both_ways)

    @cached_property
    def bits(self) -> BitGraph:
        """The graph whose sets of nodes are `NodeSet`, with the nodes in order of name."""
        return BitGraph.of(self._nodes, self._directed, self._bidirected)

    def _known(self, nodes: str | Iterable[str]) -> frozenset[str]:
        chosen = as_set(nodes)
        unknown = chosen.difference(self._parents)
        if unknown:
            raise ValueError(f"not in the graph: {listing(unknown)} (its nodes: {listing(self)})")
        return chosen

    def parents(self, nodes: str | Iterable[str]) -> frozenset[str]:
        """Return the parents of ``nodes``; a member of ``nodes`` is included if it is a parent of another member."""
        if isinstance(nodes, str) and nodes in self._parents:
            return self._parents[nodes]
        return frozenset().union(*(self._parents[node] for node in self._known(nodes)))

    def children(self, nodes: str | Iterable[str]) -> frozenset[str]:
        """Return the children of ``nodes``; a member is included if it is a child of another member."""
        return frozenset().union(*(self._children[node] for node in self._known(nodes)))

    def spouses(self, nodes: str | Iterable[str]) -> frozenset[str]:
        """Return all nodes that a bidirected edge joins to one of ``nodes``."""
        return frozenset().union(*(self._spouses[node] for node in self._known(nodes)))

    def ancestors(self, nodes: str | Iterable[str]) -> frozenset[str]:
        """Return An(``nodes``): ``nodes`` and every node with a directed path into them."""
        return _reach(self._known(nodes), self._parents)

    def descendants(self, nodes: str | Iterable[str]) -> frozenset[str]:
        """Return De(``nodes``): ``nodes`` and every node that a directed path from them reaches."""
        return _reach(self._known(nodes), self._children)

    def c_component(self, nodes: str | Iterable[str]) -> frozenset[str]:
        """Return ``nodes`` and every node that paths of bidirected edges connect to them."""
        return _reach(self._known(nodes), self._spouses)

    def c_components(self) -> tuple[frozenset[str], ...]:
        """Partition the nodes into c-components (Tian & Pearl 2002), ordered by the name of their first node."""
        graph = self.bits
        return tuple(map(graph.named, graph.c_components(graph.everything)))

    # ------------------------------------------------------------------ graphs derived from this one

    def do(self, nodes: str | Iterable[str]) -> ADMG:
        """Remove all edges into ``nodes``, directed and bidirected (G with a bar over X)."""
        cut = self._known(nodes)
        return ADMG(
            directed=((a, b) for a, b in self._directed if b not in cut),
            bidirected=((a, b) for a, b in self._bidirected if a not in cut and b not in cut),
            nodes=self._nodes,
        )

    def without_edges_out_of(self, nodes: str | Iterable[str]) -> ADMG:
        """Remove the directed edges that leave ``nodes`` (G with a bar under X)."""
        cut = self._known(nodes)
        return ADMG(((a, b) for a, b in self._directed if a not in cut), self._bidirected, self._nodes)

    def subgraph(self, nodes: str | Iterable[str]) -> ADMG:
        """Return the subgraph that ``nodes`` induce."""
        kept = self._known(nodes)
        return ADMG(
            directed=((a, b) for a, b in self._directed if a in kept and b in kept),
            bidirected=((a, b) for a, b in self._bidirected if a in kept and b in kept),
            nodes=kept,
        )

    def latent_projection(self, keep: str | Iterable[str]) -> ADMG:
        """Marginalise out every node that is not in ``keep`` (Verma & Pearl 1990; Tian 2002).

        When a node is removed, a directed edge joins each of its parents to each of its children, and a bidirected
        edge joins its children to each other and its spouses to its children (ledger L02). The order in which nodes
        are removed does not matter.
        """
        kept = self._known(keep)
        if len(kept) == len(self):
            return self
        directed, bidirected = set(self._directed), set(self._bidirected)
        for node in self._nodes:
            if node in kept:
                continue
            parents = {a for a, b in directed if b == node}
            children = sorted(b for a, b in directed if a == node)
            spouses = {a if b == node else b for a, b in bidirected if node in (a, b)}
            directed = {(a, b) for a, b in directed if node not in (a, b)}
            directed |= {(parent, child) for parent in parents for child in children}
            bidirected = {(a, b) for a, b in bidirected if node not in (a, b)}
            bidirected |= {(a, b) for i, a in enumerate(children) for b in children[i + 1 :]}
            bidirected |= {_unordered(a, b) for a in spouses for b in children if a != b}
        return ADMG(directed, bidirected, kept)

    def to_networkx(self) -> nx.DiGraph[str]:
        """Return the DAG in which a hidden node replaces every bidirected edge.

        The hidden node of ``A <-> B`` is called ``hidden_name(A, B)`` and has the attribute ``hidden``. Nodes and
        edges are inserted in sorted order, so that algorithms that follow the insertion order are reproducible.
        """
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self._nodes, hidden=False)
        graph.add_edges_from(sorted(self._directed))
        for a, b in sorted(self._bidirected):
            hidden = hidden_name(a, b)
            if hidden in graph:
                raise ValueError(f"a node is called {hidden!r}, a name reserved for the hidden cause of {a} <-> {b}")
            graph.add_node(hidden, hidden=True)
            graph.add_edges_from([(hidden, a), (hidden, b)])
        return graph

    # ------------------------------------------------------------------ independence

    def is_d_separated(self, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()) -> bool:
        """Check whether ``given`` d-separates ``x`` from ``y``, with every bidirected edge as a hidden cause.

        Nodes of ``x`` or ``y`` that are also in ``given`` are left out: their value is fixed.
        """
        graph = self.bits
        return graph.is_d_separated(*(graph.set_of(self._known(nodes)) for nodes in (x, y, given)))


def hidden_name(a: str, b: str) -> str:
    """Name the hidden cause of the edge ``a <-> b``: ``U_AB``, or ``U_A1,B1`` for longer names."""
    first, second = _unordered(a, b)
    return f"U_{first}{second}" if len(first) == len(second) == 1 else f"U_{first},{second}"


def _name(name: object) -> str:
    if name is None or name == "":
        raise ValueError(f"a node is called {name!r}; expected a name")
    return str(name)


def as_set(names: str | Iterable[str], role: str = "names") -> frozenset[str]:
    """Return one name or several as a set; for anything else, raise a TypeError that names their role."""
    given: object = names  # whatever the type hints say
    if not isinstance(given, Iterable):
        raise TypeError(f"{role}: {given!r}; expected the name of a variable, or several")
    return frozenset([str(names)]) if isinstance(names, str) else frozenset(map(str, names))


def check_name(role: str, name: object) -> None:
    """Raise a TypeError unless this is one name."""
    if not isinstance(name, str):
        raise TypeError(f"{role}: {name!r}; expected the name of one variable")


def listing(names: Iterable[str]) -> str:
    """Format names for a message: sorted, with commas between them."""
    return ", ".join(sorted(names))


def _unordered(a: str, b: str) -> Edge:
    return (a, b) if a <= b else (b, a)


def _topological_order(parents: dict[str, frozenset[str]]) -> tuple[str, ...]:
    """Order the nodes level by level, and by name within a level."""
    waiting = {node: len(causes) for node, causes in parents.items()}
    effects: dict[str, list[str]] = {}
    for node, causes in parents.items():
        for cause in causes:
            effects.setdefault(cause, []).append(node)
    order: list[str] = []
    level = [node for node, causes in waiting.items() if not causes]
    while level:
        level.sort()
        order += level
        ready = []
        for cause in level:
            for node in effects.get(cause, ()):
                waiting[node] -= 1
                if not waiting[node]:
                    ready.append(node)
        level = ready
    if len(order) < len(parents):
        try:  # spells a cycle out
            TopologicalSorter({node: sorted(causes) for node, causes in parents.items()}).prepare()
        except CycleError as error:
            raise ValueError("the graph has a directed cycle: " + " -> ".join(error.args[1])) from None
    return tuple(order)


def _neighbours(nodes: Iterable[str], edges: Iterable[Edge]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {node: set() for node in nodes}
    for a, b in edges:
        found[a].add(b)
    return {node: frozenset(others) for node, others in found.items()}


def _reach(start: frozenset[str], neighbours: dict[str, frozenset[str]]) -> frozenset[str]:
    reached, frontier = set(start), list(start)
    while frontier:
        for node in neighbours[frontier.pop()]:
            if node not in reached:
                reached.add(node)
                frontier.append(node)
    return frozenset(reached)
