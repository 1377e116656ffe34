"""C-TS (Lu, Meisami, Tewari & Yan 2020): Thompson sampling on the mean rewards of the parents' states.

Beside C-UCB (`causal_bandits.policies.scm.c_ucb_arms`), with the same cells and the same knowledge of P(z | do(a)). The
form for rewards that are not binary is left out: the reward of an SCM bandit is binary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import check_choice, check_numbers
from causal_bandits.compiled import jit
from causal_bandits.estimation.arm_cells import POOLS, ArmCells, arm_cells, cell_played
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.classical.thompson import Betas
from causal_bandits.policies.helpers.choice import largest


@dataclass(frozen=True)
class CTS:
    """C-TS: draw theta_z from the posterior of each E[Y | z], and play the arm with the largest sum.

    The sum of arm a is that over z of theta_z P(z | do(a)). One theta is drawn for every cell, also for one that no arm
    reaches; ties are broken at random (ledger L225).

    Parameters
    ----------
    cells : sequence of str, optional
        As for `causal_bandits.policies.scm.c_ucb_arms.CUCBArms`.
    pool : str
        As there; with ``none`` C-TS is Thompson sampling.
    prior_ones, prior_zeros : float
        > 0; the prior of every E[Y | z] is Beta(prior_ones, prior_zeros).
    """

    plays: ClassVar[type] = SCMBandit

    cells: tuple[str, ...] | None = None
    pool: str = "checked"
    prior_ones: float = 1.0
    prior_zeros: float = 1.0

    def __post_init__(self) -> None:
        check_choice("pool", self.pool, POOLS)
        check_numbers(self, prior_ones="(0, inf)", prior_zeros="(0, inf)")

    def run(self, bandit: SCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If ``cells`` names the reward or a variable that is not observed, or has too many joint states.
        """
        pooled = arm_cells(bandit, None if self.cells is None else tuple(self.cells), self.pool)
        size = pooled.cells.size
        posterior = Betas(np.full(size, float(self.prior_ones)), np.full(size, float(self.prior_zeros)))
        for world in rounds:
            rounds.record(*_play(world, pooled, posterior, rng))
        return {}


@jit
def _play(world: SCMWorld, pooled: ArmCells, posterior: Betas, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
    n, ones, zeros = len(world.uniforms), posterior.ones, posterior.zeros
    cell, weight = pooled.cells.cell, pooled.cells.weight
    arms, rewards = np.empty(n, dtype=np.int64), np.empty(n)
    theta, index = np.empty(len(ones)), np.empty(len(pooled.base))
    for i in range(n):
        for z in range(len(theta)):
            theta[z] = rng.beta(ones[z], zeros[z])  # step 1
        for a in range(len(index)):  # step 2
            index[a] = 0.0
            for k in range(cell.shape[2]):
                index[a] += weight[0, a, k] * theta[cell[0, a, k]]
        arm = largest(index, rng)  # step 3
        reward = play_round(world, i, arm)
        played = cell_played(pooled, arm, world.values)
        if reward:  # step 4
            ones[played] += 1
        else:
            zeros[played] += 1
        arms[i], rewards[i] = arm, reward
    return arms, rewards
