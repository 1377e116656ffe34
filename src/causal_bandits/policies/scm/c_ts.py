"""C-TS: Thompson sampling on the mean rewards of the states of the reward's parents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import POSITIVE, Constraints, constrained
from causal_bandits.compiled import jit
from causal_bandits.estimation.cells import POOLS, ArmCells, arm_cells, cell_played
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.classical.thompson import Betas
from causal_bandits.policies.helpers.choice import largest


@dataclass(frozen=True)
@constrained
class CTS:
    """Play Thompson sampling with one mean reward per state of the reward's parents, shared between arms (C-TS).

    Its requirements and assumptions are those of `CUCBArms`.

    The paper's pseudo-code was not available; the steps are ours:

    1. Draw a mean reward theta_z for each state z of the reward's parents from its Beta distribution.
    2. The index of an arm is the sum over z of theta_z P(z | do(arm)).
    3. Play the arm with the largest index; ties are broken at random (L225).
    4. Count the reward among the ones or the zeros of the state that was seen.

    Parameters
    ----------
    cells, pool
        As for `CUCBArms`; with ``pool="none"`` it is Thompson sampling.
    prior_ones, prior_zeros : float
        Beta(1, 1) is the uniform prior.

    Notes
    -----
    The source's version for rewards other than 0 and 1 is not implemented.

    References
    ----------
    Lu, Meisami, Tewari & Yan 2020.
    """

    plays: ClassVar[type] = SCMBandit
    constraints: ClassVar[Constraints] = {"pool": POOLS, "prior_ones": POSITIVE, "prior_zeros": POSITIVE}

    cells: tuple[str, ...] | None = None
    pool: str = "checked"
    prior_ones: float = 1.0
    prior_zeros: float = 1.0

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
