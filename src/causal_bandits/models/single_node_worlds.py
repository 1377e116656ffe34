"""Worlds of a `SingleNodeBandit`, for compiled loops.

A round's world holds one random key. A variable's uniform number is a function of the key and the variable, so it is
fixed before an arm is chosen, and computed only if it is needed: the cost of a round is that of the reward variables,
the watched variables and the ancestors of both, not that of all variables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray, IntArray, States
from causal_bandits.compiled import inlined, jit, kernel
from causal_bandits.models.arms import Assignments, force, release
from causal_bandits.models.sampling import CompiledSCM, row_of

#: The number of rounds that `tally` draws together.
AT_ONCE = 64


class SingleNodeWorld(NamedTuple):
    """Some rounds of a single-node bandit, for compiled loops (see `play_round` and `tally`).

    Attributes
    ----------
    first : int
        The index of the first of these rounds in its run.
    scm : CompiledSCM
        Its variables are numbered in topological order, the bandit's in order of name.
    place : int64 array, shape (variables,)
        The index in the SCM of each of the bandit's variables.
    arms : Assignments
    causes : int64 array
        The indices in the SCM of the reward variables and their ancestors, in topological order.
    begin : int64 array, shape (variables,)
        For each of the SCM's variables: the index in ``causes`` of the first variable to draw if an arm sets this
        variable alone. On a path into the only reward variable, nothing before the variable that is set matters.
    certain : int8 array, shape (variables, states)
        For each of the SCM's variables and its states: the state of the only reward variable if an arm that sets this
        variable alone decides it, by setting it or because probabilities are 0 or 1 on a path into it; otherwise -1.
    rewarding : int64 array, shape (reward variables,)
        The indices in the SCM of the reward variables.
    mean : float64 array, shape (reward variables, states)
        The amount that each state of each reward variable adds to the mean reward.
    key : uint64 array, shape (rounds,)
    noise : float64 array, shape (rounds,)
        The noise added to each round's reward.
    forced, values : int8 arrays, shape (variables,)
        Workspace of `draw`: -1 everywhere between rounds; the states of the variables needed in the round drawn last.
    """

    first: int
    scm: CompiledSCM
    place: IntArray
    arms: Assignments
    causes: IntArray
    begin: IntArray
    certain: States
    rewarding: IntArray
    mean: FloatArray
    key: NDArray[np.uint64]
    noise: FloatArray
    forced: States
    values: States


@inlined
def _uniform(key: np.uint64, variable: int) -> float:
    """Return a variable's uniform number: entry ``variable`` of SplitMix64 with seed ``key``.

    Source: Steele, Lea & Flood 2014.
    """
    z = key + np.uint64(variable + 1) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * 2.0**-53


@inlined
def draw(world: SingleNodeWorld, i: int, arm: int, looked_at: IntArray, begin: int = 0) -> float:
    """Play ``arm`` in round ``i``, return the reward, and write states into ``world.values``.

    Parameters
    ----------
    world : SingleNodeWorld
    i, arm : int
    looked_at : int64 array
        The indices in the SCM of the variables to draw, in topological order: the reward variables, and the
        parents of all listed variables that the arm does not set.
    begin : int
        The index in ``looked_at`` of the first variable to draw.
    """
    scm, forced, values, key = world.scm, world.forced, world.values, world.key[i]
    force(world.arms, arm, forced)
    for position in range(begin, len(looked_at)):
        variable = looked_at[position]
        if forced[variable] >= 0:
            values[variable] = forced[variable]
        else:
            row, state, uniform = row_of(scm, variable, values), 0, _uniform(key, variable)
            while uniform >= scm.cumulative[row + state]:
                state += 1
            values[variable] = state
    release(world.arms, arm, forced)
    reward = world.noise[i]
    for r in range(len(world.rewarding)):
        reward += world.mean[r, values[world.rewarding[r]]]
    return reward  # type: ignore[no-any-return]


@inlined
def play_round(world: SingleNodeWorld, i: int, arm: int) -> float:
    """Play ``arm`` in round ``i`` of ``world`` and return the reward.

    Only the reward variables and their ancestors are drawn; none is if the arm makes the state of the only reward
    variable certain, for instance by setting it.
    """
    start, set_by_arm = world.arms.start[arm], world.arms.start[arm + 1] - world.arms.start[arm]
    if set_by_arm != 1:
        return draw(world, i, arm, world.causes)
    variable = world.arms.variable[start]
    certain = world.certain[variable, world.arms.state[start]]
    if certain >= 0:
        return world.noise[i] + world.mean[0, certain]  # type: ignore[no-any-return]
    return draw(world, i, arm, world.causes, world.begin[variable])


@jit
def tally(
    world: SingleNodeWorld, first: int, arm: int, watched: IntArray, counts: IntArray, rewards: FloatArray
) -> None:
    """Play ``arm`` in the rounds from ``first`` on, and count the states of the watched variables.

    Only the watched variables, the reward variables and the ancestors of both are drawn.

    Parameters
    ----------
    world : SingleNodeWorld
    first, arm : int
    watched : int64 array
        Indices of variables in the bandit's order.
    counts : int64 array, shape (watched, states)
        Added to.
    rewards : float64 array, shape (rounds,)
        Overwritten; its length is the number of rounds to play.
    """
    cut = world.arms.variable[world.arms.start[arm] : world.arms.start[arm + 1]]
    looked_at = ancestors(world.scm, np.concatenate((world.rewarding, world.place[watched])), cut)
    values = np.empty((len(world.forced), AT_ONCE), dtype=np.int8)
    row = np.empty(AT_ONCE, dtype=np.int64)
    force(world.arms, arm, world.forced)
    for begin in range(0, len(rewards), AT_ONCE):
        count = min(AT_ONCE, len(rewards) - begin)
        _draw_many(world, world.key[first + begin : first + begin + count], looked_at, values, row)
        for i in range(count):
            reward = world.noise[first + begin + i]
            for r in range(len(world.rewarding)):
                reward += world.mean[r, values[world.rewarding[r], i]]
            rewards[begin + i] = reward
        for w in range(len(watched)):
            for i in range(count):
                counts[w, values[world.place[watched[w]], i]] += 1
    release(world.arms, arm, world.forced)


@kernel
def _draw_many(
    world: SingleNodeWorld,
    key: NDArray[np.uint64],
    looked_at: IntArray,
    values: States,
    row: IntArray,
) -> None:
    """Draw many rounds as `draw` does, but variable by variable, which is faster.

    Parameters
    ----------
    world : SingleNodeWorld
        Its ``forced`` holds the states that the arm sets.
    key : uint64 array, shape (rounds,)
    looked_at : int64 array
    values : int8 array, shape (variables, at least rounds)
        Overwritten in the rows of the variables drawn.
    row : int64 array, shape (at least rounds,)
        Workspace.
    """
    scm, rounds = world.scm, len(key)
    for variable in looked_at:
        if world.forced[variable] >= 0:
            values[variable, :rounds] = world.forced[variable]
            continue
        row[:rounds] = scm.table_start[variable]
        for e in range(scm.parent_start[variable], scm.parent_start[variable + 1]):
            parent, stride = scm.parent[e], scm.stride[e]
            for i in range(rounds):
                row[i] += stride * values[parent, i]
        last = scm.cardinality[variable] - 1
        for i in range(rounds):
            uniform, state = _uniform(key[i], variable), 0
            for s in range(last):
                state += uniform >= scm.cumulative[row[i] + s]
            values[variable, i] = state


@jit
def ancestors(scm: CompiledSCM, targets: IntArray, cut: NDArray[np.int32]) -> IntArray:
    """Return the sorted indices of ``targets`` and of the ancestors reached without passing through ``cut``."""
    found = np.zeros(len(scm.cardinality), dtype=np.bool_)
    stack = np.empty(len(scm.cardinality), dtype=np.int64)
    for target in targets:
        depth = 0
        if not found[target]:
            found[target], stack[0], depth = True, target, 1
        while depth:
            depth -= 1
            variable = stack[depth]
            if (cut == variable).any():
                continue
            for e in range(scm.parent_start[variable], scm.parent_start[variable + 1]):
                parent = scm.parent[e]
                if not found[parent]:
                    found[parent] = True
                    stack[depth] = parent
                    depth += 1
    return np.flatnonzero(found)
