"""Bernoulli Thompson sampling (Thompson 1933; Chapelle & Li 2011), the base solver TS of lee2019."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import check_numbers
from causal_bandits.compiled import loop
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds, blank
from causal_bandits.policies.classical.helpers.beta_draws import ManyBetas, choose, many_betas, update

#: With more arms than this, few of the draws are made. The choices have the same distribution.
EACH_DRAWN = 64


@dataclass(frozen=True)
class Thompson:
    """Thompson sampling with a Beta(prior_ones, prior_zeros) prior on every arm's mean.

    Parameters
    ----------
    prior_ones, prior_zeros : float
        > 0; Beta(1, 1) is the uniform prior (ledger L15).
    """

    plays: ClassVar[type] = SCMBandit

    prior_ones: float = 1.0
    prior_zeros: float = 1.0

    def __post_init__(self) -> None:
        check_numbers(self, prior_ones="(0, inf)", prior_zeros="(0, inf)")

    def run(self, bandit: SCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        n = len(bandit.arms)
        posterior = Betas(np.full(n, float(self.prior_ones)), np.full(n, float(self.prior_zeros)))
        few = n > EACH_DRAWN and min(self.prior_ones, self.prior_zeros) >= 1
        many = many_betas(*posterior) if few else None
        played = 0
        for world in rounds:
            arms, rewards = blank(rounds.size)
            if many is None:
                _play(arms, rewards, world, posterior, rng)
            else:
                _play_many(arms, rewards, world, played, many, rng)
            played += len(arms)
            rounds.record(arms, rewards)
        return {}


class Betas(NamedTuple):
    """Beta(ones, zeros) of each arm's mean, float64 arrays of shape (arms,)."""

    ones: FloatArray
    zeros: FloatArray


@loop
def _play(arms: IntArray, rewards: FloatArray, world: SCMWorld, posterior: Betas, rng: np.random.Generator) -> None:
    ones, zeros = posterior.ones, posterior.zeros
    for i in range(len(arms)):  # line 6
        arm, largest = 0, -1.0
        for x in range(len(ones)):  # line 7
            theta = rng.beta(ones[x], zeros[x])  # line 10
            if theta > largest:  # line 11
                arm, largest = x, theta
        reward = play_round(world, i, arm)  # line 12
        if reward:
            ones[arm] += 1
        else:
            zeros[arm] += 1
        arms[i], rewards[i] = arm, reward


@loop
def _play_many(
    arms: IntArray, rewards: FloatArray, world: SCMWorld, played: int, posterior: ManyBetas, rng: np.random.Generator
) -> None:
    for i in range(len(arms)):
        arms[i] = choose(posterior, played + i, rng)  # lines 7, 10 and 11
        rewards[i] = play_round(world, i, arms[i])  # line 12
        update(posterior, arms[i], rewards[i])
