"""Bernoulli Thompson sampling (Thompson 1933; Chapelle & Li 2011), the base solver TS of lee2019."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from causal_bandits.compiled import jit
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.sampling import CompiledSCM, draw_world, play_world
from causal_bandits.policies.base import Run


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
        if self.prior_ones <= 0 or self.prior_zeros <= 0:
            raise ValueError(f"prior_ones={self.prior_ones}, prior_zeros={self.prior_zeros}: both must be > 0")

    def run(
        self,
        problem: SCMBandit,
        horizon: int,
        environment_rng: np.random.Generator,
        policy_rng: np.random.Generator,
    ) -> Run:
        """Play ``horizon`` rounds (see `causal_bandits.policies.base.Policy`)."""
        arms, rewards = _play(
            problem.scm.compiled,
            problem.interventions,
            problem.reward_index,
            horizon,
            self.prior_ones,
            self.prior_zeros,
            environment_rng,
            policy_rng,
        )
        return Run(arms, rewards, problem.regrets(arms))


@jit
def _play(
    scm: CompiledSCM,
    interventions: NDArray[np.int8],
    reward: int,
    horizon: int,
    prior_ones: float,
    prior_zeros: float,
    environment_rng: np.random.Generator,
    policy_rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    n_arms, n_variables = interventions.shape
    arms, rewards = np.empty(horizon, dtype=np.int64), np.empty(horizon)
    ones, zeros = np.full(n_arms, prior_ones), np.full(n_arms, prior_zeros)
    world, values = np.empty(n_variables), np.empty(n_variables, dtype=np.int8)
    for t in range(horizon):
        draw_world(environment_rng, world)
        arm, largest = 0, -1.0
        for x in range(n_arms):
            theta = policy_rng.beta(ones[x], zeros[x])
            if theta > largest:
                arm, largest = x, theta
        play_world(scm, world, interventions[arm], values)
        if values[reward]:
            ones[arm] += 1
        else:
            zeros[arm] += 1
        arms[t], rewards[t] = arm, values[reward]
    return arms, rewards
