"""Random causal graphs of lu2021's kinds, as the parents of each node.

Nodes are numbered in topological order. If a kind leaves open which DAG of a Markov equivalence class is the true one,
it is drawn: a tree's root is a random node (L120), and a chordal component's order is that of a random maximum
cardinality search.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable

import numpy as np

#: The parents of nodes 0, 1, ...
Parents = list[list[int]]
Edges = list[tuple[int, int]]


def uniform_tree(n: int, rng: np.random.Generator) -> Edges:
    """Draw one of the n^(n - 2) labelled trees, all equally likely, from a Prüfer sequence."""
    if n < 2:
        return []
    code = rng.integers(n, size=n - 2).tolist()
    degree = np.bincount([*code, *range(n)], minlength=n)
    leaves = [v for v in range(n) if degree[v] == 1]
    heapq.heapify(leaves)
    edges = []
    for v in code:
        edges.append((heapq.heappop(leaves), v))
        degree[v] -= 1
        if degree[v] == 1:
            heapq.heappush(leaves, v)
    return [*edges, (heapq.heappop(leaves), heapq.heappop(leaves))]


def preferential_tree(n: int, rng: np.random.Generator) -> Edges:
    """Grow a tree by preferential attachment (Barabási & Albert 1999).

    Each new node joins an earlier one with probability proportional to that node's degree.
    """
    ends, edges = [0], []
    for v in range(1, n):
        other = ends[int(rng.integers(len(ends)))]
        edges.append((other, v))
        ends += [other, v] if v > 1 else [v]
    return edges


def regular_tree(n: int, degree: int) -> Edges:
    """Build a tree, level by level, whose inner nodes except the last all have ``degree`` neighbours."""
    if degree < 2:
        raise ValueError(f"degree {degree}: expected at least 2")
    return [(0 if v <= degree else (v - degree - 1) // (degree - 1) + 1, v) for v in range(1, n)]


#: Skeletons of trees by the name that config files use: ``(n, degree, rng)``; ``degree`` matters only for ``regular``.
SHAPES: dict[str, Callable[[int, int, np.random.Generator], Edges]] = {
    "uniform": lambda n, degree, rng: uniform_tree(n, rng),
    "path": lambda n, degree, rng: [(v - 1, v) for v in range(1, n)],
    "star": lambda n, degree, rng: [(0, v) for v in range(1, n)],
    "balanced": lambda n, degree, rng: [((v - 1) // 2, v) for v in range(1, n)],
    "regular": lambda n, degree, rng: regular_tree(n, degree),
    "preferential": lambda n, degree, rng: preferential_tree(n, rng),
}


def rooted(n: int, edges: Edges, root: int) -> Parents:
    """Direct the edges of a tree away from ``root``, which becomes node 0."""
    near: list[list[int]] = [[] for _ in range(n)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    parents: Parents = [[]]
    order, number = [root], {root: 0}
    for node in order:
        for other in near[node]:
            if other not in number:
                number[other] = len(order)
                order.append(other)
                parents.append([number[node]])
    return parents


def tree(n: int, shape: str, degree: int, rng: np.random.Generator) -> Parents:
    """Draw a directed tree (Definition 1) with a skeleton from `SHAPES` and a random node as its root."""
    if shape not in SHAPES:
        raise ValueError(f"shape {shape!r}: expected one of {', '.join(SHAPES)}")
    if n < 1:
        raise ValueError(f"n={n}: expected at least one node")
    return rooted(n, SHAPES[shape](n, degree, rng), int(rng.integers(n)))


def side_by_side(parts: Iterable[Parents]) -> Parents:
    """Put several graphs side by side, without edges between them."""
    joined: Parents = []
    for part in parts:
        joined += [[p + len(joined) for p in own] for own in part]
    return joined


def with_colliders(parts: list[Parents], colliders: int, rng: np.random.Generator) -> Parents:
    """Put graphs side by side and add colliders: nodes with one parent in each of two graphs."""
    if colliders and len(parts) < 2:
        raise ValueError(f"{colliders} colliders: expected at least two components to join")
    starts = np.cumsum([0, *(len(part) for part in parts)])
    joined = side_by_side(parts)
    for _ in range(colliders):
        chosen = rng.choice(len(parts), size=2, replace=False)
        joined.append(sorted(int(starts[i] + rng.integers(len(parts[i]))) for i in chosen))
    return joined


def interval_graph(n: int, clique: int, rng: np.random.Generator) -> Edges:
    """Draw a connected proper interval graph: node v is joined to all later ones up to its end; ends never decrease."""
    ends, edges = 0, []
    for v in range(n - 1):
        ends = max(ends, min(n - 1, v + int(rng.integers(1, clique))))
        edges += [(v, w) for w in range(v + 1, ends + 1)]
    return edges


def clique_tree(n: int, clique: int, rng: np.random.Generator) -> Edges:
    """Draw cliques that share single nodes, each node in at most two of them: no separator contains another."""
    edges, free, size = [], [0], 1
    while size < n:
        new = list(range(size, min(n, size + clique - 1)))
        joint = free.pop(int(rng.integers(len(free))))
        members = [joint, *new]
        edges += [(a, b) for i, a in enumerate(members) for b in members[i + 1 :]]
        free += new
        size += len(new)
    return edges


def regular_clique_tree(n: int, clique: int, degree: int) -> Edges:
    """Build cliques of one size, level by level, each joined to ``degree`` others.

    A clique shares a different node with each of them. The graph's only junction tree has degree ``degree``; with
    ``clique`` = 2 and ``degree`` = 2 it is a path.
    """
    if not 2 <= degree <= clique:
        raise ValueError(f"degree {degree}: expected 2 to {clique}, the nodes of a clique")
    edges: Edges = []
    size, joints = 0, [-1]
    for joint in joints:
        new = list(range(size, min(n, size + clique - (joint >= 0))))
        if not new:
            break
        members = [*([joint] if joint >= 0 else []), *new]
        edges += [(a, b) for i, a in enumerate(members) for b in members[i + 1 :]]
        joints += new[: degree - (joint >= 0)]
        size += len(new)
    return edges


def nested_cliques(n: int, clique: int, rng: np.random.Generator) -> Edges:
    """Draw a chordal graph in which each node joins part of a clique: some separators contain others."""
    cliques, edges = [[0]], []
    for v in range(1, n):
        base = cliques[int(rng.integers(len(cliques)))]
        size = int(rng.integers(1, min(len(base), clique - 1) + 1))
        joined = sorted(int(w) for w in rng.choice(base, size=size, replace=False))
        edges += [(w, v) for w in joined]
        cliques.append([*joined, v])
    return edges


#: Chordal skeletons by the name that config files use: ``(n, clique, degree, rng)``; ``clique`` is the largest number
#: of nodes of a clique; ``degree``, that of the junction tree, matters only for ``regular``.
CHORDAL: dict[str, Callable[[int, int, int, np.random.Generator], Edges]] = {
    "interval": lambda n, clique, degree, rng: interval_graph(n, clique, rng),
    "clique_tree": lambda n, clique, degree, rng: clique_tree(n, clique, rng),
    "nested": lambda n, clique, degree, rng: nested_cliques(n, clique, rng),
    "regular": lambda n, clique, degree, rng: regular_clique_tree(n, clique, degree),
}


def moral(n: int, edges: Edges, rng: np.random.Generator) -> Parents:
    """Direct a connected chordal skeleton without v-structures.

    The order of the nodes is that of a maximum cardinality search (Tarjan & Yannakakis 1984) from a random node, with
    ties broken at random: the neighbours that come before a node are a clique.
    """
    near: list[set[int]] = [set() for _ in range(n)]
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    number: dict[int, int] = {}
    parents: Parents = []
    placed = np.zeros(n, dtype=np.int64)  # neighbours that have a number; far below zero once the node has one itself
    while len(number) < n:
        node = int(rng.choice(np.flatnonzero(placed == placed.max())))
        parents.append(sorted(number[w] for w in near[node] & number.keys()))
        number[node] = len(number)
        placed[list(near[node])] += 1
        placed[node] = -2 * n
    return parents


def chordal(n: int, kind: str, clique: int, rng: np.random.Generator, degree: int = 2) -> Parents:
    """Draw a moral DAG with a skeleton from `CHORDAL`."""
    if kind not in CHORDAL:
        raise ValueError(f"kind {kind!r}: expected one of {', '.join(CHORDAL)}")
    if n < 1 or clique < 2:
        raise ValueError(f"n={n}, clique={clique}: expected at least one node, and cliques of at least two")
    return moral(n, CHORDAL[kind](n, clique, degree, rng), rng)
