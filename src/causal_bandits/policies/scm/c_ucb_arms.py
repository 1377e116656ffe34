"""C-UCB (Lu, Meisami, Tewari & Yan 2020) for arms that intervene on an SCM, without a context.

The index of an arm is the mean, under P(z | do(a)), of upper bounds on E[Y | z]; by default z are the states of the
reward's parents. So one round teaches something of all arms that reach the same z. P(z | do(a)) is known exactly: that
is knowledge, and more than the diagram. huang2022's C-UCB, for bandits with a context, is
`causal_bandits.policies.contextual.c_ucb`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import check_choice
from causal_bandits.compiled import jit
from causal_bandits.estimation.arm_cells import POOLS, ArmCells, arm_cells, cell_played, learn_cell
from causal_bandits.estimation.cells import CellMeans, no_rewards, upper_bounds
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.contextual.helpers.cell_ucb import CONFIDENCE, reward_scale
from causal_bandits.policies.helpers.choice import largest

#: The sigma for which rewards are taken to be sigma-sub-Gaussian; it is 1/2 for all rewards from 0 to 1.
WIDTHS = {"subgaussian": 1.0, "bounded": 0.5}


@dataclass(frozen=True)
class CUCBArms:
    """C-UCB: play the arm with the largest mean of upper confidence bounds, weighted by P(z | do(a)).

    The index of arm a is the sum over z of (mean_z + sigma sqrt(2 log(1/delta) / N_z)) P(z | do(a)). A cell z without
    rewards counts as one with mean 0 and N_z = 1. Ties are broken at random (ledger L225). Where the diagram does not
    say that all arms may share the cells, groups of arms have cells of their own (ledger L226).

    Parameters
    ----------
    cells : sequence of str, optional
        The variables whose joint states z are the cells. Default: the observed parents of the reward.
    confidence : str
        ``horizon``: delta = 1/T^2, so the horizon T is known; ``anytime``: delta = 1/t^2.
    width : str
        ``subgaussian``: sigma = 1, the source's; ``bounded``: sigma = 1/2, which is enough for rewards from 0 to 1.
    pool : str
        ``checked``: arms share cells where the diagram says that it is right; ``all``: all arms share them, as the
        source assumes; ``none``: every arm has one cell, which is UCB.
    """

    plays: ClassVar[type] = SCMBandit

    cells: tuple[str, ...] | None = None
    confidence: str = "horizon"
    width: str = "subgaussian"
    pool: str = "checked"

    def __post_init__(self) -> None:
        check_choice("confidence", self.confidence, CONFIDENCE)
        check_choice("width", self.width, WIDTHS)
        check_choice("pool", self.pool, POOLS)

    def run(self, bandit: SCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If ``cells`` names the reward or a variable that is not observed, or has too many joint states.
        """
        pooled = arm_cells(bandit, None if self.cells is None else tuple(self.cells), self.pool)
        means = no_rewards(pooled.cells, 0.0)
        scale = WIDTHS[self.width] * reward_scale(self.confidence, rounds.horizon)
        for world in rounds:
            rounds.record(*_play(world, pooled, means, scale, rng))
        return {}


@jit
def _play(
    world: SCMWorld, pooled: ArmCells, means: CellMeans, scale: FloatArray, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    n = len(world.uniforms)
    arms, rewards, index = np.empty(n, dtype=np.int64), np.empty(n), np.empty(len(pooled.base))
    for i in range(n):
        upper_bounds(means, 0, scale[world.first + i], index)  # step 1
        arm = largest(index, rng)  # step 2
        reward = float(play_round(world, i, arm))
        learn_cell(means, cell_played(pooled, arm, world.values), reward)  # step 3
        arms[i], rewards[i] = arm, reward
    return arms, rewards
