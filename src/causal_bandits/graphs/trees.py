"""Trees as adjacency lists, their branches and central nodes (Jordan 1869; Greenewald et al. 2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

#: A tree: the sorted list of neighbours of each node 0, 1, ...
Neighbours = Sequence[Sequence[int]]


def walk(neighbours: Neighbours, start: int, without: int = -1) -> Iterator[tuple[int, int]]:
    """Yield all nodes of a tree, beginning at ``start``, each after its predecessor.

    The items are pairs (node, predecessor); the predecessor of ``start`` is -1.

    Parameters
    ----------
    neighbours : sequence of sequences of int
    start : int
    without : int
        A neighbour of ``start`` that is left out with all nodes beyond it. What remains is the branch
        B^{without:start} of lu2021.
    """
    pending = [(start, without)]
    while pending:
        node, before = pending.pop()
        yield node, (before if node != start else -1)
        for other in neighbours[node]:
            if other != before:
                pending.append((other, node))


def branch(neighbours: Neighbours, node: int, neighbour: int) -> list[int]:
    """Return B^{node:neighbour}: all nodes on the side of ``neighbour`` when its edge to ``node`` is cut."""
    return [reached for reached, _ in walk(neighbours, neighbour, without=node)]


def walked(neighbours: Neighbours, start: int = 0) -> list[tuple[int, int]]:
    """Return all pairs (node, predecessor) of a `walk` on a tree; refuse other graphs.

    Raises
    ------
    ValueError
        If the graph is not a tree.
    """
    if sum(map(len, neighbours)) != 2 * (len(neighbours) - 1):
        raise ValueError(f"not a tree: {len(neighbours)} nodes, {sum(map(len, neighbours)) / 2:g} edges")
    order = list(islice(walk(neighbours, start), len(neighbours)))  # in a cycle the walk would never end
    reached = len({node for node, _ in order})
    if reached < len(neighbours):
        raise ValueError(f"not a tree: {reached} of {len(neighbours)} nodes are reached from {start}")
    return order


def central_node(
    neighbours: Neighbours,
    weights: Sequence[float],
    start: int = 0,
    order: Sequence[tuple[int, int]] | None = None,
) -> int:
    """Find a central node: none of its branches has more than half of the weight (lu2021, Definition 2).

    The search takes linear time. It starts at ``start`` and moves into the heaviest branch as long as that weighs more
    than half. This is Algorithm 6 with ``> 1/2`` in place of ``>= 1/2``, under which a tie would make it move back and
    forth forever (L100). Integer weights make the comparison exact.

    Parameters
    ----------
    neighbours : sequence of sequences of int
        The tree.
    weights : sequence of float
        >= 0, one per node; they need not sum to one.
    start : int
        Where the search begins (Algorithm 6, line 1). It decides which node is found if several are central.
    order : sequence of (int, int), optional
        The tree as `walked` from ``start``, for callers that use many weights on one tree.

    Raises
    ------
    ValueError
        If the graph is not a tree, or the weights are not one non-negative number per node.

    Examples
    --------
    >>> path = [[1], [0, 2], [1, 3], [2]]
    >>> central_node(path, [1, 1, 1, 1]), central_node(path, [0, 0, 1, 5])
    (1, 3)
    """
    # a set, because only a few weights are distinct
    if len(weights) != len(neighbours) or any(not weight >= 0 for weight in set(weights)):
        raise ValueError(f"expected one weight >= 0 for each of {len(neighbours)} nodes")
    order = walked(neighbours, start) if order is None else order
    below = list(weights)
    for node, before in reversed(order):
        if before >= 0:
            below[before] += below[node]
    centre, before = start, -1
    while True:
        heavy = [other for other in neighbours[centre] if other != before and 2 * below[other] > below[start]]
        if not heavy:
            return centre
        centre, before = heavy[0], centre
