"""Random causal diagrams, and what a learner who is wrong about one takes it for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import numpy as np

from causal_bandits.graphs.admg import ADMG, Edge

#: The reward.
REWARD = "Y"
#: A variable has so many parents among those before it, where there are as many; the reward has the most.
MOST_PARENTS = 2


def random_diagram(nodes: int, confounders: int, rng: np.random.Generator) -> ADMG:
    """A diagram of X1, ..., Xn in random causal order and a reward Y without effects.

    Parameters
    ----------
    nodes : int
        n >= 2.
    confounders : int
        How many pairs, Y among the variables, share a hidden cause; the first of them is Y's with another variable.
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        If there are fewer pairs, or fewer than two variables.
    """
    check_size(nodes, confounders)
    names = numbered(nodes)
    order = [names[i] for i in rng.permutation(nodes)]
    directed: list[tuple[str, str]] = []
    for i, node in enumerate([*order, REWARD]):
        most = min(i, MOST_PARENTS)
        size = most if node == REWARD else int(rng.integers(most + 1))
        directed += [(order[j], node) for j in rng.choice(i, size=size, replace=False)] if size else []
    return ADMG(directed, confounded_pairs(names, confounders, rng), [*names, REWARD])


def numbered(nodes: int) -> list[str]:
    """Name the variables beside the reward: X1, ..., Xn."""
    return [f"X{i}" for i in range(1, nodes + 1)]


def check_size(nodes: int, confounders: int) -> None:
    """Raise a ValueError unless there are two variables or more, and as many pairs as ``confounders``."""
    pairs = (nodes + 1) * nodes // 2
    if nodes < 2 or not 0 <= confounders <= pairs:
        raise ValueError(f"nodes={nodes}, confounders={confounders}: expected >= 2, and 0 to {pairs}")


def confounded_pairs(names: Sequence[str], confounders: int, rng: np.random.Generator) -> list[Edge]:
    """Draw the pairs that share a hidden cause; the first is the reward's with another variable.

    The random numbers that are used do not depend on how many pairs are asked for.

    Parameters
    ----------
    names : sequence of str
        The variables beside the reward.
    confounders : int
        How many pairs.
    rng : numpy.random.Generator
    """
    first = (names[int(rng.integers(len(names)))], REWARD)
    others = [pair for pair in combinations([*names, REWARD], 2) if pair != first]
    return [first, *(others[i] for i in rng.permutation(len(others)))][:confounders]


def one_at_most(variables: Iterable[str]) -> list[frozenset[str]]:
    """List the sets of at most one variable: the empty set, then one set for each variable."""
    return [frozenset(), *(frozenset({v}) for v in variables)]


def without_confounders(graph: ADMG, rng: np.random.Generator) -> ADMG:
    """Overlook all hidden causes."""
    return ADMG(graph.directed, nodes=graph.nodes)


def confounded_throughout(graph: ADMG, rng: np.random.Generator) -> ADMG:
    """Take every pair of variables to share a hidden cause, which admits the truth and is too cautious."""
    return ADMG(graph.directed, combinations(graph.nodes, 2), graph.nodes)


def turnable(graph: ADMG) -> list[Edge]:
    """List the edges between causes that can be turned round without a cycle, sorted.

    An edge a -> b can be turned unless another directed path leads from a to b. Every diagram with an edge between
    causes has one.
    """
    return [(a, b) for a, b in inner_edges(graph) if b not in graph.descendants(graph.children(a) - {b})]


def inner_edges(graph: ADMG) -> list[Edge]:
    """List the edges between causes, which are those that do not lead to the reward, sorted."""
    return sorted(edge for edge in graph.directed if REWARD not in edge)


def with_edges(graph: ADMG, gone: Iterable[Edge] = (), new: Iterable[Edge] = ()) -> ADMG:
    """Return the diagram without some directed edges and with some others."""
    return ADMG([*sorted(graph.directed.difference(gone)), *new], graph.bidirected, graph.nodes)


def with_an_edge_turned(graph: ADMG, rng: np.random.Generator) -> ADMG:
    """Turn one edge between causes round; without such an edge, return the diagram itself (L211)."""
    edges = turnable(graph)
    if not edges:
        return graph
    a, b = edges[int(rng.integers(len(edges)))]
    return with_edges(graph, [(a, b)], [(b, a)])


def without_an_edge(graph: ADMG, rng: np.random.Generator) -> ADMG:
    """Lose one edge between causes; without such an edge, return the diagram itself (L211)."""
    edges = inner_edges(graph)
    return with_edges(graph, [edges[int(rng.integers(len(edges)))]]) if edges else graph


def without_a_cause(graph: ADMG, rng: np.random.Generator) -> ADMG:
    """Lose one edge into the reward."""
    causes = sorted(graph.parents(REWARD))
    lost = (causes[int(rng.integers(len(causes)))], REWARD)
    return with_edges(graph, [lost])


#: What the learner takes the diagram for, by the option ``told`` of a problem.
BELIEFS: dict[str, Callable[[ADMG, np.random.Generator], ADMG]] = {
    "diagram": lambda graph, rng: graph,
    "cautious": confounded_throughout,
    "unconfounded": without_confounders,
    "turned": with_an_edge_turned,
    "edge_lost": without_an_edge,
    "cause_lost": without_a_cause,
}
