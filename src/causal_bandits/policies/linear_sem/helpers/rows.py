"""Ridge regressions for the rows of a linear structural equation model.

There is one regression per variable and mechanism. LinSEM-TS and LinSEM-UCB learn them (Varici, Shanmugam, Sattigeri &
Tajer 2023). Variables are numbered in the causal order that the learner assumes, which may be wrong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import BoolArray, FloatArray, IntArray
from causal_bandits.compiled import jit, kernel
from causal_bandits.estimation.ridge import Ridge, learn, start
from causal_bandits.models.arms import Arms
from causal_bandits.models.linear_sem import CompiledLinearSEM, Sweep, compile_structure, sweep
from causal_bandits.models.linear_sem_bandit import LinearSEMBandit, LinearWorld


class Rows(NamedTuple):
    """The learnt rows of a linear model; regression ``2 v + k`` is for mechanism k of variable v.

    Attributes
    ----------
    model : CompiledLinearSEM
        The believed structure and the means of the noise; its weights and constants are scratch memory, except in known
        rows.
    ridge : Ridge
        A sample consists of the values of a variable's parents, then a 1 if rows have a constant, then zeros.
    size : int64 array, shape (n,)
        The number of each variable's coefficients.
    learnt : bool array, shape (n, 2)
        Which rows are learnt: those of the reward and its believed ancestors; the row under intervention only if an arm
        intervenes on the variable.
    place : int64 array, shape (n,)
        The index of each variable in the world.
    reward : int
    arms : Sweep
    values, x : float64 arrays, shapes (n,) and (most coefficients,)
        Scratch memory: the variables' values in the last round played, and one sample.
    """

    model: CompiledLinearSEM
    ridge: Ridge
    size: IntArray
    learnt: BoolArray
    place: IntArray
    reward: int
    arms: Sweep
    values: FloatArray
    x: FloatArray


def start_rows(bandit: LinearSEMBandit, penalty: float, constant: bool = True, known: bool = False) -> Rows:
    """Create regressions without samples, in the believed causal order.

    Parameters
    ----------
    bandit : LinearSEMBandit
    penalty : float
        > 0, the penalty of the ridge regressions.
    constant : bool
        Whether every row has a constant, which is learnt too.
    known : bool
        Whether all rows but the reward's are known; they are then the true rows, restricted to the believed parents.
    """
    believed, sem = bandit.believed, bandit.sem
    variables = tuple(believed.topological_order)
    number, n = {v: i for i, v in enumerate(variables)}, len(variables)
    noise = np.array([bandit.told_noise[v] for v in variables])
    model = compile_structure(variables, {v: believed.parents(v) for v in variables})._replace(noise=noise)
    arms = sweep(Arms(variables, bandit.arms).compiled, n)
    reward = number[bandit.reward]
    learnt = np.zeros((n, 2), dtype=np.bool_)
    for v in [bandit.reward] if known else believed.ancestors(bandit.reward):
        learnt[number[v]] = True, bool(arms.mechanism[:, number[v]].any())
    size = np.diff(model.start) + constant
    if known:
        true, place = sem.compiled, [sem.variables.index(v) for v in variables]
        model.constant[:] = true.constant[:, place]
        for at in range(n):
            own = range(true.start[place[at]], true.start[place[at] + 1])
            weights = {int(true.parent[i]): true.weight[:, i] for i in own}
            for i in range(model.start[at], model.start[at + 1]):
                model.weight[:, i] = weights.get(place[model.parent[i]], 0.0)
    most = max(int(size.max()), 1)
    return Rows(
        model,
        start(2 * n, most, penalty),
        size,
        learnt,
        np.array([sem.variables.index(v) for v in variables]),
        reward,
        arms,
        np.empty(n),
        np.zeros(most),
    )


@kernel
def gather(rows: Rows, v: int, values: FloatArray) -> int:
    """Write the sample of variable ``v`` into ``rows.x``; return how many entries it has."""
    model, x = rows.model, rows.x
    first, last, size = model.start[v], model.start[v + 1], rows.size[v]
    for i in range(first, last):
        x[i - first] = values[model.parent[i]]
    if size > last - first:
        x[size - 1] = 1.0
    for i in range(size, len(x)):
        x[i] = 0.0
    return size  # type: ignore[no-any-return]


@jit
def learn_round(rows: Rows, world: LinearWorld, arm: int) -> None:
    """Learn from the last round, in which ``arm`` was played."""
    values = rows.values
    for v in range(len(values)):
        values[v] = world.values[rows.place[v]]
    for v in range(len(values)):
        k = rows.arms.mechanism[arm, v]
        if rows.learnt[v, k] and rows.size[v]:
            gather(rows, v, values)
            learn(rows.ridge, 2 * v + k, rows.x, values[v] - rows.model.noise[v])
