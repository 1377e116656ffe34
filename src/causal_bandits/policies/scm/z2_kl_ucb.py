"""z2-kl-UCB (lee2019, Algorithm 3, lines 13 to 21): kl-UCB whose arms share samples through z2ID."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import check_numbers
from causal_bandits.compiled import loop
from causal_bandits.estimation.mvwa import observe
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds, blank
from causal_bandits.policies.classical.kl_ucb import Indices, exploration, largest_index, negative_entropy
from causal_bandits.policies.scm.helpers.z2 import Sharing, Z2Policy, proper


@dataclass(frozen=True)
class Z2KLUCB(Z2Policy):
    """kl-UCB on the arms' minimum-variance averages; the variance of an average gives its number of pulls.

    It plays the arms of the problem; those of lee2019 are the possibly-optimal ones. Every arm is played once first, in
    order. Arms whose averages agree in mean and variance are tied; ties are broken at random (ledger L05). The extras
    of a run are those of `Z2Thompson`.

    Parameters
    ----------
    c : float
        From 0 to 10; the constant of f(t) = ln t + c ln ln t, 3 in Algorithm 3; f(t) = 1 for t < 3 (ledger L04).
    """

    plays: ClassVar[type] = SCMBandit
    extras: ClassVar[tuple[str, ...]] = ("clipped", "borrowed")

    c: float = 3.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_numbers(self, c="[0, 10]")

    def run(self, bandit: SCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        sharing, indices = self.sharing(bandit), Indices.unknown(len(bandit.arms))  # line 14
        for world in rounds:
            arms, rewards = blank(rounds.size)
            clipped, borrowed = np.zeros(rounds.size, dtype=np.int64), np.empty(rounds.size)
            _play(arms, rewards, clipped, borrowed, world, sharing, indices, self.c, rng)
            rounds.record(arms, rewards, clipped=clipped, borrowed=borrowed)
        return {}


@loop
def _play(
    arms: IntArray,
    rewards: FloatArray,
    clipped: IntArray,
    borrowed: FloatArray,
    world: SCMWorld,
    sharing: Sharing,
    indices: Indices,
    c: float,
    rng: np.random.Generator,
) -> None:
    averages, mean, pulls = sharing.averages, indices.rate, indices.pulls
    n_arms = len(mean)
    for i in range(len(arms)):
        if world.first + i < n_arms:
            arms[i] = world.first + i  # line 15
        else:  # line 16
            total = 0.0
            for x in range(n_arms):
                mean[x], variance, changed = proper(averages.mean[x], averages.variance[x])  # line 17
                clipped[i] += changed
                pulls[x] = mean[x] * (1.0 - mean[x]) / variance  # line 18
                total += pulls[x]
                indices.entropy[x] = negative_entropy(mean[x])
            arms[i] = largest_index(exploration(total, c), indices, rng)  # lines 19, 20
        rewards[i] = play_round(world, i, arms[i])  # line 21
        observe(sharing.estimators, averages, sharing.method, arms[i], world.values, rewards[i], rng)
        indices.last[0] = arms[i]
        borrowed[i] = averages.borrowed.mean()
