"""Stages 1 and 2 of CN-UCB on a tree: the central nodes that lead to X_R (lu2021, Algorithms 3 and 4).

The algorithms request interventions through `Interventions`, which answers from samples (`cn_ucb`) or exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.trees import Neighbours, branch, central_node, walk, walked

if TYPE_CHECKING:  # loads slowly
    import networkx as nx

N = TypeVar("N")


class Effect(NamedTuple):
    """The effect of a variable X, as shown by the interventions do(X = 1), ..., do(X = K).

    Attributes
    ----------
    ancestor : bool
        Whether the mean reward changed. If so, X is X_R or one of its ancestors (L104), by Assumption 3.
    moved : frozenset of str
        The watched variables whose distributions changed; among X's neighbours, these are its effects, by Assumption 2.
    """

    ancestor: bool
    moved: frozenset[str]


class Interventions(Protocol):
    """Interventions on single variables, and what they change."""

    def on(self, stage: int, node: str, watched: Collection[str] = ()) -> Effect:
        """Set ``node`` to each state, and compare the reward and the watched variables with those under do().

        The rounds count towards ``stage`` (1 or 2).
        """
        ...


@dataclass
class ExactInterventions:
    """Interventions whose effects are read from the true graph, without samples.

    Parameters
    ----------
    dag : ADMG
        The true graph.
    rewarding : collection of str
        The variables that the reward depends on; only Appendix C of the paper has several.

    Attributes
    ----------
    asked : list of str
        The variables intervened on, in order.
    """

    dag: ADMG
    rewarding: Collection[str]
    asked: list[str] = field(default_factory=list)

    def on(self, stage: int, node: str, watched: Collection[str] = ()) -> Effect:
        """Return the exact effect, and record that it was requested."""
        self.asked.append(node)
        below = self.dag.descendants(node)
        return Effect(not below.isdisjoint(self.rewarding), frozenset(watched) & below)


class Step(NamedTuple):
    """One pass through the loop of stage 1 or 2, as shown in Fig. 1.

    Attributes
    ----------
    stage : int
        1 or 2.
    centre : tuple of str
        The central node, or the members of the central clique.
    tested : tuple of str
        The variables intervened on: those of the centre and, in stage 2, of its children.
    ancestors : tuple of str
        The tested variables that were found to be X_R or its ancestors.
    effects : tuple of str
        Stage 1: the neighbours that were found to be effects of the centre.
    left : tuple of str
        The variables that may still be X_R.
    """

    stage: int
    centre: tuple[str, ...]
    tested: tuple[str, ...]
    ancestors: tuple[str, ...]
    effects: tuple[str, ...]
    left: tuple[str, ...]


class Rooted(NamedTuple, Generic[N]):
    """A directed tree, the result of stage 1.

    Attributes
    ----------
    nodes : list
        Nodes, or cliques; the root is the first, and every other node comes after its parent.
    parents : list of int
        The position of each node's parent; -1 for the root.
    """

    nodes: list[N]
    parents: list[int]

    @property
    def children(self) -> list[list[int]]:
        """The positions of each node's children."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for child, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(child)
        return found


def numbered(tree: nx.Graph[str]) -> tuple[list[str], list[list[int]]]:
    """Return the sorted nodes of a graph, and the neighbours of each as positions among them."""
    names = sorted(tree)
    number = {name: i for i, name in enumerate(names)}
    return names, [sorted(number[other] for other in tree[name]) for name in names]


def central_candidate(
    neighbours: Neighbours, weights: Sequence[int], order: Sequence[tuple[int, int]] | None = None
) -> int:
    """Return the central node or, if it is ruled out, the nearest node that is not (L103).

    ``order`` is as in `central_node`.
    """
    centre = central_node(neighbours, weights, order=order)
    if weights[centre]:
        return centre
    frontier, reached = [centre], {centre}
    while True:
        frontier = [other for node in frontier for other in neighbours[node] if other not in reached]
        reached.update(frontier)
        for node in frontier:
            if weights[node]:
                return node


def find_sub_tree(tree: nx.Graph[str], do: Interventions, trace: list[Step]) -> Rooted[str] | None:
    """Return a directed subtree that contains X_R, or None (Algorithm 3, Find Sub-tree).

    Its root is X_R or an ancestor. There are three repairs: a node that was intervened on loses its weight (L101),
    nodes ruled out do not get theirs back (L102), and the search ends when no node is left, because X_R is then not in
    this tree (L103).

    Parameters
    ----------
    tree : networkx.Graph
        A chain component that is a tree.
    do : Interventions
    trace : list of Step
        A step is appended for each central node.
    """
    names, neighbours = numbered(tree)
    weights, order = [1] * len(names), walked(neighbours)  # line 2: q, times the number of nodes that still have weight
    while any(weights):  # line 3
        centre = central_candidate(neighbours, weights, order)  # line 4
        effect = do.on(1, names[centre], [names[y] for y in neighbours[centre]])  # lines 5 to 17
        down = [y for y in neighbours[centre] if names[y] in effect.moved]
        if effect.ancestor:  # lines 18 to 20
            subtree = _downstream(names, neighbours, centre, down)
            left = tuple(sorted(subtree.nodes))
        else:
            weights[centre] = 0  # line 23 does this only if a neighbour is an effect
            for y in down:  # lines 21 to 27
                for x in branch(neighbours, centre, y):
                    weights[x] = 0
            left = tuple(name for name, weight in zip(names, weights, strict=True) if weight)
        own = (names[centre],)
        trace.append(Step(1, own, own, own if effect.ancestor else (), tuple(names[y] for y in down), left))
        if effect.ancestor:
            return subtree
    return None


def _downstream(names: list[str], neighbours: Neighbours, root: int, down: Sequence[int]) -> Rooted[str]:
    """Return the directed tree from ``root`` through its neighbours ``down``."""
    order = [(root, -1)]
    for y in down:
        order += [(node, before if before >= 0 else root) for node, before in walk(neighbours, y, without=root)]
    position = {node: i for i, (node, _) in enumerate(order)}
    return Rooted([names[node] for node, _ in order], [position.get(before, -1) for _, before in order])


def find_key_node(
    tree: Rooted[N],
    tests: Callable[[int], bool],
    stopped: Callable[[int, list[int]], None],
    *,
    first_child: bool = False,
) -> N | None:
    """Find X_R in a directed tree (Algorithm 4, Find Key Node; for cliques, Algorithm 8, Find Key Clique).

    There are two repairs: nodes ruled out stay ruled out (L102), and if a single node is left, it is the answer
    (L105). Noisy tests can leave no node; then there is no answer.

    Parameters
    ----------
    tree : Rooted
    tests : callable
        Intervenes on the node at a position, and returns whether it is X_R or an ancestor of X_R.
    stopped : callable
        Called at the end of each pass through the loop, with the centre and the positions that are left.
    first_child : bool
        Which child counts if noisy tests classify several as ancestors: the first, because the search among children
        ends there (Algorithm 8, line 19), or the last, because the loop overwrites the others (Algorithm 4).

    Returns
    -------
    node, or None if nothing is left
    """
    children = tree.children
    neighbours = [
        sorted([*own, *([parent] if parent >= 0 else [])]) for own, parent in zip(children, tree.parents, strict=True)
    ]
    weights, order = [1] * len(tree.nodes), walked(neighbours)  # line 2
    while sum(weights) > 1:  # line 3
        centre = central_candidate(neighbours, weights, order)  # line 4
        if not tests(centre):  # lines 5 to 11
            for x in _below(children, centre):  # lines 12 to 16
                weights[x] = 0
        else:
            found = []  # lines 18 to 26; Algorithm 8, lines 14 to 21
            for y in children[centre]:
                if tests(y):
                    found.append(y)
                    if first_child:
                        break
            if not found:  # lines 27 to 29
                stopped(centre, [centre])
                return tree.nodes[centre]
            inside = set(_below(children, found[-1]))  # line 30
            weights = [weight if x in inside else 0 for x, weight in enumerate(weights)]
        stopped(centre, [x for x, weight in enumerate(weights) if weight])
    return next((node for node, weight in zip(tree.nodes, weights, strict=True) if weight), None)


def _below(children: Sequence[Sequence[int]], top: int) -> list[int]:
    found, pending = [], [top]
    while pending:
        node = pending.pop()
        found.append(node)
        pending.extend(children[node])
    return found


def require_tree(component: nx.Graph[str]) -> None:
    """Raise an error if a chain component is not a tree.

    Raises
    ------
    ValueError
        If it is not a tree; the message names the component and the setting for such graphs.
    """
    nodes, edges = component.number_of_nodes(), component.number_of_edges()
    if edges != nodes - 1:
        raise ValueError(
            f"the chain component of {min(component)!r} is not a tree: {nodes} nodes, {edges} edges; "
            "such graphs need graph='general' (Algorithm 2)"
        )


class Key(NamedTuple):
    """The result of stage 2: X_R, and all nodes of the subtree from X_R downwards, including X_R."""

    node: str
    subtree: tuple[str, ...]


def find_in_tree(tree: nx.Graph[str], do: Interventions, trace: list[Step]) -> Key | None:
    """Search one tree for X_R in stages 1 and 2 (Algorithm 1, lines 4 and 5); return None if it is not there.

    Raises
    ------
    ValueError
        If ``tree`` is not a tree.
    """
    require_tree(tree)
    subtree = find_sub_tree(tree, do, trace)
    if subtree is None:
        return None
    answers: dict[int, bool] = {}

    def tests(position: int) -> bool:
        answers[position] = do.on(2, subtree.nodes[position]).ancestor
        return answers[position]

    def stopped(centre: int, left: list[int]) -> None:
        names = subtree.nodes
        ancestors = tuple(names[x] for x, answer in answers.items() if answer)
        trace.append(
            Step(
                2,
                (names[centre],),
                tuple(names[x] for x in answers),
                ancestors,
                (),
                tuple(sorted(names[x] for x in left)),
            )
        )
        answers.clear()

    key = find_key_node(subtree, tests, stopped)
    if key is None:
        return None
    return Key(key, tuple(subtree.nodes[x] for x in _below(subtree.children, subtree.nodes.index(key))))
