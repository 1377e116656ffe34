"""Rounds whose arms are set beforehand: what they show is counted arm by arm."""

from __future__ import annotations

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import jit
from causal_bandits.models.glm_bandit import GLMWorld, play_round
from causal_bandits.policies.base import Rounds
from causal_bandits.policies.glm.helpers.best_arm import Tally
from causal_bandits.policies.helpers.agreeing_arms import shows


def follow(rounds: Rounds[GLMWorld], schedule: IntArray, tally: Tally, *, watching: bool) -> bool:
    """Play the arms of ``schedule``; return False if the horizon comes first.

    Parameters
    ----------
    rounds : Rounds
    schedule : int64 array, shape (rounds,)
        The arm of each round.
    tally : Tally
        What is counted is added to it.
    watching : bool
        Whether a round counts for all arms whose values it shows, not for the one that is played.
    """
    done = 0
    while done < len(schedule):
        if not rounds.left:
            return False
        world = rounds.take(len(schedule) - done)
        arms = schedule[done : done + rounds.size]
        rounds.record(arms, _play(world, arms, tally, watching))
        done += len(arms)
    return True


@jit
def _play(world: GLMWorld, arms: IntArray, tally: Tally, watching: bool) -> FloatArray:
    """Count each round for the arm played; while watching, for all arms whose values it shows."""
    rewards = np.empty(len(arms))
    for i in range(len(arms)):
        rewards[i] = play_round(world, i, arms[i])
        if not watching:
            tally.ones[arms[i]] += rewards[i]
            tally.pulls[arms[i]] += 1
            continue
        for a in range(len(tally.pulls)):
            if shows(world, a):
                tally.ones[a] += rewards[i]
                tally.pulls[a] += 1
    return rewards
