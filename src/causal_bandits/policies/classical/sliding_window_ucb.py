"""Sliding-window UCB (SW-UCB) for rewards whose means change abruptly."""

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
class SlidingWindowUCB(CompiledRun[SCMBandit, SCMWorld]):
    """Play UCB on the last rounds alone, for means that change abruptly.

    For rewards in [0, 1] if few changes fall into a window. If the means stay, it explores for ever: use `KLUCB`. For
    means that drift use `DiscountedThompson`, which has an example.

    The source's pseudo-code was not available; the steps are ours:

    1. Play an arm without a play in the window: at first each arm once, in order.
    2. Otherwise play the arm with the largest index, its mean in the window plus sqrt(xi log min(t, tau) / N), where N
       are the arm's plays in the window. Ties are broken at random.
    3. Drop the round that is tau rounds old.
    4. Add the new one.

    Parameters
    ----------
    window : int
        tau >= 1, more than there are arms. For C changes in T rounds the source has 2 sqrt(T log T / C).
    xi : float
        > 0; above 1/2 the source bounds the regret, and 0.6 is what it plays.

    References
    ----------
    Garivier & Moulines 2011, as for `DiscountedUCB`.
    """

    plays: ClassVar[type] = SCMBandit
    rewards: ClassVar[tuple[float, float]] = (0.0, 1.0)

    window: int = 1000
    xi: float = 0.6

    def __post_init__(self) -> None:
        check_numbers(self, window="integer in [1, inf)", xi="(0, inf)")

    def _play(
        self, arms: IntArray, rewards: FloatArray, world: SCMWorld, state: Window, rng: np.random.Generator
    ) -> None:
        _play(arms, rewards, world, state, self.xi, rng)

    def start(self, arms: int) -> Window:
        """Return the state before the first round (see `causal_bandits.policies.base.IncrementalPolicy`).

        Raises
        ------
        ValueError
            If the window cannot show every arm.
        """
        if self.window <= arms:
            raise ValueError(f"window={self.window}: {arms} arms; expected more rounds than arms")
        last = np.zeros(int(self.window), dtype=np.int64)
        clock = np.zeros(1, dtype=np.int64)
        return Window(np.zeros(arms), np.zeros(arms), np.zeros(arms), last, np.zeros(int(self.window)), clock)

    def choose(self, state: Window, rng: np.random.Generator) -> int:
        """Choose an arm."""
        return int(_chosen(state, self.xi, rng))

    def learn(self, state: Window, arm: int, reward: float) -> None:
        """Learn from one reward, in [0, 1]."""
        learn(state, arm, reward)

    def check(self, state: Window) -> None:
        """Raise a ValueError if this is no state that rewards lead to."""
        clock, arms = int(state.clock[0]), len(state.pulls)
        shown = state.arm[: max(clock, 0)]
        if (
            clock < 0
            or not ((shown >= 0) & (shown < arms)).all()
            or (np.bincount(shown, minlength=arms) != state.pulls).any()
        ):
            raise ValueError(
                "learnt: expected a clock >= 0, arms that there are, and as many pulls as the window shows"
            )

    def expectations(self, state: Window) -> FloatArray:
        """Return the arms' means in the window; NaN where it does not show them."""
        return means(state.total, state.pulls)


class Window(NamedTuple):
    """The last rounds, and what they add up to.

    Attributes
    ----------
    total, pulls, indices : float64 arrays, shape (arms,)
        Sums of rewards and of plays in the window, and memory for the indices.
    arm : int64 array, shape (window,)
    reward : float64 array, shape (window,)
        The rounds of the window; round t stands at t modulo its length.
    clock : int64 array, shape (1,)
        The number of rounds so far.
    """

    total: FloatArray
    pulls: FloatArray
    indices: FloatArray
    arm: IntArray
    reward: FloatArray
    clock: IntArray


@kernel
def choose(state: Window, xi: float, rng: np.random.Generator) -> int:
    """Return the arm with the largest index, ties at random, or one that the window does not show."""
    for a in range(len(state.pulls)):
        if state.pulls[a] == 0.0:  # step 1
            return a
    width = xi * math.log(min(state.clock[0], len(state.arm)))
    for a in range(len(state.pulls)):  # step 2
        state.indices[a] = state.total[a] / state.pulls[a] + math.sqrt(width / state.pulls[a])
    return largest(state.indices, rng)


@jit  # Python may not call a kernel with a generator
def _chosen(state: Window, xi: float, rng: np.random.Generator) -> int:
    return choose(state, xi, rng)


@kernel
def learn(state: Window, arm: int, reward: float) -> None:
    """Let the oldest round fall out of the window, and add one."""
    place = state.clock[0] % len(state.arm)
    if state.clock[0] >= len(state.arm):  # step 3
        old = state.arm[place]
        state.pulls[old] -= 1.0
        state.total[old] = state.total[old] - state.reward[place] if state.pulls[old] > 0.0 else 0.0
    state.arm[place], state.reward[place] = arm, reward  # step 4
    state.total[arm] += reward
    state.pulls[arm] += 1.0
    state.clock[0] += 1


@loop
def _play(
    arms: IntArray, rewards: FloatArray, world: SCMWorld, state: Window, xi: float, rng: np.random.Generator
) -> None:
    for i in range(len(arms)):
        arms[i] = choose(state, xi, rng)
        rewards[i] = play_round(world, i, arms[i])
        learn(state, arms[i], rewards[i])
