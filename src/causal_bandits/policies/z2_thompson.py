"""z2-TS (lee2019, Algorithm 3, lines 1 to 12): Thompson sampling whose arms share samples through z2ID."""

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
from causal_bandits.policies.z2 import Z2Policy, proper


@dataclass(frozen=True)
class Z2Thompson(Z2Policy):
    """Thompson sampling from Betas that match the arms' minimum-variance averages by moments.

    It plays the arms of the problem; those of lee2019 are the possibly-optimal ones. Two extras of a run are
    sums up to each round: ``clipped``, the pairs of a round and an arm whose average was not proper (ledger L13), and
    ``borrowed``, the weight of expressions beside the trivial estimator, averaged over arms.
    """

    plays: ClassVar[type] = SCMBandit

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
            estimators_of(problem),  # lines 2 to 4
            problem.interventions,
            problem.reward_index,
            horizon,
            METHODS[self.averaging],
            self.replicates,
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
    environment_rng: np.random.Generator,
    policy_rng: np.random.Generator,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    n_arms, n_variables = interventions.shape
    arms, rewards = np.empty(horizon, dtype=np.int64), np.empty(horizon)
    clipped, borrowed = np.empty(horizon), np.empty(horizon)
    averages = new_averages(estimators, method, replicates)  # line 5
    world, values = np.empty(n_variables), np.empty(n_variables, dtype=np.int8)
    improper, shared = 0, 0.0
    for t in range(horizon):  # line 6
        draw_world(environment_rng, world)
        arm, largest = 0, -1.0
        for x in range(n_arms):  # line 7
            mean, variance, changed = proper(averages.mean[x], averages.variance[x])  # line 8
            improper += changed
            weight = mean * (1.0 - mean) / variance - 1.0  # line 9: alpha + beta
            theta = policy_rng.beta(mean * weight, (1.0 - mean) * weight)  # line 10
            if theta > largest:  # line 11
                arm, largest = x, theta
        play_world(scm, world, interventions[arm], values)  # line 12
        observe(estimators, averages, method, arm, values, values[reward], policy_rng)
        arms[t], rewards[t], clipped[t] = arm, values[reward], improper
        shared += averages.borrowed.mean()
        borrowed[t] = shared
    return arms, rewards, clipped, borrowed
