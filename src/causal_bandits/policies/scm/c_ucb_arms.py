"""C-UCB for arms that intervene on an SCM (with contexts: `causal_bandits.policies.contextual.c_ucb`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import Constraints, constrained
from causal_bandits.compiled import jit
from causal_bandits.estimation.cells import (
    POOLS,
    ArmCells,
    CellMeans,
    arm_cells,
    cell_played,
    learn_cell,
    no_rewards,
    upper_bounds,
)
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.contextual.helpers.cell_ucb import CONFIDENCE, reward_scale
from causal_bandits.policies.helpers.choice import largest

#: The sigma for which rewards are assumed to be sigma-sub-Gaussian; 1/2 is enough for all rewards from 0 to 1.
WIDTHS = {"subgaussian": 1.0, "bounded": 0.5}


@dataclass(frozen=True)
@constrained
class CUCBArms:
    """Play UCB with one mean reward per state of the reward's parents, shared between arms (C-UCB).

    Use it if you know P(z | do(a)), the distribution of the reward's parents z under each arm a, and there are many
    arms but few states z. It assumes that a state has the same mean reward under all arms, which fails if the reward
    and a variable that arms set share a hidden cause. `HACUCB` tests the assumption; `CTS` uses random draws instead of
    bounds.

    The paper's pseudo-code was not available; the steps are ours:

    1. The index of an arm is the sum over z of (mean_z + sigma sqrt(2 log(1/delta) / N_z)) P(z | do(a)). A state
       without rewards has mean_z = 0 and N_z = 1.
    2. Play the arm with the largest index; ties are broken at random (L225).
    3. Update the mean of the state that was seen.

    Parameters
    ----------
    cells : sequence of str, optional
        The variables whose joint states are the z. Default: the observed parents of the reward.
    confidence : str
        delta = 1/T^2, which needs the horizon T, or 1/t^2.
    width : str
        sigma = 1, as in the source, or 1/2, which is enough for rewards from 0 to 1.
    pool : str
        Which arms share the means of states: those for which the graph justifies it (L226); all, as the source assumes;
        or none, which gives UCB.

    References
    ----------
    Lu, Meisami, Tewari & Yan 2020.

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import CUCBArms
    >>> from causal_bandits.problems import make
    >>> run = play(CUCBArms(width="bounded"), make("lee2019/frontdoor"), 1000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 100)
    True
    """

    plays: ClassVar[type] = SCMBandit
    constraints: ClassVar[Constraints] = {"confidence": tuple(CONFIDENCE), "width": tuple(WIDTHS), "pool": POOLS}

    cells: tuple[str, ...] | None = None
    confidence: str = "horizon"
    width: str = "subgaussian"
    pool: str = "checked"

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
