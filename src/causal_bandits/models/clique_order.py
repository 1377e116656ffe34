"""The order in which variables are eliminated for `CliqueTree`: fewest neighbours first."""

from __future__ import annotations

import heapq

import numpy as np

from causal_bandits.arrays import IntArray
from causal_bandits.compiled import jit


@jit
def eliminated(
    parent_start: IntArray, parent: IntArray, cardinality: IntArray, widest: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Eliminate the variables of a moral graph, one by one; return their order and their cliques.

    The next variable is one with the fewest neighbours left; of several the one with the highest number. When it goes,
    all its neighbours become neighbours of each other. Its clique is they and itself.

    Parameters
    ----------
    parent_start, parent, cardinality : int64 arrays
        Of `CompiledSCM`.
    widest : int
        The most joint states of a clique. The first clique with more ends the elimination.

    Returns
    -------
    order : int64 array, shape (cliques,)
        The variable of each clique. A clique that is too wide is left out: then there are fewer than variables.
    begin : int64 array, shape (cliques + 1,), with a clique that is too wide (cliques + 2,)
        The variables of clique ``c`` are ``begin[c]`` to ``begin[c + 1]`` of the next array.
    member : int64 array
        The neighbours of the clique's own variable, ascending, then that.
    """
    n = len(cardinality)
    # Edge e is the two entries 2e and 2e + 1 of lists of neighbours; each holds the other one's owner.
    room = 2 * (len(parent) + n) + 2
    head, degree = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    to, following, before = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    used = 0
    near = np.empty(n, dtype=np.int64)
    order, begin = np.empty(n, dtype=np.int64), np.zeros(n + 2, dtype=np.int64)
    member = np.empty(2 * n + len(parent), dtype=np.int64)
    heap = [0 for _ in range(0)]
    done, cliques = np.zeros(n, dtype=np.bool_), 0
    step = -n  # the moral graph first: each family is joined as the neighbours of an eliminated variable are
    while True:
        if step < 0:
            v, count = n + step, 0
            for e in range(parent_start[v], parent_start[v + 1]):
                near[count] = parent[e]
                count += 1
            near[count] = v
            count += 1
        else:
            if step == 0:
                heap = [int(degree[w] * n + (n - 1 - w)) for w in range(n)]
                heapq.heapify(heap)
            if cliques == n:
                break
            fewest, place = divmod(heapq.heappop(heap), n)
            v = n - 1 - place
            if done[v] or fewest != degree[v]:
                continue  # another entry of the heap stands for it
            count, entry, size = 0, head[v], cardinality[v]
            while entry >= 0:
                near[count] = to[entry]
                size = min(size * cardinality[to[entry]], widest + 1)
                count += 1
                entry = following[entry]
            near[:count].sort()
            end = begin[cliques] + count + 1
            if end > len(member):
                member = np.concatenate((member, np.empty(end + len(member), dtype=np.int64)))
            member[begin[cliques] : end - 1] = near[:count]
            member[end - 1] = v
            begin[cliques + 1] = end
            if size > widest:
                return order[:cliques], begin[: cliques + 2], member[:end]
            done[v], order[cliques] = True, v
            cliques += 1
            entry = head[v]
            while entry >= 0:  # take v out of its neighbours' lists
                w, twin = to[entry], entry ^ 1
                if before[twin] >= 0:
                    following[before[twin]] = following[twin]
                else:
                    head[w] = following[twin]
                if following[twin] >= 0:
                    before[following[twin]] = before[twin]
                degree[w] -= 1
                entry = following[entry]
        for i in range(count):
            for j in range(i):
                a, b = near[i], near[j]
                if degree[b] < degree[a]:
                    a, b = b, a
                entry = head[a]
                while entry >= 0 and to[entry] != b:
                    entry = following[entry]
                if entry >= 0:
                    continue
                if used + 2 > len(to):
                    more = np.empty(len(to), dtype=np.int64)
                    to = np.concatenate((to, more))
                    following, before = np.concatenate((following, more)), np.concatenate((before, more))
                for owner, other in ((a, b), (b, a)):
                    to[used], following[used], before[used] = other, head[owner], -1
                    if head[owner] >= 0:
                        before[head[owner]] = used
                    head[owner] = used
                    degree[owner] += 1
                    used += 1
        if step >= 0:
            for i in range(count):
                w = near[i]
                heapq.heappush(heap, int(degree[w] * n + (n - 1 - w)))
        step += 1
    return order, begin[: n + 1], member[: begin[n]]
