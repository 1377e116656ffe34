"""Random causal diagrams, and what a learner who is wrong about one takes it for."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from causal_bandits.graphs.admg import ADMG

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
    names = [f"X{i}" for i in range(1, nodes + 1)]
    pairs = list(combinations([*names, REWARD], 2))
    if nodes < 2 or not 0 <= confounders <= len(pairs):
        raise ValueError(f"nodes={nodes}, confounders={confounders}: expected >= 2, and 0 to {len(pairs)}")
    order = [names[i] for i in rng.permutation(nodes)]
    directed: list[tuple[str, str]] = []
    for i, node in enumerate([*order, REWARD]):
        most = min(i, MOST_PARENTS)
        size = most if node == REWARD else int(rng.integers(most + 1))
        directed += [(order[j], node) for j in rng.choice(i, size=size, replace=False)] if size else []
    first = (names[int(rng.integers(nodes))], REWARD)
    others = [pair for pair in pairs if pair != first]
    rest = [others[i] for i in rng.permutation(len(others))]
    return ADMG(directed, [first, *rest][:confounders], [*names, REWARD])


def without_confounders(graph: ADMG, rng: np.random.Generator) -> ADMG:
    """All hidden causes overlooked."""
    return ADMG(graph.directed, nodes=graph.nodes)


def confounded_throughout(graph: ADMG, rng: np.random.Generator) -> ADMG:
    """Every pair of variables taken to share a hidden cause: true, and too cautious."""
    return ADMG(graph.directed, combinations(graph.nodes, 2), graph.nodes)


def with_an_edge_reversed(graph: ADMG, rng: np.random.Generator) -> ADMG:
    """One edge between variables the wrong way round, or lost where that makes a cycle or there is none but Y's."""
    edges = sorted(graph.directed)
    inner = [edge for edge in edges if REWARD not in edge]
    a, b = (inner or edges)[int(rng.integers(len(inner or edges)))]
    left = [edge for edge in edges if edge != (a, b)]
    if inner:
        try:
            return ADMG([*left, (b, a)], graph.bidirected, graph.nodes)
        except ValueError:  # a cycle
            pass
    return ADMG(left, graph.bidirected, graph.nodes)


def without_a_cause(graph: ADMG, rng: np.random.Generator) -> ADMG:
    """One cause of the reward not known as such."""
    causes = sorted(graph.parents(REWARD))
    lost = (causes[int(rng.integers(len(causes)))], REWARD)
    return ADMG([edge for edge in sorted(graph.directed) if edge != lost], graph.bidirected, graph.nodes)


#: What the learner takes the diagram for, by the option ``told`` of a problem.
BELIEFS: dict[str, Callable[[ADMG, np.random.Generator], ADMG]] = {
    "diagram": lambda graph, rng: graph,
    "cautious": confounded_throughout,
    "unconfounded": without_confounders,
    "reversed": with_an_edge_reversed,
    "cause_lost": without_a_cause,
}
