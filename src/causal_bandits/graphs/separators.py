"""The d-separator of the reward with the fewest joint states (Tian, Paz & Pearl 1998), by enumeration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from causal_bandits.graphs.admg import ADMG


def reward_separator(
    graph: ADMG,
    reward: str,
    arms: Sequence[str],
    context: Sequence[str],
    sizes: Mapping[str, int],
    objective: str = "W",
) -> tuple[str, ...]:
    """The set W with the fewest joint states that d-separates the reward from the rest of context and arms.

    Every set of nodes is looked at: for the small diagrams of bandit problems.

    Parameters
    ----------
    graph : ADMG
    reward : str
    arms, context : sequence of str
    sizes : mapping from str to int
        The number of states of every node but the reward.
    objective : str
        ``W``: the joint states of W are counted. No other is known here.

    Returns
    -------
    tuple of str
        Sorted; among equally good sets the smallest, then the first by name.
    """
    if objective != "W":
        raise ValueError(f"objective={objective!r}: expected 'W'")
    features = (*context, *arms)
    nodes = [v for v in graph.nodes if v != reward]
    candidates = (chosen for k in range(len(nodes) + 1) for chosen in combinations(nodes, k))
    best, fewest = tuple(nodes), math.inf
    for chosen in candidates:
        states = math.prod(sizes[v] for v in chosen)
        if states < fewest and all(graph.is_d_separated(v, reward, chosen) for v in features if v not in chosen):
            best, fewest = chosen, states
    return best
