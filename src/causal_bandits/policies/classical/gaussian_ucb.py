"""UCB for 1-sub-Gaussian rewards on the arms of a `SingleNodeBandit`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import POSITIVE, Constraints, constrained
from causal_bandits.compiled import loop
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.models.single_node_worlds import SingleNodeWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds, blank
from causal_bandits.policies.classical.helpers.tournament import rematch, runner_up, tournament

#: Which arms are played: all nK interventions on single nodes, or those on the reward variables, for an oracle.
ARMS = ("all", "reward")


def chosen_arms(bandit: SingleNodeBandit, arms: str) -> IntArray:
    """Return the indices of the arms that an entry of `ARMS` selects.

    With several reward variables, ``reward`` selects the arms that set all of them at once.
    """
    if arms == "all":
        return np.arange(bandit.empty)
    lengths = np.diff(bandit.arms.compiled.start)
    together = min(bandit.together, len(bandit.rewards))
    return np.array([a for a in np.flatnonzero(lengths == together) if set(bandit.arms[a]) <= set(bandit.rewards)])


@dataclass(frozen=True)
@constrained
class GaussianUCB:
    """Play UCB for Gaussian rewards on all arms, or on those of the variable that decides the reward.

    A baseline for 1-sub-Gaussian rewards and a known horizon T. With ``arms="reward"`` it is the oracle that is told
    which variable decides the reward. With more arms than rounds it only tries new arms; `CNUCB` and `RAPS` find the
    variable first.

    This is the source's Algorithm 3 and lu2021's stage 3; the numbering of the steps is ours:

    1. Play every arm once, in random order.
    2. In every later round play the arm with the largest index.
    3. Update its index: its mean plus sqrt(2 log(1/delta) / N) after N plays. No other index changes, so a round takes
       time logarithmic in the number of arms.

    Parameters
    ----------
    arms : str
        All arms, or only those on the variable that decides the reward.
    exponent : float
        delta = 1/T^exponent (L125). The source's regret bound uses 2; 1 gives UCB1's radius, sqrt(2 log T / N).

    References
    ----------
    Lattimore & Szepesvári 2020, Algorithm 3.

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import GaussianUCB
    >>> from causal_bandits.problems import make
    >>> policies, bandit = (GaussianUCB(arms="reward"), GaussianUCB()), make("lu2021/figure1")
    >>> oracle, learner = (play(policy, bandit, 5000, generators(0, "example", seed=0)) for policy in policies)
    >>> bool(oracle.regrets.sum() < learner.regrets.sum())
    True
    """

    plays: ClassVar[type] = SingleNodeBandit
    constraints: ClassVar[Constraints] = {"arms": ARMS, "exponent": POSITIVE}

    arms: str = "all"
    exponent: float = 2.0

    def run(self, bandit: SingleNodeBandit, rounds: Rounds[SingleNodeWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        play_ucb(chosen_arms(bandit, self.arms), rounds, rng, self.exponent)
        return {}


class Indices(NamedTuple):
    """The state of UCB.

    Attributes
    ----------
    total, value : float64 arrays, shape (arms,)
        The sum of rewards, and the index; indices are used once all arms have been played.
    pulls : int64 array, shape (arms,)
    winners : int64 array
        The tournament tree of the indices.
    """

    total: FloatArray
    value: FloatArray
    pulls: IntArray
    winners: IntArray


def play_ucb(arms: IntArray, rounds: Rounds[SingleNodeWorld], rng: np.random.Generator, exponent: float = 2.0) -> None:
    """Play UCB on ``arms`` in all remaining rounds; T is the number of these rounds.

    Parameters
    ----------
    arms : int64 array
        Indices of the bandit's arms, at least one.
    rounds : Rounds
    rng : numpy.random.Generator
        For the order in which the arms are first played, which also breaks ties.
    exponent : float
        See `GaussianUCB`.
    """
    n = len(arms)
    arms, unknown = rng.permutation(arms), np.full(n, -np.inf)
    indices = Indices(np.zeros(n), unknown, np.zeros(n, dtype=np.int64), tournament(unknown))
    scale, t = math.sqrt(2 * exponent * math.log(max(rounds.left, 1))), 0
    for world in rounds:
        played, rewards = blank(rounds.size)
        _play(played, rewards, world, arms, indices, scale, t)
        rounds.record(played, rewards)
        t += len(played)


@loop
def _play(
    played: IntArray,
    rewards: FloatArray,
    world: SingleNodeWorld,
    arms: IntArray,
    indices: Indices,
    scale: float,
    t: int,
) -> None:
    n, i = len(played), 0
    while i < n:
        # step 2
        a, next_best = indices.winners[1], runner_up(indices.value, indices.winners)
        if t + i < len(arms):  # step 1
            a, next_best = t + i, np.inf
        total, pulls = indices.total[a], indices.pulls[a]
        while True:  # the same arm, as long as its index is the largest: no other index changes meanwhile
            rewards[i] = play_round(world, i, arms[a])
            played[i] = arms[a]
            total += rewards[i]
            pulls += 1
            value = total / pulls + scale / math.sqrt(pulls)  # step 3
            i += 1
            if i == n or value <= next_best:
                break
        indices.total[a], indices.pulls[a], indices.value[a] = total, pulls, value
        rematch(indices.value, indices.winners, a)
