"""Mean rewards in the cells of a set W of variables; the arms' means are weighted averages of these.

Source: huang2022, Eq. 2. If W d-separates the reward from the context and the arm, ``E[R | do(a), x] = sum over z of
E[R | w] P(z | x, a)``, where Z consists of the variables of W that neither the context nor the arm sets. So rounds of
different contexts and arms that fall into the same cell w are pooled.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple, cast

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray, States
from causal_bandits.compiled import kernel
from causal_bandits.graphs.separators import reward_separator
from causal_bandits.models.contextual import ContextualBandit


class Cells(NamedTuple):
    """The numbered joint states of a set of variables W, for compiled loops.

    Attributes
    ----------
    cell : int64 array, shape (contexts, arms, joint states of Z)
        The indices of the cells that are consistent with the context and the arm.
    weight : float64 array, shape (contexts, arms, joint states of Z)
        The exact P(z | do(arm), context) of each of these cells.
    stride : int64 array, shape (variables of the SCM,)
        A cell's index is the sum of ``stride[v] * state of v``.
    size : int
        The number of cells.
    """

    cell: IntArray
    weight: FloatArray
    stride: IntArray
    size: int


class CellMeans(NamedTuple):
    """The state of a run: rewards by cell.

    Attributes
    ----------
    cells : Cells
    visits : int64 array, shape (cells,)
        N_w.
    mean : float64 array, shape (cells,)
        The sample mean of a cell's rewards; for an empty cell, the argument ``unplayed`` of `no_rewards`.
    width : float64 array, shape (cells,)
        1 / sqrt(1 v N_w).
    """

    cells: Cells
    visits: IntArray
    mean: FloatArray
    width: FloatArray


def cells(problem: ContextualBandit, variables: tuple[str, ...]) -> Cells:
    """Return the cells of observed ``variables`` in a problem; computed once for all seeds."""
    key = ("cells", variables)
    if key not in problem.memory:
        problem.memory[key] = _cells(problem, variables)
    return cast(Cells, problem.memory[key])


def _cells(problem: ContextualBandit, variables: tuple[str, ...]) -> Cells:
    sizes = {v: problem.scm.cardinality(v) for v in variables}
    strides, size = {}, 1
    for v in reversed(variables):
        strides[v] = size
        size *= sizes[v]
    features = [*problem.context, *problem.manipulable]
    free = [v for v in variables if v not in features]
    known = problem.features.astype(np.int64) @ np.array([strides.get(v, 0) for v in features], dtype=np.int64)
    offsets = [
        sum(strides[v] * state for v, state in zip(free, states, strict=True))
        for states in product(*(range(sizes[v]) for v in free))
    ]
    return Cells(
        cell=known[:, :, None] + np.array(offsets, dtype=np.int64),
        weight=np.ascontiguousarray(problem.distribution(free).reshape(*known.shape, -1)),
        stride=np.array([strides.get(v, 0) for v in problem.scm.variables], dtype=np.int64),
        size=size,
    )


def minimal_separator(problem: ContextualBandit) -> tuple[str, ...]:
    """Return the separator W with the fewest cells (huang2022, Algorithm 1, line 2, and the text after it)."""
    if "separator" not in problem.memory:
        sizes = {v: problem.scm.cardinality(v) for v in problem.scm.graph.nodes}
        graph = problem.reward_graph.do(problem.manipulable)
        found = reward_separator(
            graph, outcome="R", arms=problem.manipulable, context=problem.context, sizes=sizes, objective="W"
        )
        problem.memory["separator"] = tuple(sorted(found))
    return cast(tuple[str, ...], problem.memory["separator"])


def separator_of(problem: ContextualBandit, variables: Sequence[str] | None) -> tuple[str, ...]:
    """Return ``variables`` if they are a separator; if None, the minimal separator.

    They must d-separate the reward from the rest of the context and the arm.

    Raises
    ------
    ValueError
        If one of ``variables`` is not observed, or they leave the reward d-connected to another variable of the
        context or the arm once arms set their variables.
    """
    if variables is None:
        return minimal_separator(problem)
    graph = problem.reward_graph.do(problem.manipulable)
    unknown = sorted(set(variables) - set(problem.scm.graph.nodes))
    if unknown:
        raise ValueError(f"separator: {', '.join(unknown)} not among the observed variables")
    rest = [v for v in (*problem.context, *problem.manipulable) if v not in variables]
    connected = [v for v in rest if not graph.is_d_separated(v, "R", variables)]
    if connected:
        raise ValueError(f"separator {list(variables)}: leaves the reward d-connected to {', '.join(connected)}")
    return tuple(variables)


def no_rewards(cells: Cells, unplayed: float) -> CellMeans:
    """Create cells without rewards; an empty cell's mean is ``unplayed``."""
    return CellMeans(cells, np.zeros(cells.size, dtype=np.int64), np.full(cells.size, unplayed), np.ones(cells.size))


@kernel
def learn(means: CellMeans, values: States, reward: float) -> None:
    """Add the reward of a round in which the variables had the states ``values``."""
    w = 0
    for variable in range(len(values)):
        w += means.cells.stride[variable] * values[variable]
    means.visits[w] += 1
    n = means.visits[w]
    means.mean[w] = reward if n == 1 else means.mean[w] + (reward - means.mean[w]) / n
    means.width[w] = 1.0 / np.sqrt(n)


@kernel
def upper_bounds(means: CellMeans, context: int, scale: float, bounds: FloatArray) -> None:
    """Write UCB_a of every arm into ``bounds`` (huang2022, Eq. 5 and 6).

    UCB_a = sum over z of (mean_w + scale / sqrt(1 v N_w)) P(z | x, a).
    """
    cells = means.cells
    for arm in range(len(bounds)):
        total = 0.0
        for k in range(cells.cell.shape[2]):
            w = cells.cell[context, arm, k]
            total += cells.weight[context, arm, k] * (means.mean[w] + scale * means.width[w])
        bounds[arm] = total


@kernel
def mean_widths(means: CellMeans, context: int, arms: IntArray, widths: FloatArray) -> None:
    """Write the sum over z of P(z | x, a) / sqrt(1 v N_w) for each of ``arms`` into ``widths``."""
    cells = means.cells
    for i in range(len(arms)):
        total = 0.0
        for k in range(cells.cell.shape[2]):
            total += cells.weight[context, arms[i], k] * means.width[cells.cell[context, arms[i], k]]
        widths[i] = total
