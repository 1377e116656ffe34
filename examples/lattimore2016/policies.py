"""Algorithm 1 of Lattimore, Lattimore & Reid (2016), and two of the three that it is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import inlined, loop
from causal_bandits.models.glm_bandit import GLMBandit, GLMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds, blank
from causal_bandits.policies.glm.helpers.best_arm import observing_arm
from causal_bandits.policies.glm.successive_rejects import SuccessiveRejects
from causal_bandits.policies.helpers.choice import largest, pick_largest


@dataclass(frozen=True)
class ParallelCausal:
    """Observe for half of the rounds, then play the arms that were rarely seen (Algorithm 1).

    1. Play do() for T/2 rounds. Each round counts for every arm do(Xi = x) whose value was seen.
    2. Find the m arms that were seen least, where m is the smallest number for which the next arm was seen in a share
       of at least 1 / (m + 1) of these rounds.
    3. Share the other T/2 rounds among these m arms; only these rounds count for them.
    4. Answer with the arm that has the largest mean; ties are broken at random.

    Where the paper's words leave step 2 or 3 open, this is the authors' code.
    """

    plays: ClassVar[type] = GLMBandit
    outcomes: ClassVar[tuple[str, ...]] = ("answer",)

    def run(self, bandit: GLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run."""
        ones, seen = np.zeros(len(bandit.arms)), np.zeros(len(bandit.arms))
        half = rounds.horizon // 2
        follow(np.full(half, observing_arm(bandit)), rounds, ones, seen, everywhere=True)  # step 1
        order = np.lexsort((rng.random(len(seen)), seen))
        m = int(np.argmax(seen[order] / half >= 1 / np.arange(1, len(seen) + 1)))  # step 2
        rare = order[:m]
        ones[rare] = seen[rare] = 0
        follow(np.repeat(rare, half // m), rounds, ones, seen, everywhere=False)  # step 3
        return {"answer": pick_largest(ones / seen, rng)}  # step 4


def follow(schedule: IntArray, rounds: Rounds[GLMWorld], ones: FloatArray, seen: FloatArray, everywhere: bool) -> None:
    """Play the arms of ``schedule``; a round counts for its arm, or for all arms that agree with what was seen."""
    while len(schedule):
        world = rounds.take(len(schedule))
        arms, rewards = schedule[: rounds.size], np.empty(rounds.size)
        _follow(arms, rewards, world, ones, seen, everywhere)
        rounds.record(arms, rewards)
        schedule = schedule[rounds.size :]


@loop
def _follow(
    arms: IntArray, rewards: FloatArray, world: GLMWorld, ones: FloatArray, seen: FloatArray, everywhere: bool
) -> None:
    for i in range(len(arms)):
        rewards[i] = play_round(world, i, arms[i])
        for a in range(len(seen)):
            if _agrees(world, a) if everywhere else a == arms[i]:
                ones[a] += rewards[i]
                seen[a] += 1


@inlined
def _agrees(world: GLMWorld, arm: int) -> bool:
    same = True
    for entry in range(world.arms.start[arm], world.arms.start[arm + 1]):
        same = same and world.values[world.arms.variable[entry]] == world.arms.state[entry]
    return same


@dataclass(frozen=True)
class Rejects:
    """Play Successive Rejects with the horizon as its budget."""

    plays: ClassVar[type] = GLMBandit
    outcomes: ClassVar[tuple[str, ...]] = SuccessiveRejects.outcomes

    def run(self, bandit: GLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run."""
        return SuccessiveRejects(rounds.horizon).run(bandit, rounds, rng)


@dataclass(frozen=True)
class UCB:
    """Play every arm once, then the one with the largest mean + sqrt(alpha log(t) / (2 N)); ties at random."""

    plays: ClassVar[type] = GLMBandit

    alpha: float = 2.0

    def run(self, bandit: GLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run."""
        ones, pulls, index = (np.zeros(len(bandit.arms)) for _ in range(3))
        for world in rounds:
            arms, rewards = blank(rounds.size)
            _ucb(arms, rewards, world, ones, pulls, index, self.alpha, rng)
            rounds.record(arms, rewards)
        return {}


@loop
def _ucb(
    arms: IntArray,
    rewards: FloatArray,
    world: GLMWorld,
    ones: FloatArray,
    pulls: FloatArray,
    index: FloatArray,
    alpha: float,
    rng: np.random.Generator,
) -> None:
    for i in range(len(arms)):
        t = world.first + i
        if t >= len(index):
            for a in range(len(index)):
                index[a] = ones[a] / pulls[a] + np.sqrt(alpha * np.log(t) / (2 * pulls[a]))
        arms[i] = t if t < len(index) else largest(index, rng)
        rewards[i] = play_round(world, i, arms[i])
        ones[arms[i]] += rewards[i]
        pulls[arms[i]] += 1
