"""Bandits on random diagrams of two families that graph theory knows.

They are Erdos-Renyi and scale-free graphs.

Sources: Erdős & Rényi (1959), "On random graphs I", in Gilbert's form, in which every pair is an edge independently of
the others; Barabási & Albert (1999), "Emergence of scaling in random networks". How they become causal diagrams with a
reward is ledger L247.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from causal_bandits.graphs.admg import ADMG, Edge
from causal_bandits.models.wide_bandit import WideSCMBandit, arms_on
from causal_bandits.problems.construction.arena.arm_sets import TOLD, told_sets
from causal_bandits.problems.construction.arena.beliefs import check_told, generator, model_on
from causal_bandits.problems.construction.arena.diagrams import REWARD, check_size, confounded_pairs, numbered


def erdos_renyi_diagram(nodes: int, degree: float, confounders: int, rng: np.random.Generator) -> ADMG:
    """Draw a diagram in which every pair is an edge with the same probability.

    The edge goes from the earlier to the later variable.

    Parameters
    ----------
    nodes : int
        n >= 2, the variables X1, ..., Xn beside the reward Y, in random causal order. Y comes last.
    degree : float
        In (0, n]: how many neighbours a variable has on average. A reward without a cause gets one.
    confounders : int
        How many pairs, Y among the variables, share a hidden cause; the first of them is Y's with another variable.
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    if not 0 < degree <= nodes:
        raise ValueError(f"degree={degree}: expected more than 0 and at most nodes={nodes}")
    order, bidirected = _order_and_pairs(nodes, confounders, rng)
    directed = [pair for pair in combinations(order, 2) if rng.random() < degree / nodes]
    if not any(effect == REWARD for _, effect in directed):
        directed.append((order[int(rng.integers(nodes))], REWARD))
    return ADMG(directed, bidirected, order)


def scale_free_diagram(nodes: int, causes: int, confounders: int, rng: np.random.Generator) -> ADMG:
    """Draw a diagram in which every variable prefers causes that have many neighbours already.

    Parameters
    ----------
    nodes : int
        n >= 2, the variables X1, ..., Xn beside the reward Y, in random causal order. Y comes last.
    causes : int
        In 1, ..., n: the causes of each variable, or all earlier ones where they are fewer. A cause is drawn with a
        probability proportional to the number of its neighbours so far, plus one.
    confounders : int
        As in `erdos_renyi_diagram`.
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    if not 1 <= causes <= nodes:
        raise ValueError(f"causes={causes}: expected 1 to nodes={nodes}")
    order, bidirected = _order_and_pairs(nodes, confounders, rng)
    neighbours, directed = np.zeros(nodes + 1), list[tuple[str, str]]()
    for i in range(1, nodes + 1):
        weight = neighbours[:i] + 1
        for cause in rng.choice(i, size=min(i, causes), replace=False, p=weight / weight.sum()).tolist():
            directed.append((order[cause], order[i]))
            neighbours[[cause, i]] += 1
    return ADMG(directed, bidirected, order)


def _order_and_pairs(nodes: int, confounders: int, rng: np.random.Generator) -> tuple[list[str], list[Edge]]:
    """Draw a causal order with the reward last, and the confounded pairs."""
    check_size(nodes, confounders)
    names = numbered(nodes)
    pairs = confounded_pairs(names, confounders, rng)
    return [*(names[i] for i in rng.permutation(nodes)), REWARD], pairs


def erdos_renyi(nodes: int, degree: float, confounders: int = 0, told: str = "diagram", draw: int = 0) -> WideSCMBandit:
    """Build a bandit on a random binary model of an `erdos_renyi_diagram`.

    Parameters
    ----------
    nodes, degree, confounders
        See `erdos_renyi_diagram`.
    told : str
        What arms set (see `arm_sets.told_sets`).
    draw : int
        One problem each, the same whatever is told.

    Raises
    ------
    ValueError
        If a number is out of range, or what is told is unknown.
    """
    return _bandit("erdos_renyi", lambda rng: erdos_renyi_diagram(nodes, degree, confounders, rng), told, draw)


def scale_free(nodes: int, causes: int, confounders: int = 0, told: str = "diagram", draw: int = 0) -> WideSCMBandit:
    """Build a bandit on a random binary model of a `scale_free_diagram`; see `erdos_renyi`."""
    return _bandit("scale_free", lambda rng: scale_free_diagram(nodes, causes, confounders, rng), told, draw)


def _bandit(kind: str, diagram: Callable[[np.random.Generator], ADMG], told: str, draw: int) -> WideSCMBandit:
    check_told(told, TOLD)
    rng = generator(kind, draw)
    graph = diagram(rng)
    scm = model_on(graph, draw, rng)
    return WideSCMBandit(scm, REWARD, frozenset(), arms_on(scm, told_sets(told, graph, REWARD)))
