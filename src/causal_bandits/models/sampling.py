"""A discrete SCM as flat arrays for compiled loops: play one world, or sum over all worlds exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray, States
from causal_bandits.compiled import inlined, jit, kernel
from causal_bandits.models.arms import Assignments, force, release


class CompiledSCM(NamedTuple):
    """A discrete SCM as flat arrays; variables are numbered in topological order.

    Attributes
    ----------
    cardinality : int64 array, shape (n,)
    parent_start : int64 array, shape (n + 1,)
        The parents of variable ``v`` are at ``parent_start[v]`` to ``parent_start[v + 1]`` of the next two arrays.
    parent, stride : int64 arrays
        A parent's index, and how far one step of its state moves in the table.
    table_start : int64 array, shape (n,)
        Where the table of ``v`` begins in ``cumulative``.
    cumulative : float64 array
        Cumulative probabilities of each row; the last entry of a row is exactly 1.
    """

    cardinality: IntArray
    parent_start: IntArray
    parent: IntArray
    stride: IntArray
    table_start: IntArray
    cumulative: FloatArray

    @classmethod
    def from_tables(
        cls,
        variables: Sequence[str],
        parents: Mapping[str, Sequence[str]],
        tables: Mapping[str, FloatArray],
    ) -> CompiledSCM:
        """Flatten the tables; axes as in `CPT`."""
        number = {v: i for i, v in enumerate(variables)}
        parent_start, parent, stride = [0], [], list[int]()
        for v in variables:
            parent += [number[p] for p in parents[v]]
            shape = tables[v].shape
            stride += [prod(shape[i + 1 :]) for i in range(len(parents[v]))]
            parent_start.append(len(parent))
        cardinality = np.array([tables[v].shape[-1] for v in variables], dtype=np.int64)
        table_start = np.cumsum([0, *(tables[v].size for v in variables)])
        cumulative = np.concatenate([tables[v].ravel() for v in variables])
        states = np.repeat(cardinality, np.diff(table_start))
        for k in set(cardinality.tolist()):  # the rows of all variables with k states at once
            rows = np.cumsum(cumulative[states == k].reshape(-1, k), axis=1)
            rows[:, -1] = 1.0
            cumulative[states == k] = rows.ravel()
        return cls(
            cardinality=cardinality,
            parent_start=np.array(parent_start, dtype=np.int64),
            parent=np.array(parent, dtype=np.int64),
            stride=np.array(stride, dtype=np.int64),
            table_start=table_start[:-1],
            cumulative=cumulative,
        )


@inlined
def row_of(scm: CompiledSCM, variable: int, values: States) -> int:
    """Return where the row of ``variable`` given its parents' values begins in ``scm.cumulative``."""
    position = scm.table_start[variable]
    for i in range(scm.parent_start[variable], scm.parent_start[variable + 1]):
        position += scm.stride[i] * values[scm.parent[i]]
    return position  # type: ignore[no-any-return]


@kernel
def play_world(scm: CompiledSCM, uniforms: FloatArray, do: States, values: States) -> None:
    """Write into ``values`` the variables' states in the world ``uniforms`` under ``do``.

    Parameters
    ----------
    scm : CompiledSCM
    uniforms : float64 array, shape (n,)
    do : int8 array, shape (n,)
        The forced state, or -1.
    values : int8 array, shape (n,)
        Overwritten.
    """
    for variable in range(len(uniforms)):
        if do[variable] >= 0:
            values[variable] = do[variable]
        else:
            row, state = row_of(scm, variable, values), 0
            while uniforms[variable] >= scm.cumulative[row + state]:
                state += 1
            values[variable] = state


@jit
def sample_many(scm: CompiledSCM, uniforms: FloatArray, do: States) -> States:
    """Play many worlds, one per row of ``uniforms``, under one intervention."""
    values = np.empty(uniforms.shape, dtype=np.int8)
    for i in range(len(uniforms)):
        play_world(scm, uniforms[i], do, values[i])
    return values


@jit
def exact_means(scm: CompiledSCM, interventions: Assignments, target: int) -> FloatArray:
    """Compute E[target | do(assignment)] for each of ``interventions`` by summing over all joint states.

    The sum visits the variables up to ``target`` depth first and skips states of probability zero, which is fast for
    the small models of bandit problems (its cost grows with the number of joint states).

    Parameters
    ----------
    scm : CompiledSCM
    interventions : Assignments
    target : int
        The index of the variable whose state is averaged.

    Returns
    -------
    float64 array, shape (interventions,)
    """
    arms, do = len(interventions.start) - 1, np.full(scm.cardinality.size, -1, dtype=np.int8)
    depth = target + 1
    means = np.zeros(arms)
    values = np.zeros(scm.cardinality.size, dtype=np.int8)
    next_state = np.zeros(depth + 1, dtype=np.int64)
    mass = np.ones(depth + 1)  # mass[v]: probability of the chosen states of variables before v
    for arm in range(arms):
        force(interventions, arm, do)
        variable = 0
        next_state[0] = 0
        while variable >= 0:
            if variable == depth:
                means[arm] += mass[depth] * values[target]
                variable -= 1
                continue
            state = next_state[variable]
            if do[variable] >= 0:
                if state > 0:
                    variable -= 1
                    continue
                probability, values[variable] = 1.0, do[variable]
            else:
                if state == scm.cardinality[variable]:
                    variable -= 1
                    continue
                row = row_of(scm, variable, values)
                probability = scm.cumulative[row + state] - (scm.cumulative[row + state - 1] if state > 0 else 0.0)
                values[variable] = state
            next_state[variable] = state + 1
            if probability > 0.0:
                mass[variable + 1] = mass[variable] * probability
                variable += 1
                if variable < depth:
                    next_state[variable] = 0
        release(interventions, arm, do)
    return means
