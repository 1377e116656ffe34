"""Stages 1 and 2 of CN-UCB on a chordal component: central cliques that lead to X_R (lu2021).

These are lu2021's Algorithms 7 to 9. As printed, both stages miss X_R on graphs for which Theorem 3 says that they find
it (E42, E43). The repairs are justified as follows. Let S be the set of common nodes of two adjacent cliques C and Y of
a moral DAG. Their edge has a head at Y if every node of S causes every node of Y outside S (Definition 8). At least one
end has a head; otherwise S would be part of a v-structure.

- Let X_R be beyond Y and not in C. If the edge has a head at C, no node of C outside S is an ancestor of X_R: the path
  from it to X_R would enter S and close a cycle. So an ancestor in C outside S rules out an upstream clique; one in S
  does not (L107).
- If the edge has a head at Y and no edges are intersection-comparable, all nodes of S are ancestors of X_R.
- If several cliques share a separator, different junction trees join different pairs of them. Only the group of these
  cliques is determined by the graph, and at most one of them, the upstream one, has a node that is a cause of S (L108).
- Stage 2 goes down a directed tree. The nodes that a clique shares with its parent are ancestors whichever child leads
  to X_R, so stage 2 tests whether any other node of the clique is an ancestor (L109).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from causal_bandits.graphs.chordal import Clique, GroupedCliques, comparable_edges, grouped, junction_tree
from causal_bandits.graphs.trees import branch
from causal_bandits.policies.single_node.helpers.central_nodes import (
    Effect,
    Interventions,
    Rooted,
    Step,
    central_candidate,
    find_key_node,
)

if TYPE_CHECKING:  # loads slowly
    import networkx as nx


def find_sub_junction_tree(tree: GroupedCliques, do: Interventions, trace: list[Step]) -> Rooted[Clique] | None:
    """Return a directed tree of cliques that contains X_R (Algorithm 7, Find Sub-junction-tree).

    Its root contains X_R or ancestors of X_R. Return None if X_R is not in this component.

    Parameters
    ----------
    tree : GroupedCliques
    do : Interventions
    trace : list of Step
        A step is appended for each central clique.
    """
    cliques, neighbours = tree.cliques, tree.neighbours
    weights = [1] * len(cliques) + [0] * len(tree.separators)  # line 2
    tested: set[int] = set()
    above: list[int] = []
    while any(weights):  # line 3
        centre = above[0] if above else central_candidate(neighbours, weights)  # line 4
        if centre in tested:
            return None  # the cliques are above one another in a circle: the answers contradict the graph
        tested.add(centre)
        asked = _ask(tree, centre, do)  # lines 5 to 15
        above = asked.above
        if asked.ancestors and not above:  # lines 16 to 18
            subtree = _downstream(tree, centre, asked.up)
            trace.append(_step(1, cliques[centre], cliques[centre], asked.ancestors, subtree.nodes, asked.moved))
            return subtree
        weights[centre] = 0  # L101
        for group, y in asked.left_out():  # lines 19 to 25
            for x in branch(neighbours, group, y):
                weights[x] = 0
        left = [c for c, weight in zip(cliques, weights, strict=False) if weight]
        trace.append(_step(1, cliques[centre], cliques[centre], asked.ancestors, left, asked.moved))
    return None


class Asked(NamedTuple):
    """The results of interventions on a central clique.

    Attributes
    ----------
    near : list of (int, int)
        The adjacent cliques, each preceded by its group: those that share one separator with the central clique.
    ancestors : set of str
        The clique's nodes that are ancestors of X_R.
    up : set of int
        The adjacent cliques whose edge has no head at them.
    above : list of int
        The cliques in ``up`` that contain all ancestors: X_R can only be beyond one of these (L107).
    moved : set of str
        The nodes of the adjacent cliques that are not in ``up``.
    """

    near: list[tuple[int, int]]
    ancestors: set[str]
    up: set[int]
    above: list[int]
    moved: set[str]

    def left_out(self) -> Iterator[tuple[int, int]]:
        """Yield the adjacent cliques beyond which X_R cannot be, each with its group.

        If no ancestors were found, X_R can only be upstream; otherwise, only in a group with a clique in ``above``.
        """
        open_groups = {group for group, y in self.near if y in self.above}
        for group, y in self.near:
            if group not in open_groups if self.ancestors else y not in self.up:
                yield group, y


def _ask(tree: GroupedCliques, centre: int, do: Interventions) -> Asked:
    """Intervene on every node of a clique, and observe those of the adjacent cliques (lines 5 to 15)."""
    cliques, clique = tree.cliques, tree.cliques[centre]
    near = [(group, y) for group in tree.neighbours[centre] for y in tree.neighbours[group] if y != centre]
    watched = {name for _, y in near for name in cliques[y]}.difference(clique)
    effects = {z: do.on(1, z, watched) for z in clique}  # lines 5 to 7, and Algorithm 9
    ancestors = {z for z in clique if effects[z].ancestor}  # lines 8 to 10
    up = {y for _, y in near if not _head_at(cliques[y], clique, effects)}  # lines 11 to 15
    above = [y for _, y in near if y in up and ancestors and ancestors <= set(cliques[y])]  # L107
    return Asked(near, ancestors, up, above, {v for _, y in near if y not in up for v in cliques[y]})


def _head_at(other: Clique, clique: Clique, effects: Mapping[str, Effect]) -> bool:
    """Return whether, by the tests, every common node causes every node of ``other`` outside ``clique``."""
    common = set(other) & set(clique)
    return all(set(other) - common <= effects[z].moved for z in common)


def _downstream(tree: GroupedCliques, root: int, up: Collection[int]) -> Rooted[Clique]:
    """Return the directed tree of cliques from ``root`` through its neighbours, except those in ``up``."""
    nodes, parents = [tree.cliques[root]], [-1]
    pending = [
        (y, group, 0) for group in tree.neighbours[root] for y in tree.neighbours[group] if y != root and y not in up
    ]
    while pending:
        clique, entered, parent = pending.pop()
        nodes.append(tree.cliques[clique])
        parents.append(parent)
        here = len(nodes) - 1
        pending += [
            (y, group, here)
            for group in tree.neighbours[clique]
            if group != entered
            for y in tree.neighbours[group]
            if y != clique
        ]
    return Rooted(nodes, parents)


def _step(
    stage: int,
    centre: Clique,
    tested: Iterable[str],
    ancestors: Iterable[str],
    left: Iterable[Clique],
    effects: Iterable[str] = (),
) -> Step:
    names = tuple(sorted({name for clique in left for name in clique}))
    return Step(
        stage, centre, tuple(tested), tuple(sorted(ancestors)), tuple(sorted(set(effects).difference(centre))), names
    )


def find_in_component(component: nx.Graph[str], do: Interventions, trace: list[Step]) -> Clique | None:
    """Return a clique of a chain component that contains X_R, or None (Algorithm 2, lines 5 to 7).

    If edges are intersection-comparable, Theorem 3 gives no guarantee. The clique found is then tested once more: it
    is returned only if no ancestor of X_R in it has an effect outside it that is also an ancestor of X_R (L110).

    Raises
    ------
    ValueError
        If ``component`` is not chordal.
    """
    junction = junction_tree(component)
    subtree = find_sub_junction_tree(grouped(junction), do, trace)
    if subtree is None:
        return None
    tested: list[str] = []
    ancestors: list[str] = []

    def tests(position: int) -> bool:
        """Test the clique's nodes that are not in its parent clique (Algorithm 9 and lines 7 to 9; L109)."""
        parent = subtree.parents[position]
        own = [z for z in subtree.nodes[position] if parent < 0 or z not in subtree.nodes[parent]]
        found = [z for z in own if do.on(2, z).ancestor]
        tested.extend(own)
        ancestors.extend(found)
        return bool(found)

    def stopped(centre: int, left: list[int]) -> None:
        trace.append(_step(2, subtree.nodes[centre], tested, ancestors, [subtree.nodes[x] for x in left]))
        tested.clear()
        ancestors.clear()

    clique = find_key_node(subtree, tests, stopped, first_child=True)
    if clique is not None and comparable_edges(junction) and _leads_out(component, clique, do):
        return None
    return clique


def _leads_out(component: nx.Graph[str], clique: Clique, do: Interventions) -> bool:
    """Return whether an ancestor of X_R in ``clique`` has an effect outside it that is also an ancestor.

    If not, X_R is in the clique. The result is also True if the clique has no ancestor of X_R.
    """
    reached = False
    for z in clique:
        outside = sorted(set(component[z]).difference(clique))
        effect = do.on(2, z, outside)
        if effect.ancestor:
            reached = True
            if any(do.on(2, y).ancestor for y in sorted(effect.moved)):
                return True
    return not reached
