"""Discounted UCB (D-UCB) for rewards whose means change."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import check_numbers
from causal_bandits.compiled import jit, kernel, loop
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.classical.helpers.compiled_run import CompiledRun, means
from causal_bandits.policies.helpers.choice import largest


@dataclass(frozen=True)
class DiscountedUCB(CompiledRun[SCMBandit, SCMWorld]):
    """Play UCB on means that forget old rewards at a geometric rate.

    For rewards in [0, 1] whose means drift, or change slowly or seldom against 1 / (1 - discount) rounds. If they stay,
    it explores for ever: use `KLUCB`. `DiscountedThompson`, which has an example, often does better.

    The source's pseudo-code was not available; the steps are ours:

    1. Play an arm for which no reward counts: at first each arm once, in order.
    2. Otherwise play the arm with the largest index, its discounted mean plus 2 sqrt(xi log n / N), where N are the
       arm's discounted plays and n those of all arms. Ties are broken at random.
    3. Multiply all sums of rewards and plays by the discount, and add the new reward.

    Parameters
    ----------
    discount : float
        gamma, in (0, 1). For C changes in T rounds Garivier & Moulines have 1 - sqrt(C / T) / 4.
    xi : float
        > 0; above 1/2 they bound the regret, and 0.6 is what they play.

    References
    ----------
    Kocsis & Szepesvari 2006, "Discounted UCB"; the padding: Garivier & Moulines 2011, "On upper-confidence bound
    policies for switching bandit problems".
    """

    plays: ClassVar[type] = SCMBandit
    rewards: ClassVar[tuple[float, float]] = (0.0, 1.0)

    discount: float = 0.999
    xi: float = 0.6

    def __post_init__(self) -> None:
        check_numbers(self, discount="(0, 1)", xi="(0, inf)")

    def _play(
        self, arms: IntArray, rewards: FloatArray, world: SCMWorld, state: Discounted, rng: np.random.Generator
    ) -> None:
        _play(arms, rewards, world, state, self.discount, self.xi, rng)

    def start(self, arms: int) -> Discounted:
        """Return the state before the first round (see `causal_bandits.policies.base.IncrementalPolicy`)."""
        return Discounted(np.zeros(arms), np.zeros(arms), np.zeros(arms))

    def choose(self, state: Discounted, rng: np.random.Generator) -> int:
        """Choose an arm."""
        return int(_chosen(state, self.xi, rng))

    def learn(self, state: Discounted, arm: int, reward: float) -> None:
        """Learn from one reward, in [0, 1]."""
        learn(state, self.discount, arm, reward)

    def check(self, state: Discounted) -> None:
        """Raise a ValueError if this is no state that rewards lead to."""
        if not ((state.total >= 0) & (state.total <= state.pulls)).all():
            raise ValueError("learnt: expected 0 <= total <= pulls")

    def expectations(self, state: Discounted) -> FloatArray:
        """Return the arms' discounted means; NaN before the first reward."""
        return means(state.total, state.pulls)


class Discounted(NamedTuple):
    """Discounted sums of rewards and of plays, and memory for the indices.

    All are float64 arrays of shape (arms,).
    """

    total: FloatArray
    pulls: FloatArray
    indices: FloatArray


@kernel
def choose(state: Discounted, xi: float, rng: np.random.Generator) -> int:
    """Return the arm with the largest index, ties at random; an arm that no reward counts for comes first."""
    n = 0.0
    for a in range(len(state.pulls)):
        if state.pulls[a] == 0.0:  # step 1
            return a
        n += state.pulls[a]
    for a in range(len(state.pulls)):  # step 2
        pulls = state.pulls[a]
        state.indices[a] = state.total[a] / pulls + 2.0 * math.sqrt(xi * max(math.log(n), 0.0) / pulls)
    return largest(state.indices, rng)


@jit  # Python may not call a kernel with a generator
def _chosen(state: Discounted, xi: float, rng: np.random.Generator) -> int:
    return choose(state, xi, rng)


@kernel
def learn(state: Discounted, discount: float, arm: int, reward: float) -> None:
    """Discount what was learnt, and add one reward."""
    for a in range(len(state.pulls)):  # step 3
        state.total[a] *= discount
        state.pulls[a] *= discount
    state.total[arm] += reward
    state.pulls[arm] += 1.0


@loop
def _play(
    arms: IntArray,
    rewards: FloatArray,
    world: SCMWorld,
    state: Discounted,
    discount: float,
    xi: float,
    rng: np.random.Generator,
) -> None:
    for i in range(len(arms)):
        arms[i] = choose(state, xi, rng)
        rewards[i] = play_round(world, i, arms[i])
        learn(state, discount, arms[i], rewards[i])
