"""z2-kl-UCB (lee2019, Algorithm 3, lines 13 to 21): kl-UCB with arms that share samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import Constraints, Interval, constrained
from causal_bandits.compiled import inlined, loop
from causal_bandits.estimation.mvwa import observe
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds, blank
from causal_bandits.policies.classical.kl_ucb import Indices, exploration, largest_index, negative_entropy
from causal_bandits.policies.scm.helpers.z2 import Sharing, Z2Policy, proper


@dataclass(frozen=True)
@constrained
class Z2KLUCB(Z2Policy):
    """Play kl-UCB with arms that share samples through z2ID (z2-kl-UCB).

    Use it in place of `Z2Thompson`, at the same cost and with the same knowledge, if choices should not be random.

    Line numbers are those of lee2019, Algorithm 3:

    1. (line 14) Let z2ID find for each arm all expressions that give its mean in terms of rounds of other arms.
    2. (line 15) Play every arm once, in order.
    3. (lines 16 and 17) In every later round estimate each arm's mean by the minimum-variance weighted average of its
       expressions.
    4. (line 18) Convert that variance to a number of pulls: that many pulls of the arm alone would give the same
       variance. The sum of these numbers is used as t.
    5. (lines 19 and 20) Choose the arm with the largest index of `KLUCB` at these means, pulls and t; ties are broken
       at random (L05).
    6. (line 21) Play it, and update all expressions that use the round.

    Parameters
    ----------
    c : float
        The factor of ln ln t (L04).
    replicates, averaging, collections, tried, support, solver, tolerance
        As for `Z2Thompson`.

    Notes
    -----
    Extras are those of `Z2Thompson`. Without any expressions, it is `KLUCB` except as described in L72.

    References
    ----------
    Lee & Bareinboim 2019 (lee2019).
    """

    plays: ClassVar[type] = SCMBandit
    extras: ClassVar[tuple[str, ...]] = ("clipped", "borrowed")
    constraints: ClassVar[Constraints] = {"c": Interval(0, 10, "both")}

    c: float = 3.0

    def run(self, bandit: SCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        sharing, indices = self.sharing(bandit), Indices.unknown(len(bandit.arms))  # line 14
        for world in rounds:
            arms, rewards = blank(rounds.size)
            clipped, borrowed = np.zeros(rounds.size, dtype=np.int64), np.empty(rounds.size)
            _play(arms, rewards, clipped, borrowed, world, sharing, indices, self.c, rng)
            rounds.record(arms, rewards, clipped=clipped, borrowed=borrowed)
        return {}


@loop
def _play(
    arms: IntArray,
    rewards: FloatArray,
    clipped: IntArray,
    borrowed: FloatArray,
    world: SCMWorld,
    sharing: Sharing,
    indices: Indices,
    c: float,
    rng: np.random.Generator,
) -> None:
    averages, n_arms = sharing.averages, len(indices.rate)
    for i in range(len(arms)):
        if world.first + i < n_arms:
            arms[i] = world.first + i  # line 15
        else:  # line 16
            arms[i], clipped[i] = choose(averages.mean, averages.variance, indices, c, rng)
        rewards[i] = play_round(world, i, arms[i])  # line 21
        observe(sharing.estimators, averages, sharing.method, arms[i], world.values, rewards[i], rng)
        indices.last[0] = arms[i]
        borrowed[i] = averages.borrowed.mean()


@inlined
def choose(
    means: FloatArray, variances: FloatArray, indices: Indices, c: float, rng: np.random.Generator
) -> tuple[int, int]:
    """Return the arm with the largest index (lines 17 to 20), and how many averages were clipped."""
    mean, pulls = indices.rate, indices.pulls
    total, clipped = 0.0, 0
    for x in range(len(mean)):
        mean[x], variance, changed = proper(means[x], variances[x])  # line 17
        clipped += changed
        pulls[x] = mean[x] * (1.0 - mean[x]) / variance  # line 18
        total += pulls[x]
        indices.entropy[x] = negative_entropy(mean[x])
    return largest_index(exploration(total, c), indices, rng), clipped  # lines 19, 20
