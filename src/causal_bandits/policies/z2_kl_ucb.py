"""z2-kl-UCB (lee2019, Algorithm 3, lines 13 to 21): kl-UCB whose arms share samples through z2ID."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from causal_bandits.compiled import jit
from causal_bandits.estimation.compiled_expressions import CompiledEstimators
from causal_bandits.estimation.mvwa import METHODS, new_averages, observe
from causal_bandits.estimation.of_bandit import estimators_of
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.sampling import CompiledSCM, draw_world, play_world
from causal_bandits.policies.base import Run
from causal_bandits.policies.kl_ucb import exploration, largest_index, negative_entropy
from causal_bandits.policies.z2 import Z2Policy, proper


@dataclass(frozen=True)
class Z2KLUCB(Z2Policy):
    """kl-UCB with the arms' minimum-variance averages, and as many plays as their variances are worth.

    It plays the arms of the problem; those of lee2019 are the possibly-optimal ones. Every arm is played once first, in
    order; arms whose averages agree in mean and variance tie, and ties are broken at random (ledger L05).
    Extras of a run as in `Z2Thompson`.

    Parameters
    ----------
    c : float
        From 0 to 10; the constant of f(t) = ln t + c ln ln t, 3 in Algorithm 3; f(t) = 1 for t < 3 (ledger L04).
    """

    plays: ClassVar[type] = SCMBandit

    c: float = 3.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.c <= 10:
            raise ValueError(f"c={self.c}: must be from 0 to 10")

    def run(
        self,
        problem: SCMBandit,
        horizon: int,
        environment_rng: np.random.Generator,
        policy_rng: np.random.Generator,
    ) -> Run:
        """Play ``horizon`` rounds (see `causal_bandits.policies.base.Policy`)."""
        arms, rewards, clipped, borrowed = _play(
            problem.scm.compiled,
            estimators_of(problem),  # line 14
            problem.interventions,
            problem.reward_index,
            horizon,
            METHODS[self.averaging],
            self.replicates,
            self.c,
            environment_rng,
            policy_rng,
        )
        return Run(arms, rewards, problem.regrets(arms), {"clipped": clipped, "borrowed": borrowed})


@jit
def _play(
    scm: CompiledSCM,
    estimators: CompiledEstimators,
    interventions: NDArray[np.int8],
    reward: int,
    horizon: int,
    method: int,
    replicates: int,
    c: float,
    environment_rng: np.random.Generator,
    policy_rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    n_arms, n_variables = interventions.shape
    arms, rewards = np.empty(horizon, dtype=np.int64), np.empty(horizon)
    clipped, borrowed = np.empty(horizon), np.empty(horizon)
    averages = new_averages(estimators, method, replicates)  # line 14
    mean, plays = np.empty(n_arms), np.empty(n_arms)
    entropy, index = np.empty(n_arms), np.zeros(n_arms)
    world, values = np.empty(n_variables), np.empty(n_variables, dtype=np.int8)
    arm, improper, shared = 0, 0, 0.0
    for t in range(horizon):
        draw_world(environment_rng, world)
        if t < n_arms:
            arm = t  # line 15
        else:  # line 16
            total = 0.0
            for x in range(n_arms):
                mean[x], variance, changed = proper(averages.mean[x], averages.variance[x])  # line 17
                improper += changed
                plays[x] = mean[x] * (1.0 - mean[x]) / variance  # line 18
                total += plays[x]
                entropy[x] = negative_entropy(mean[x])
            arm = largest_index(exploration(total, c), arm, mean, plays, entropy, index, policy_rng)  # lines 19, 20
        play_world(scm, world, interventions[arm], values)  # line 21
        observe(estimators, averages, method, arm, values, values[reward], policy_rng)
        arms[t], rewards[t], clipped[t] = arm, values[reward], improper
        shared += averages.borrowed.mean()
        borrowed[t] = shared
    return arms, rewards, clipped, borrowed
