"""The arena's problems on linear models.

Arms are soft interventions on real variables, or set binary variables.

The first kind is that of Varici, Shanmugam, Sattigeri & Tajer 2023 and of Yan & Tajer 2024; the second that of Feng &
Chen 2023. Parameters are those of the authors' programs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.models.linear_sem import LinearSEM
from causal_bandits.models.linear_sem_bandit import LinearSEMBandit
from causal_bandits.models.protocol import pseudo_regrets
from replication.papers.arena.diagrams import REWARD, numbered
from replication.papers.arena.told import check_told, generator

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


class PrintedGaps(LinearSEMBandit):
    """The same bandit with regret counted as the authors' program counts it.

    The noise of variables without parents counts as if its mean were 1, not 1/2.

    So count the authors of GA-LCB in their program for two layers; their LinSEM-UCB is told the same (ledger L243).

    Parameters
    ----------
    sem : LinearSEM
    told : bool
        Whether the learner is told that these means are 1.
    """

    def __init__(self, sem: LinearSEM, told: bool = False) -> None:
        self._roots = {v: 1.0 for v in sem.variables if not sem.graph.parents(v)}
        super().__init__(sem, REWARD, told_noise=self._roots if told else None)

    @cached_property
    def _losses(self) -> FloatArray:
        true = dict(zip(self.sem.variables, self.sem.compiled.noise.tolist(), strict=True))
        printed = LinearSEM(
            {v: dict(self.sem.row(v, 0)) for v in self.sem.variables},
            {v: dict(self.sem.row(v, 1)) for v in self.sem.intervenable},
            ({v: mean - true[v] for v, mean in self._roots.items()}, {}),
            self.sem.noise,
            self.sem.scale,
        )
        means = LinearSEMBandit(printed, REWARD).means
        return pseudo_regrets(float(means.max()), means)


def unknown_linear(width: int, layers: int, gaps: str = "exact", draw: int = 0) -> LinearSEMBandit:
    """Build the layered model on which GA-LCB's authors play.

    All weights are 1 and 0.5, the noise is uniform, and there are no constants.

    An intervention halves the weights of a variable; the first layer has none. With two layers it is the reward's
    weights that it doubles, from 0.5 to 1.

    Parameters
    ----------
    width, layers : int
        (3, 2) and (2, 4) are the authors'.
    gaps : str
        ``exact``; ``printed``, or ``told`` where the learner is told the same: see `PrintedGaps`.
    draw : int
        All draws are the same problem.

    Raises
    ------
    ValueError
        If ``gaps`` is none of these, or a size is below 1.
    """
    if gaps not in ("exact", "printed", "told"):
        raise ValueError(f"gaps {gaps!r}: expected exact, printed or told")
    parents = _layers(width, layers)
    reward = (0.5, 1.0) if layers == 2 else (1.0, 0.5)
    rows = [
        {v: dict.fromkeys(own, (reward if v == REWARD else (1.0, 0.5))[k]) for v, own in parents.items()}
        for k in (0, 1)
    ]
    sem = LinearSEM(rows[0], {v: row for v, row in rows[1].items() if row}, noise="uniform")
    return LinearSEMBandit(sem, REWARD) if gaps == "exact" else PrintedGaps(sem, gaps == "told")


#: Parallel graphs of Feng & Chen: the chance of every variable, and its weight for the reward, which has no base.
PARALLEL: dict[str, tuple[tuple[float, ...], tuple[float, ...], int]] = {
    "G1": ((0.3, 0.4, 0.2, 0.1, 0.6, 0.5), (0.1, 0.3, 0.2, 0.2, 0.1, 0.1), 3),
    "G2": ((0.2, 0.2, *[0.6] * 6), (0.2, 0.2, *[0.1] * 6), 2),
    "G3": ((0.2, 0.2, *[0.6] * 4), (0.2, 0.2, *[0.1] * 4), 2),
    "G4": ((0.2, 0.2, 0.6, 0.6), (0.2, 0.2, 0.1, 0.1), 2),
}


def combinatorial(graph: str, draw: int = 0) -> GLMBandit:
    """A binary linear model of Feng & Chen 2023; arms set two or three variables to 1, or none.

    Arms stand in the authors' order, by their last variable, then the one before; do() stands first.

    Parameters
    ----------
    graph : str
        A key of `PARALLEL`, or ``G5``, which has two layers.
    draw : int
        All draws are the same problem.

    Raises
    ------
    ValueError
        If the graph is none of these.
    """
    if graph == "G5":
        base = {f"X{i}": 0.1 for i in range(1, 6)}
        both = {"X1": 0.7, "X2": 0.1}
        weights = {"X3": {"X1": 0.1, "X2": 0.2}, "X4": both, "X5": both, REWARD: {"X3": 0.6, "X4": 0.1, "X5": 0.1}}
        return _of_size(BinaryGLM({**base, REWARD: 0.0}, weights), 2)
    if graph not in PARALLEL:
        raise ValueError(f"graph {graph!r}: expected one of {', '.join(PARALLEL)}, G5")
    chances, effects, size = PARALLEL[graph]
    names = numbered(len(chances))
    base = dict(zip(names, chances, strict=True))
    return _of_size(BinaryGLM({**base, REWARD: 0.0}, {REWARD: dict(zip(names, effects, strict=True))}), size)


def _of_size(glm: BinaryGLM, size: int) -> GLMBandit:
    names = sorted(v for v in glm.variables if v != REWARD)
    sets = sorted(combinations(names, size), key=lambda chosen: chosen[::-1])
    return GLMBandit(glm, [{}, *(dict.fromkeys(chosen, 1) for chosen in sets)], REWARD)
