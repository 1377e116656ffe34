"""Gaussian Thompson sampling on all arms of a `SingleNodeBandit`.

Only a few of the draws are made; the choice has the same distribution as if all were made (`sparse_draws`). An arm's
draw is m + s Z and its quantile m + s a, so the draw exceeds the quantile if Z > a.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtri

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import FINITE, POSITIVE, Constraints, constrained
from causal_bandits.compiled import inlined, kernel, loop
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.models.single_node_worlds import SingleNodeWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds, blank
from causal_bandits.policies.classical.helpers.sparse_draws import Share, contender, following, share_beyond, skipped
from causal_bandits.policies.classical.helpers.tournament import rematch, tournament


@dataclass(frozen=True)
@constrained
class GaussianThompson:
    """Play Thompson sampling for Gaussian rewards whose noise is known.

    A baseline for many arms: a round makes far fewer draws than there are arms. It needs the standard deviation of the
    noise.

    This is the source's Algorithm 2; the numbering of the steps is ours:

    1. Draw a mean for each arm from its normal posterior, and choose the arm with the largest draw.
    2. Play it.
    3. Update the arm's posterior: precisions add up, and its mean and the reward are averaged with the precisions as
       weights.

    Parameters
    ----------
    prior_mean : float
        The mean of the prior of every arm's mean, 0 in the source (L126).
    prior_sd : float
        Its standard deviation, 1 in the source.

    References
    ----------
    Agrawal & Goyal 2017, Algorithm 2.

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import GaussianThompson
    >>> from causal_bandits.problems import make
    >>> run = play(GaussianThompson(), make("lu2021/figure1"), 5000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 500)
    True
    """

    plays: ClassVar[type] = SingleNodeBandit
    constraints: ClassVar[Constraints] = {"prior_mean": FINITE, "prior_sd": POSITIVE}

    prior_mean: float = 0.0
    prior_sd: float = 1.0

    def run(self, bandit: SingleNodeBandit, rounds: Rounds[SingleNodeWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If rewards have no noise.
        """
        if bandit.reward_sd <= 0:
            raise ValueError("rewards have no noise: expected sd > 0")
        n = bandit.empty
        beyond = threshold(n)
        mean, sd = np.full(n, float(self.prior_mean)), np.full(n, float(self.prior_sd))
        most = mean + beyond.a * sd
        posterior = Posterior(mean, sd, most, tournament(most), np.full(n, -1, dtype=np.int64))
        for world in rounds:
            arms, rewards = blank(rounds.size)
            _play(arms, rewards, world, posterior, beyond, bandit.reward_sd, rng)
            rounds.record(arms, rewards)
        return {}


class Threshold(NamedTuple):
    """The threshold a, and the probabilities that follow from it.

    Attributes
    ----------
    a : float
    share : Share
        The probability p that a standard normal variable exceeds a.
    """

    a: float
    share: Share


def threshold(arms: int) -> Threshold:
    """Return the threshold for ``arms`` arms (`share_beyond`)."""
    share = share_beyond(arms)
    return Threshold(float(-ndtri(share.p)), share)


class Posterior(NamedTuple):
    """The posterior of the arms' means.

    Attributes
    ----------
    mean, sd, most : float64 arrays, shape (arms,)
        N(mean, sd^2), and mean + a sd.
    winners : int64 array
        The tournament tree of ``most``.
    beyond : int64 array, shape (arms,)
        The last round in which the arm's Z exceeded a; -1 before the first.
    """

    mean: FloatArray
    sd: FloatArray
    most: FloatArray
    winners: IntArray
    beyond: IntArray


@loop
def _play(
    arms: IntArray,
    rewards: FloatArray,
    world: SingleNodeWorld,
    posterior: Posterior,
    threshold: Threshold,
    noise: float,
    rng: np.random.Generator,
) -> None:
    mean, sd, most = posterior.mean, posterior.sd, posterior.most
    for i in range(len(arms)):
        arm = choose(posterior, threshold, world.first + i, rng)  # step 1
        rewards[i] = play_round(world, i, arm)  # step 2
        arms[i] = arm
        precision = sd[arm] ** -2 + noise**-2  # step 3
        mean[arm] = (mean[arm] * sd[arm] ** -2 + rewards[i] * noise**-2) / precision
        sd[arm] = precision**-0.5
        most[arm] = mean[arm] + threshold.a * sd[arm]
        rematch(most, posterior.winners, arm)


@inlined
def choose(posterior: Posterior, threshold: Threshold, t: int, rng: np.random.Generator) -> int:
    """Return the arm with the largest draw in round ``t``; no two rounds may have the same ``t``."""
    mean, sd, most, winners = posterior.mean, posterior.sd, posterior.most, posterior.winners
    chosen, largest = -1, -math.inf
    arm = skipped(threshold.share, rng)
    while arm < len(mean):
        posterior.beyond[arm] = t
        draw = mean[arm] + sd[arm] * _tail(threshold.a, rng)
        if draw > largest:
            chosen, largest = arm, draw
        arm += 1 + skipped(threshold.share, rng)
    leaf = contender(most, winners, largest, 1)
    while leaf:
        arm = leaf - len(winners) // 2
        if posterior.beyond[arm] != t:
            z = rng.standard_normal()
            while z > threshold.a:
                z = rng.standard_normal()
            if mean[arm] + sd[arm] * z > largest:
                chosen, largest = arm, mean[arm] + sd[arm] * z
        leaf = contender(most, winners, largest, following(leaf))
    return chosen


@kernel
def _tail(a: float, rng: np.random.Generator) -> float:
    """Draw a standard normal number given that it exceeds ``a`` > 0 (Marsaglia 1964)."""
    while True:
        z = math.sqrt(a * a - 2.0 * math.log(1.0 - rng.random()))
        if rng.random() * z <= a:
            return z
