"""Thompson sampling for normal rewards with unknown means and variances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import Constraints, Interval, constrained
from causal_bandits.compiled import jit, kernel, loop
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.models.single_node_worlds import SingleNodeWorld, play_round
from causal_bandits.policies.base import IncrementalPolicy, Outcome, Rounds, blank


@dataclass(frozen=True)
@constrained
class NormalThompson(IncrementalPolicy):
    """Play Thompson sampling that learns each arm's mean and variance; rewards may be any real numbers.

    Use it for unbounded rewards whose spread is unknown, such as revenue or time. If the noise is known, use
    `GaussianThompson`. Do not use it if single rewards can dominate a mean. The unit of the rewards does not affect the
    choices.

    The source's pseudo-code was not available; the steps are ours:

    1. Play every arm max(2, 3 - floor(2 alpha)) times, always choosing the arm with the fewest rewards.
    2. In later rounds, if an arm's rewards are all equal, use the pooled spread of all arms' rewards for it. Otherwise
       an arm whose first rewards are all 0 would never be played again.
    3. Draw each arm's mean from its posterior, m plus sqrt(S / (n nu)) times a t-distributed number with nu = n + 2
       alpha - 1 degrees of freedom, where m is the mean of its n rewards and S the sum of their squared deviations.
       Play the arm with the largest draw.
    4. Update n, m and S with the reward.

    Parameters
    ----------
    alpha : float
        The prior of mean and variance is (sigma^2)^(-1 - alpha), uniform if alpha = -1. The
        source proves that the algorithm is not asymptotically optimal for alpha >= 0.

    References
    ----------
    Honda & Takemura 2014, "Optimality of Thompson sampling for Gaussian bandits depends on priors".

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import NormalThompson
    >>> from causal_bandits.problems import make
    >>> run = play(NormalThompson(), make("lu2021/figure1"), 5000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 1000)
    True
    """

    plays: ClassVar[type] = SingleNodeBandit
    #: Squares of larger rewards could overflow.
    rewards: ClassVar[tuple[float, float]] = (-1e100, 1e100)
    constraints: ClassVar[Constraints] = {"alpha": Interval(-100, 0, "left")}

    alpha: float = -1.0

    def run(  # type: ignore[override]
        self, bandit: SingleNodeBandit, rounds: Rounds[SingleNodeWorld], rng: np.random.Generator
    ) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        state = self.start(bandit.empty)  # without do(), the last arm
        for world in rounds:
            arms, rewards = blank(rounds.size)
            _play(arms, rewards, world, state, self.alpha, rng)
            rounds.record(arms, rewards)
        return {}

    def start(self, arms: int) -> Moments:
        """Return the state before the first round (see `causal_bandits.policies.base.IncrementalPolicy`)."""
        return Moments(np.zeros(arms), np.zeros(arms), np.zeros(arms))

    def choose(self, state: Moments, rng: np.random.Generator) -> int:
        """Choose an arm."""
        return int(_chosen(state, self.alpha, rng))

    def learn(self, state: Moments, arm: int, reward: float) -> None:
        """Learn from one reward."""
        learn(state, arm, reward)

    def expectations(self, state: Moments) -> FloatArray:
        """Return the arms' mean rewards; NaN before an arm's first reward."""
        return np.where(state.pulls > 0, state.mean, np.nan)


class Moments(NamedTuple):
    """Each arm's number of rewards, their mean and their sum of squared deviations.

    All are float64 arrays of shape (arms,).
    """

    pulls: FloatArray
    mean: FloatArray
    squares: FloatArray


@kernel
def choose(state: Moments, alpha: float, rng: np.random.Generator) -> int:
    """Return the arm with the largest draw, or the one with the fewest rewards if it has too few."""
    fewest, squares, pulls = 0, 0.0, 0.0
    for a in range(len(state.pulls)):
        if state.pulls[a] < state.pulls[fewest]:
            fewest = a
        squares += state.squares[a]
        pulls += state.pulls[a] - 1.0
    if state.pulls[fewest] < max(2.0, 3.0 - math.floor(2.0 * alpha)):  # step 1
        return fewest
    arm, largest = 0, -math.inf
    for a in range(len(state.pulls)):
        n, deviations = state.pulls[a], state.squares[a]
        if deviations <= 0.0:  # step 2
            deviations = n * squares / pulls
        degrees = n + 2.0 * alpha - 1.0
        t = rng.standard_normal() / math.sqrt(2.0 * rng.standard_gamma(degrees / 2.0) / degrees)
        draw = state.mean[a] + t * math.sqrt(deviations / (n * degrees))  # step 3
        if draw > largest:
            arm, largest = a, draw
    return arm


@jit  # Python cannot call a kernel with a generator
def _chosen(state: Moments, alpha: float, rng: np.random.Generator) -> int:
    return choose(state, alpha, rng)


@kernel
def learn(state: Moments, arm: int, reward: float) -> None:
    """Add one reward to the arm's moments (Welford 1962)."""
    state.pulls[arm] += 1.0  # step 4
    before = reward - state.mean[arm]
    state.mean[arm] += before / state.pulls[arm]
    state.squares[arm] += before * (reward - state.mean[arm])


@loop
def _play(
    arms: IntArray,
    rewards: FloatArray,
    world: SingleNodeWorld,
    state: Moments,
    alpha: float,
    rng: np.random.Generator,
) -> None:
    for i in range(len(arms)):
        arms[i] = choose(state, alpha, rng)
        rewards[i] = play_round(world, i, arms[i])
        learn(state, arms[i], rewards[i])
