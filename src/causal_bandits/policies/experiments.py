"""Repeated play of one arm of a `SingleNodeBandit` while some variables are watched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_bandits.compiled import jit
from causal_bandits.models.single_node import SingleNodeBandit, SingleNodeWorld, play_round
from causal_bandits.policies.base import Rounds

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Sample(NamedTuple):
    """What was seen.

    Attributes
    ----------
    rounds : int
        How often the arm was played: as often as was wanted, or as rounds were left.
    mean : float
        Of the rewards; not a number if there was no round.
    frequencies : float64 array, shape (watched, most states of a variable)
        How often each watched variable took each state, divided by ``rounds``.
    """

    rounds: int
    mean: float
    frequencies: FloatArray


def repeat(
    bandit: SingleNodeBandit,
    rounds: Rounds[SingleNodeWorld],
    arm: int,
    times: int,
    watched: Sequence[int] = (),
) -> Sample:
    """Play ``arm`` ``times`` times, or until no round is left, and record it.

    Parameters
    ----------
    bandit : SingleNodeBandit
    rounds : Rounds
    arm, times : int
    watched : sequence of int
        Numbers of variables. A round costs as much as drawing them, the reward variables and their ancestors.
    """
    looked_at = bandit.looked_at(watched, arm)
    numbers = np.array(watched, dtype=np.int64)
    counts = np.zeros((len(numbers), int(bandit.scm.compiled.cardinality.max())), dtype=np.int64)
    total, played = 0.0, 0
    while played < times and rounds.left:
        world = rounds.take(times - played)
        rewards, total = _repeat(world, arm, looked_at, numbers, counts, total)
        rounds.record(np.full(len(rewards), arm), rewards)
        played += len(rewards)
    return Sample(played, total / played if played else np.nan, counts / max(played, 1))


@jit
def _repeat(
    world: SingleNodeWorld, arm: int, looked_at: IntArray, watched: IntArray, counts: IntArray, total: float
) -> tuple[FloatArray, float]:
    rewards = np.empty(len(world.key))
    for i in range(len(rewards)):
        rewards[i] = play_round(world, i, arm, looked_at)
        total += rewards[i]
        for w in range(len(watched)):
            counts[w, world.values[watched[w]]] += 1
    return rewards, total
