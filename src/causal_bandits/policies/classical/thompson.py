"""Bernoulli Thompson sampling, the base solver TS of lee2019."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import POSITIVE, Constraints, constrained
from causal_bandits.compiled import inlined, loop
from causal_bandits.models.structural_bandit import StructuralBandit, World, play_round
from causal_bandits.policies.base import Outcome, Rounds, blank
from causal_bandits.policies.classical.helpers.beta_draws import ManyBetas, choose, many_betas, update

#: With more arms than this, only a few of the draws are made; choices have the same distribution as if all were made.
EACH_DRAWN = 64


@dataclass(frozen=True)
@constrained
class Thompson:
    """Play each arm with the probability that it is the best (Thompson sampling).

    The first thing to try for rewards of 0 and 1: it needs no graph. It learns about an arm only from the arm's own
    rewards; `Z2Thompson` shares samples between arms, and `GaussianThompson` is for other rewards. With a graph, play
    only the arms that can be best, ``bandit.with_arms("possibly_optimal")``.

    Line numbers are those of lee2019, Algorithm 3, without the lines for z2ID:

    1. (lines 6, 7 and 10) In every round draw a number for each arm from the Beta distribution of its mean.
    2. (line 11) Choose the arm with the largest draw.
    3. (line 12) Play it. A reward of 1 adds one to the ones of its Beta distribution, a reward of 0 to the zeros.

    Parameters
    ----------
    prior_ones, prior_zeros : float
        The prior of every mean. Beta(1, 1) is uniform (L15).

    Notes
    -----
    With more than 64 arms, far fewer draws are made than there are arms; the distribution of the choice is unaffected.

    References
    ----------
    Thompson 1933; Chapelle & Li 2011. It is the base solver TS of lee2019.

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import Thompson
    >>> from causal_bandits.problems import make
    >>> run = play(Thompson(), make("lee2019/frontdoor"), 1000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 100)
    True
    """

    plays: ClassVar[type] = StructuralBandit
    constraints: ClassVar[Constraints] = {"prior_ones": POSITIVE, "prior_zeros": POSITIVE}

    prior_ones: float = 1.0
    prior_zeros: float = 1.0

    def run(self, bandit: StructuralBandit[Any], rounds: Rounds[World[Any]], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        n = len(bandit.arms)
        posterior = Betas(np.full(n, float(self.prior_ones)), np.full(n, float(self.prior_zeros)))
        few = n > EACH_DRAWN and min(self.prior_ones, self.prior_zeros) >= 1
        many = many_betas(*posterior) if few else None
        played = 0
        for world in rounds:
            arms, rewards = blank(rounds.size)
            if many is None:
                _play(arms, rewards, world, posterior, rng)
            else:
                _play_many(arms, rewards, world, played, many, rng)
            played += len(arms)
            rounds.record(arms, rewards)
        return {}


class Betas(NamedTuple):
    """The posterior Beta(ones, zeros) of each arm's mean; float64 arrays of shape (arms,)."""

    ones: FloatArray
    zeros: FloatArray


@loop
def _play(arms: IntArray, rewards: FloatArray, world: World[Any], posterior: Betas, rng: np.random.Generator) -> None:
    ones, zeros = posterior.ones, posterior.zeros
    for i in range(len(arms)):  # line 6
        arm = largest_draw(ones, zeros, rng)
        reward = play_round(world, i, arm)  # line 12
        if reward:
            ones[arm] += 1
        else:
            zeros[arm] += 1
        arms[i], rewards[i] = arm, reward


@inlined
def largest_draw(ones: FloatArray, zeros: FloatArray, rng: np.random.Generator) -> int:
    """Return the arm with the largest draw (lines 7 to 11)."""
    arm, largest = 0, -1.0
    for x in range(len(ones)):  # line 7
        theta = rng.beta(ones[x], zeros[x])  # line 10
        if theta > largest:  # line 11
            arm, largest = x, theta
    return arm


@loop
def _play_many(
    arms: IntArray, rewards: FloatArray, world: World[Any], played: int, posterior: ManyBetas, rng: np.random.Generator
) -> None:
    for i in range(len(arms)):
        arms[i] = choose(posterior, played + i, rng)  # lines 7, 10 and 11
        rewards[i] = play_round(world, i, arms[i])  # line 12
        update(posterior, arms[i], rewards[i])
