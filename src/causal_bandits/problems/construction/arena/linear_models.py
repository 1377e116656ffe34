"""The arena's problems on linear models, in which arms are soft interventions.

Parameters are those of the program of Varici, Shanmugam, Sattigeri & Tajer 2023.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from causal_bandits.models.linear_sem import LinearSEM
from causal_bandits.models.linear_sem_bandit import LinearSEMBandit
from causal_bandits.problems.construction.arena.beliefs import check_told, generator
from causal_bandits.problems.construction.arena.diagrams import REWARD

#: Sizes of weights in the layered problems; the constants' too. Signs are random.
SIZES = (0.25, 1.0)
#: Standard deviation of what is added to every weight anew: the authors draw it with the variance 0.01 (ledger L242).
JITTER = 0.1

#: The parents of every variable.
Parents = dict[str, list[str]]


def _layers(width: int, layers: int) -> Parents:
    """Build layers of ``width`` variables, each a child of all in the layer before.

    The reward is a child of all in the last.
    """
    if width < 1 or layers < 1:
        raise ValueError(f"width={width}, layers={layers}: expected both >= 1")
    names = [[f"X{layer}_{i}" for i in range(1, width + 1)] for layer in range(1, layers + 1)]
    parents: Parents = {v: [] for v in names[0]}
    parents |= {v: list(before) for before, layer in pairwise(names) for v in layer}
    return parents | {REWARD: list(names[-1])}


def _exact(parents: Parents, rng: np.random.Generator) -> Parents:
    """Return the true parents."""
    return parents


def _cautious(parents: Parents, rng: np.random.Generator) -> Parents:
    """Return all variables before a variable as its parents: true, and more than needed."""
    order = list(parents)
    return {v: order[:i] for i, v in enumerate(order)}


def _edge_lost(parents: Parents, rng: np.random.Generator) -> Parents:
    """Lose one edge."""
    edges = [(p, v) for v, own in parents.items() for p in own]
    lost = edges[int(rng.integers(len(edges)))]
    return {v: [p for p in own if (p, v) != lost] for v, own in parents.items()}


def _edge_added(parents: Parents, rng: np.random.Generator) -> Parents:
    """Add one edge along the causal order, where one is missing."""
    order = list(parents)
    absent = [(p, v) for i, v in enumerate(order) for p in order[:i] if p not in parents[v]]
    new = [absent[int(rng.integers(len(absent)))]] if absent else []
    return {v: [*own, *(p for p, w in new if w == v)] for v, own in parents.items()}


#: What the learner takes the parents for, by the option ``told`` of `linear`.
TOLD_PARENTS: dict[str, Callable[[Parents, np.random.Generator], Parents]] = {
    "graph": _exact,
    "cautious": _cautious,
    "edge_lost": _edge_lost,
    "edge_added": _edge_added,
}


def linear(width: int, layers: int, told: str = "graph", soft_reward: bool = False, draw: int = 0) -> LinearSEMBandit:
    """A random layered linear model with normal noise; arms are all sets of its variables but the reward.

    An intervention turns the signs of a variable's weights and constant; then every number is moved a little.

    Parameters
    ----------
    width, layers : int
        >= 1: variables per layer, and layers before the reward.
    told : str
        A key of `TOLD_PARENTS`.
    soft_reward : bool
        Whether the reward can be intervened on too: twice as many arms (ledger L242).
    draw : int

    Raises
    ------
    ValueError
        If ``told`` is none of these, or a size is below 1.
    """
    check_told(told, TOLD_PARENTS)
    rng = generator("linear", draw, width, layers)
    parents = _layers(width, layers)

    def drawn() -> float:
        return float(rng.choice((-1, 1)) * rng.uniform(*SIZES))

    rows = {v: {p: drawn() for p in own} for v, own in parents.items()}
    constants = {v: drawn() for v in parents}
    soft = [v for v in parents if v != REWARD or soft_reward]

    def moved(number: float) -> float:
        return number + float(rng.normal(0.0, JITTER))

    sem = LinearSEM(
        {v: {p: moved(w) for p, w in row.items()} for v, row in rows.items()},
        {v: {p: moved(-w) for p, w in rows[v].items()} for v in soft},
        ({v: moved(c) for v, c in constants.items()}, {v: moved(-constants[v]) for v in soft}),
    )
    believed = TOLD_PARENTS[told](parents, generator("linear belief", draw, width, layers, told))
    return LinearSEMBandit(sem, REWARD, believed=believed)
