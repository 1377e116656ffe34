"""Successive Rejects for a fixed budget, with or without observations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray, States, plain_sum
from causal_bandits.checks import COUNT, Constraints, Interval, constrained
from causal_bandits.compiled import jit, kernel
from causal_bandits.estimation.sequential_adjustment import Counts, Sequences, compile_sequences, estimate, observe
from causal_bandits.models.glm_bandit import GLMBandit, GLMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.glm.helpers.best_arm import Exploring, Tally, concluded, observing_arm
from causal_bandits.policies.helpers.choice import pick_largest


@dataclass(frozen=True)
@constrained
class SuccessiveRejects:
    """Identify the best action in a fixed number of rounds by repeatedly dropping the worst.

    Use it for a given budget; to reach a given confidence, use `LUCB`. With ``watch`` it needs the graph.

    The steps are ours; ``watch``, with the estimates of `CCPEGeneral`, is new (L142):

    1. There are K - 1 phases for K actions. By the end of phase k, every remaining action should have n_k = ceil((T -
       K) / (logbar(K) (K + 1 - k))) plays, with logbar(K) = 1/2 + 1/2 + 1/3 + ... + 1/K.
    2. With ``watch``, play do() in that share of the phase's rounds; these observations are informative about all
       actions.
    3. Play the remaining actions in turn in the other rounds of the phase.
    4. Drop the action with the smallest estimate: its mean or, with ``watch``, the average of the estimates from plays
       and from observations, weighted by their numbers.
    5. The answer is the action that is left after the last phase.

    Parameters
    ----------
    budget : int
        T, at least the number of actions.
    watch : float
        0 is Successive Rejects as published.
    epsilon : float
        How far below the best a correct answer may be.

    References
    ----------
    Audibert et al. 2010.

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import SuccessiveRejects
    >>> from causal_bandits.problems import make
    >>> bandit = make("xiong2023/parallel", variables=2, effect=0.4)
    >>> run = play(SuccessiveRejects(budget=1000, watch=0.5), bandit, 20_000, generators(0, "example", seed=0))
    >>> bool(run.outcome["correct"])
    True
    """

    plays: ClassVar[type] = GLMBandit
    outcomes: ClassVar[tuple[str, ...]] = Exploring.outcomes
    constraints: ClassVar[Constraints] = {
        "budget": COUNT,
        "watch": Interval(0, 1, "left"),
        "epsilon": Interval(0, 1, "left"),
    }

    budget: int = 1000
    watch: float = 0.0
    epsilon: float = 0.0

    def run(self, bandit: GLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        If the horizon is below the budget, the run has no outcome.

        Raises
        ------
        ValueError
            If the budget is less than one round per arm, or ``watch`` > 0 and do() is not among the actions.
        """
        k = len(bandit.arms)
        if self.budget < k:
            raise ValueError(f"budget={self.budget}: expected at least one round for each of {k} arms")
        watched = _watched(bandit) if self.watch else None
        observing = observing_arm(bandit) if self.watch else 0
        tally, left, before = Tally.empty(k), np.ones(k, dtype=np.bool_), 0
        logbar = 0.5 + plain_sum(1 / i for i in range(2, k + 1))
        for phase in range(1, k):
            # step 1
            each = math.ceil((self.budget - k) / (logbar * (k + 1 - phase)))
            pulls, before = (each - before) * int(left.sum()), each
            looks = round(self.watch * pulls)  # step 2
            turns = np.flatnonzero(left)
            if (pulls - looks) % len(turns):  # some actions are played once more than others: which ones is random
                turns = rng.permutation(turns)
            schedule = np.concatenate([np.full(looks, observing), np.resize(turns, pulls - looks)])
            if not _follow(rounds, schedule, looks, tally, watched):  # step 3
                return {}
            means = -_means(tally, watched)
            means[~left] = -np.inf
            left[pick_largest(means, rng)] = False  # step 4
        # step 5
        return concluded(bandit, self.epsilon, int(np.flatnonzero(left)[0]), tally.pulls)


def _watched(bandit: GLMBandit) -> tuple[Sequences, Counts]:
    """Create counts for estimating a bandit's actions from observations."""
    return compile_sequences(bandit.glm.variables, list(bandit.arms), bandit.sequences)


def _follow(
    rounds: Rounds[GLMWorld],
    schedule: IntArray,
    looks: int,
    tally: Tally,
    watched: tuple[Sequences, Counts] | None,
) -> bool:
    """Play the arms of ``schedule``; return False if the horizon comes first.

    The first ``looks`` rounds count as observations.
    """
    done = 0
    while done < len(schedule):
        if not rounds.left:
            return False
        world = rounds.take(len(schedule) - done)
        arms = schedule[done : done + rounds.size]
        rewards, states = _play(world, arms, tally)
        if watched is not None:
            _count(*watched, states[: max(looks - done, 0)], rewards)
        rounds.record(arms, rewards)
        done += len(arms)
    return True


@jit
def _play(world: GLMWorld, arms: IntArray, tally: Tally) -> tuple[FloatArray, States]:
    rewards, states = np.empty(len(arms)), np.empty((len(arms), len(world.values)), dtype=np.int8)
    for i in range(len(arms)):
        rewards[i] = play_round(world, i, arms[i])
        states[i] = world.values
        tally.ones[arms[i]] += rewards[i]
        tally.pulls[arms[i]] += 1
    return rewards, states


@kernel
def _count(sequences: Sequences, counts: Counts, states: States, rewards: FloatArray) -> None:
    for i in range(len(states)):
        observe(sequences, counts, states[i], rewards[i])


def _means(tally: Tally, watched: tuple[Sequences, Counts] | None) -> FloatArray:
    """Return the estimate of every arm; 0 for an arm without pulls or observations."""
    seen = np.zeros((2, len(tally.pulls)))
    if watched is not None:
        seen[:] = np.transpose([estimate(*watched, a) for a in range(len(tally.pulls))])
    weight = tally.pulls + seen[1]
    return np.asarray((tally.ones + seen[0] * seen[1]) / np.maximum(weight, 1))
