"""z2-TS (lee2019, Algorithm 3, lines 1 to 12): Thompson sampling with arms that share samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import kernel
from causal_bandits.estimation.mvwa import observe
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds, blank
from causal_bandits.policies.scm.helpers.z2 import Sharing, Z2Policy, proper


@dataclass(frozen=True)
class Z2Thompson(Z2Policy):
    """Thompson sampling from Betas that match the arms' minimum-variance averages by moments.

    It plays the arms of the problem; those of lee2019 are the possibly-optimal ones. A run has two extras, summed up to
    each round: ``clipped``, how many arms' averages were not proper (ledger L13), and ``borrowed``, the weight of the
    expressions beside the trivial estimator, averaged over arms.
    """

    plays: ClassVar[type] = SCMBandit
    extras: ClassVar[tuple[str, ...]] = ("clipped", "borrowed")

    def run(self, bandit: SCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        sharing = self.sharing(bandit)  # lines 2 to 5
        for world in rounds:
            arms, rewards = blank(rounds.size)
            clipped, borrowed = np.zeros(rounds.size, dtype=np.int64), np.empty(rounds.size)
            _play(arms, rewards, clipped, borrowed, world, sharing, rng)
            rounds.record(arms, rewards, clipped=clipped, borrowed=borrowed)
        return {}


@kernel
def _play(
    arms: IntArray,
    rewards: FloatArray,
    clipped: IntArray,
    borrowed: FloatArray,
    world: SCMWorld,
    sharing: Sharing,
    rng: np.random.Generator,
) -> None:
    averages = sharing.averages
    for i in range(len(arms)):  # line 6
        arms[i], largest = 0, -1.0
        for x in range(len(averages.mean)):  # line 7
            mean, variance, changed = proper(averages.mean[x], averages.variance[x])  # line 8
            clipped[i] += changed
            weight = mean * (1.0 - mean) / variance - 1.0  # line 9: alpha + beta
            theta = rng.beta(mean * weight, (1.0 - mean) * weight)  # line 10
            if theta > largest:  # line 11
                arms[i], largest = x, theta
        rewards[i] = play_round(world, i, arms[i])  # line 12
        observe(sharing.estimators, averages, sharing.method, arms[i], world.values, rewards[i], rng)
        borrowed[i] = averages.borrowed.mean()
