"""The order in which variables are eliminated for `CliqueTree`: fewest neighbours first."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import IntArray
from causal_bandits.compiled import jit


class Neighbours(NamedTuple):
    """Linked lists of neighbours; eliminated nodes stay in them.

    Attributes
    ----------
    first : int64 array, shape (variables,)
        The first entry of each variable's list; -1 if it is empty.
    node, following : lists of int
        For each entry: the neighbour, and the next entry of the list, or -1.
    """

    first: IntArray
    node: list[int]
    following: list[int]


@jit
def eliminated(
    parent_start: IntArray, parent: IntArray, cardinality: IntArray, widest: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Eliminate the variables of a moral graph, one by one; return their order and their cliques.

    The next variable is the one with the fewest neighbours left; among ties, the one with the highest index. When it is
    eliminated, all its neighbours become neighbours of each other. Its clique consists of them and itself.

    Parameters
    ----------
    parent_start, parent, cardinality : int64 arrays
        As in `CompiledSCM`.
    widest : int
        The largest number of joint states of a clique. The first clique with more ends the elimination.

    Returns
    -------
    order : int64 array, shape (cliques,)
        The variable of each clique. A clique that is too wide is left out: there are then fewer cliques than variables.
    begin : int64 array, shape (cliques + 1,), or (cliques + 2,) with a clique that is too wide
        The variables of clique ``c`` are ``begin[c]`` to ``begin[c + 1]`` of the next array.
    member : int64 array
        For each clique, the neighbours of its own variable, ascending, then that variable.
    """
    n = len(cardinality)
    linked = Neighbours(np.full(n, -1, dtype=np.int64), [0 for _ in range(0)], [0 for _ in range(0)])
    degree, gone = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    near = np.empty(n, dtype=np.int64)
    for v in range(n):  # the moral graph: each family is a clique
        count = 0
        for e in range(parent_start[v], parent_start[v + 1]):
            near[count] = parent[e]
            count += 1
        near[count] = v
        _join(near, count + 1, linked, degree)
    waiting = [_priority(v, degree) for v in range(n)]
    heapq.heapify(waiting)
    order, begin, cliques = np.empty(n, dtype=np.int64), np.zeros(n + 2, dtype=np.int64), 0
    member = [0 for _ in range(0)]
    while cliques < n:
        fewest, place = divmod(heapq.heappop(waiting), n)
        v = n - 1 - place
        if gone[v] or fewest != degree[v]:
            continue  # its degree has changed: it has a newer entry
        count, size, entry = 0, cardinality[v], linked.first[v]
        while entry >= 0:
            w = linked.node[entry]
            if not gone[w]:
                at = count
                while at > 0 and near[at - 1] > w:  # keep them ascending; numba's sort takes long to compile
                    near[at] = near[at - 1]
                    at -= 1
                near[at] = w
                count += 1
                size = min(size * cardinality[w], widest + 1)
            entry = linked.following[entry]
        for i in range(count):
            member.append(near[i])
            degree[near[i]] -= 1
        member.append(v)
        begin[cliques + 1] = len(member)
        if size > widest:
            return order[:cliques], begin[: cliques + 2], np.array(member)
        gone[v], order[cliques] = True, v
        cliques += 1
        _join(near, count, linked, degree)
        for i in range(count):
            heapq.heappush(waiting, _priority(near[i], degree))
    return order, begin[: n + 1], np.array(member)


@jit
def _priority(v: int, degree: IntArray) -> int:
    """Return a key that sorts variables: fewest neighbours first and, among ties, the highest index first."""
    n = len(degree)
    return int(degree[v] * n + (n - 1 - v))


@jit
def _join(nodes: IntArray, count: int, linked: Neighbours, degree: IntArray) -> None:
    """Make the first ``count`` of ``nodes`` neighbours of each other."""
    for i in range(count):
        for j in range(i):
            a, b = nodes[i], nodes[j]
            if degree[b] < degree[a]:
                a, b = b, a
            entry = linked.first[a]
            while entry >= 0 and linked.node[entry] != b:
                entry = linked.following[entry]
            if entry < 0:
                for one, other in ((a, b), (b, a)):
                    linked.node.append(other)
                    linked.following.append(linked.first[one])
                    linked.first[one] = len(linked.node) - 1
                    degree[one] += 1
