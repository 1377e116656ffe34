"""The rounds of partial structure discovery by its formulas, on random graphs.

Graphs are drawn as by its authors. Source: the public code of Elahi, Ghasemi & Kocaoglu 2024, which was read and
written anew (ledger L260). Nothing is played: the rounds follow from a graph, and from which of its pairs are
confounded.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import sets_by_asking
from causal_bandits.policies.partial_discovery import source_times
from replication.papers.arena.diagrams import REWARD, numbered

#: The authors' numbers: the density of graphs, delta, epsilon and gamma, and eta.
DENSITY, DELTA, EFFECT, RARE = 0.4, 0.99, 0.1, 0.01


def chordal_diagram(nodes: int, density: float, confounded: float, rng: np.random.Generator) -> ADMG:
    """Draw a chordal graph whose reward stands anywhere in the causal order.

    It often has few ancestors. Variable i of the order draws max(1, Binomial(i, density)) parents among those before
    it. Then, from the last variable to the first, the parents of each are joined, earlier to later.

    Parameters
    ----------
    nodes : int
        n >= 2, the reward among them.
    density : float
        In [0, 1].
    confounded : float
        In [0, 1]: with which probability each pair of variables shares a hidden cause.
    rng : numpy.random.Generator
    """
    parents = [set[int]()]
    for i in range(1, nodes):
        size = max(1, int(rng.binomial(i, density)))
        parents.append(set(rng.choice(i, size=size, replace=False).tolist()))
    for own in reversed(parents):
        for a, b in combinations(sorted(own), 2):
            parents[b].add(a)
    names = np.array([*numbered(nodes - 1), REWARD])[rng.permutation(nodes)].tolist()
    pairs = list(combinations(sorted(names), 2))
    bidirected = [pair for pair, is_in in zip(pairs, rng.random(len(pairs)) < confounded, strict=True) if is_in]
    return ADMG([(names[a], names[i]) for i, own in enumerate(parents) for a in own], bidirected, names)


class Counted(NamedTuple):
    """Rounds that discovery takes on one graph.

    Attributes
    ----------
    observable : float
        To learn the directed edges.
    found : float
        To learn the possibly optimal sets, where a test of two variables is counted if it finds a hidden cause, and in
        the uncut graph alone. So the authors count.
    asked : float
        The same, where every test is counted that `sets_by_asking` asks for.
    pairs : float
        The same with a test of every pair among the reward and its ancestors.
    everything : float
        To learn all hidden causes, as the authors count.
    """

    observable: float
    found: float
    asked: float
    pairs: float
    everything: float


def counted(graph: ADMG, density: float) -> Counted:
    """Compute the rounds by the authors' formulas, with their count of tests and with ours."""
    n, part = len(graph), graph.subgraph(graph.ancestors({REWARD}))
    ancestors, times = len(part) - 1, source_times(n, 2, n, DELTA, EFFECT, EFFECT, RARE)
    each = max(0, times.watched - times.without)
    sets = 16 * ancestors**2 * math.log(2 / DELTA + 2) * density  # 8 alpha a ln n; the logarithms of n cancel
    observable = sets * (2 * times.under * n + times.without)
    return Counted(
        observable,
        observable + each * finding_tests(part),
        observable + each * asked_tests(part),
        observable + each * math.comb(len(part), 2),
        observable + each * sets / math.log(n) * density,
    )


def finding_tests(graph: ADMG) -> int:
    """Count the hidden causes that the authors' code meets as it grows the reward's territory.

    In each pass it looks at all pairs of a member and another ancestor, and counts those that are confounded.

    Parameters
    ----------
    graph : ADMG
        Of the reward and its ancestors.
    """
    territory, count = frozenset({REWARD}), 0
    while True:
        others = frozenset(graph.nodes) - territory
        count += sum(len(graph.spouses({v}) & others) for v in territory)
        grown = territory | (graph.spouses(territory) | graph.children(territory)) & others
        if grown == territory:
            return count
        territory = grown


class _AllAskedError(Exception):
    """Every pair was asked, so that the rest of the enumeration asks nothing."""


def asked_tests(graph: ADMG) -> int:
    """Count the pairs that `sets_by_asking` asks for on the graph of the reward and its ancestors."""
    total, count = math.comb(len(graph), 2), 0

    def confounded(a: str, b: str) -> bool:
        nonlocal count
        count += 1
        if count == total:
            raise _AllAskedError
        return (a, b) in graph.bidirected

    try:
        sets_by_asking(ADMG(graph.directed, nodes=graph.nodes), REWARD, confounded)
    except _AllAskedError:
        return total
    return count
