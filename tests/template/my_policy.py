"""MyPolicy: epsilon-greedy, for your algorithm to replace; name its paper, algorithm and equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import Constraints, Interval, constrained
from causal_bandits.compiled import loop
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds, blank
from causal_bandits.policies.helpers.choice import largest


@dataclass(frozen=True)
@constrained
class MyPolicy:
    """Play every arm once, then the arm with the best mean so far, or with probability ``exploration`` any arm.

    Parameters
    ----------
    exploration : float
        The probability that an arm is drawn uniformly.
    """

    plays: ClassVar[type] = SCMBandit
    constraints: ClassVar[Constraints] = {"exploration": Interval(0, 1, "both")}

    exploration: float = 0.1

    def run(self, bandit: SCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        plays, means = np.zeros(len(bandit.arms)), np.zeros(len(bandit.arms))
        for world in rounds:  # some rounds at a time
            arms, rewards = blank(rounds.size)
            _play(arms, rewards, world, plays, means, self.exploration, rng)
            rounds.record(arms, rewards)
        return {}


@loop  # compiled: it fills the arrays that it is given and makes none
def _play(
    arms: IntArray,
    rewards: FloatArray,
    world: SCMWorld,
    plays: FloatArray,
    means: FloatArray,
    exploration: float,
    rng: np.random.Generator,
) -> None:
    before = int(plays.sum())
    for i in range(len(arms)):
        if before + i < len(means):
            arm = before + i
        elif rng.random() < exploration:
            arm = int(rng.random() * len(means))
        else:
            arm = largest(means, rng)  # of several equal ones, a random one
        reward = play_round(world, i, arm)
        plays[arm] += 1
        means[arm] += (reward - means[arm]) / plays[arm]
        arms[i], rewards[i] = arm, reward
