"""HAC-UCB: C-UCB until the data contradict it, then UCB."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import Constraints, constrained
from causal_bandits.compiled import jit
from causal_bandits.estimation.cells import POOLS, ArmCells, CellMeans, arm_cells, cell_played, learn_cell, no_rewards
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.helpers.choice import TIE, largest

#: How much the tests are loosened: not at all, or by `paper_slack`.
SLACKS = ("none", "paper")
#: Which of several arms with the same largest index is played.
TIES = ("random", "first")


def exploring_rounds(arms: int, horizon: int) -> int:
    """Return the number of rounds of exploration.

    It is K round(sqrt(T) / K + 1) for K arms, with halves rounded to even.
    """
    return arms * round(math.sqrt(horizon) / arms + 1)


def paper_slack(arms: int, cells: int, horizon: int) -> float:
    """Return s = sqrt(K |Z| log T) / T^(1/4); if s >= 1, no test can fail, because rewards lie in [0, 1].

    The formula comes from an account of the paper, not from the paper itself (ledger L228).

    Parameters
    ----------
    arms, cells, horizon : int
        K, the number of joint states |Z|, and T.
    """
    return math.sqrt(arms * cells * math.log(horizon)) / math.pow(horizon, 0.25)


@dataclass(frozen=True)
@constrained
class HACUCB:
    """Play C-UCB until the data contradict its assumption, then UCB (HAC-UCB).

    Use it instead of `CUCBArms` if you do not trust that algorithm's assumption. It needs P(z | do(a)) and the horizon
    T, and explores all arms first: do not use it for short horizons.

    The paper's pseudo-code was not available; the steps are ours, based on its equations:

    1. Play all K arms in turn, each round(sqrt(T)/K + 1) times.
    2. In every later round compute two confidence intervals for each arm's mean, with half-widths sqrt(log(T) / n) for
       n rewards: one from the arm's own rewards, and C-UCB's, averaged over the states of the reward's parents.
    3. If the two intervals of some arm do not overlap, permanently stop trusting the states.
    4. Play the arm with the largest upper bound: from the states while they are trusted, from its own rewards
       afterwards.
    5. Update the arm's own mean and, while the states are trusted, the mean of the state that was seen.

    Parameters
    ----------
    cells : sequence of str, optional
        As for `CUCBArms`.
    ties : str
        Which of several tied arms is played; this affects how late the policy switches (L227).
    slack : str
        Whether the tests are loosened by `paper_slack`, in case P(z | do(a)) is known only approximately (L228).
    pool : str
        As for `CUCBArms`. With ``checked`` no test should fail.

    Notes
    -----
    The outcome ``switched`` is the number of rounds before the switch; it is absent if there was no switch.

    References
    ----------
    Bilodeau, Wang & Roy 2022.

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import HACUCB
    >>> from causal_bandits.problems import make
    >>> run = play(HACUCB(), make("lee2019/frontdoor"), 1000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 100)
    True
    """

    plays: ClassVar[type] = SCMBandit
    outcomes: ClassVar[tuple[str, ...]] = ("switched",)
    constraints: ClassVar[Constraints] = {"ties": TIES, "slack": SLACKS, "pool": POOLS}

    cells: tuple[str, ...] | None = None
    ties: str = "random"
    slack: str = "none"
    pool: str = "all"

    def run(self, bandit: SCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        If the horizon is shorter than the exploration, the run ends during the exploration.

        Raises
        ------
        ValueError
            If ``cells`` names the reward or a variable that is not observed, or has too many joint states.
        """
        k, horizon = len(bandit.arms), rounds.horizon
        pooled = arm_cells(bandit, None if self.cells is None else tuple(self.cells), self.pool)
        settings = Settings(
            exploring_rounds(k, horizon),
            math.sqrt(math.log(horizon)),
            paper_slack(k, pooled.cells.size, horizon) if self.slack == "paper" else 0.0,
            self.ties == "first",
        )
        means = no_rewards(pooled.cells, 0.0)
        state = State(pooled, means, np.zeros(k, dtype=np.int64), np.zeros(k), np.full(1, -1))
        for world in rounds:
            rounds.record(*_play(world, state, settings, rng))
        switched = int(state.switched[0])
        return {} if switched < 0 else {"switched": float(switched)}


class Settings(NamedTuple):
    """The settings of a run, which stay fixed.

    Attributes
    ----------
    exploring : int
        The number of rounds of exploration.
    scale : float
        An interval from n rewards has half-width scale / sqrt(n).
    slack : float
    first : bool
        Whether ties go to the first arm.
    """

    exploring: int
    scale: float
    slack: float
    first: bool


class State(NamedTuple):
    """The state of a run.

    Attributes
    ----------
    pooled : ArmCells
    means : CellMeans
        N_z and m_z.
    pulls, mean : arrays, shape (arms,)
        n_a and m_a.
    switched : int64 array, shape (1,)
        The number of rounds before the switch, or -1.
    """

    pooled: ArmCells
    means: CellMeans
    pulls: IntArray
    mean: FloatArray
    switched: IntArray


@jit
def _play(world: SCMWorld, state: State, settings: Settings, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
    n, n_arms = len(world.uniforms), len(state.pulls)
    arms, rewards = np.empty(n, dtype=np.int64), np.empty(n)
    own, causal = np.empty(n_arms), np.empty(n_arms)
    for i in range(n):
        t = world.first + i
        if t < settings.exploring:
            arm = t % n_arms  # step 1
        else:
            if not _indices(state, settings, own, causal) and state.switched[0] < 0:
                state.switched[0] = t  # step 3
            index = causal if state.switched[0] < 0 else own
            arm = _first(index) if settings.first else largest(index, rng)  # step 4
        reward = float(play_round(world, i, arm))
        if state.switched[0] < 0:  # step 5
            learn_cell(state.means, cell_played(state.pooled, arm, world.values), reward)
        state.pulls[arm] += 1
        state.mean[arm] += (reward - state.mean[arm]) / state.pulls[arm]
        arms[i], rewards[i] = arm, reward
    return arms, rewards


@jit
def _indices(state: State, settings: Settings, own: FloatArray, causal: FloatArray) -> bool:
    """Write U_a and C_a of every arm; return whether the two intervals overlap for every arm."""
    cells, means, passed = state.pooled.cells, state.means, True
    for a in range(len(own)):
        width, estimate, wide = settings.scale / np.sqrt(state.pulls[a]), 0.0, 0.0
        for k in range(cells.cell.shape[2]):
            z, p = cells.cell[0, a, k], cells.weight[0, a, k]
            estimate += p * means.mean[z]
            wide += p * settings.scale * means.width[z]
        own[a], causal[a] = state.mean[a] + width, estimate + wide  # step 2
        if own[a] - causal[a] > 2 * width + settings.slack or causal[a] - own[a] > 2 * wide + settings.slack:
            passed = False
    return passed


@jit
def _first(index: FloatArray) -> int:
    """Return the position of the first entry within `TIE` of the largest."""
    bound = index.max() - TIE
    a = 0
    while index[a] < bound:
        a += 1
    return a
