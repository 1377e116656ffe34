"""Repeated play of one arm of a `SingleNodeBandit` while some variables are observed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.errors import CausalBanditsError
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.models.single_node_worlds import SingleNodeWorld, tally
from causal_bandits.policies.base import Rounds

#: What a policy does if the horizon ends before its search does: raise an error, or end the run without an outcome
#: (L177).
TOO_SHORT = ("refuse", "cut off")


class TooFewRoundsError(CausalBanditsError):
    """The horizon ended before the search did; the message says how often the search plays each arm."""


class Sample(NamedTuple):
    """The result of repeated play.

    Attributes
    ----------
    rounds : int
        How often the arm was played; fewer times than requested if the horizon came first.
    mean : float
        The mean reward; NaN if there were no rounds.
    frequencies : float64 array, shape (watched, states)
        The share of rounds in which each watched variable took each state.
    """

    rounds: int
    mean: float
    frequencies: FloatArray


def repeat(
    bandit: SingleNodeBandit,
    rounds: Rounds[SingleNodeWorld],
    arm: int,
    times: int,
    watched: Sequence[int] | IntArray = (),
) -> Sample:
    """Play and record ``arm`` ``times`` times, or until no rounds are left.

    Parameters
    ----------
    bandit : SingleNodeBandit
    rounds : Rounds
    arm, times : int
    watched : sequence of int
        Indices of the variables to observe. A round costs as much as drawing them, the reward variables and the
        ancestors of both.
    """
    numbers = np.array(watched, dtype=np.int64)
    counts = np.zeros((len(numbers), bandit.states), dtype=np.int64)
    drawn = []
    while times and rounds.left:
        world = rounds.take(times)
        rewards = np.empty(rounds.size)
        tally(world, 0, arm, numbers, counts, rewards)
        rounds.record(np.full(rounds.size, arm), rewards)
        drawn.append(rewards)
        times -= rounds.size
    rewards = np.concatenate([*drawn, []])
    return Sample(len(rewards), float(rewards.mean()) if drawn else np.nan, counts / max(len(rewards), 1))
