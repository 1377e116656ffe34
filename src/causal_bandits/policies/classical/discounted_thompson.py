"""Discounted Thompson sampling (dTS) for rewards of 0 and 1 whose means change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import check_numbers
from causal_bandits.compiled import jit, kernel, loop
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.classical.helpers.compiled_run import CompiledRun


@dataclass(frozen=True)
class DiscountedThompson(CompiledRun[SCMBandit, SCMWorld]):
    """Play Thompson sampling with counts that shrink in every round, for means that change.

    For rewards of 0 and 1 whose means change slowly or seldom against 1 / (1 - discount) rounds; if they stay, use
    `Thompson`. `DiscountedUCB` has a bound on regret, this has none.

    The source's pseudo-code was not available; the steps are ours:

    1. Draw a number for each arm from the Beta distribution of its discounted counts plus the prior.
    2. Play the arm with the largest draw.
    3. Multiply the counts of all arms by the discount, and add the new reward. An arm that is not played returns to the
       prior, and is tried again.

    Parameters
    ----------
    discount : float
        gamma, in (0, 1]; with 1 it is Thompson sampling.
    prior_ones, prior_zeros : float
        > 0; Beta(1, 1) is the uniform prior.

    Notes
    -----
    A reward between 0 and 1 counts as that share of a success. `OnlineBandit` takes it too.

    References
    ----------
    Raj & Kalyani 2017, "Taming non-stationary bandits: a Bayesian approach".

    Examples
    --------
    The better arm changes after 2,000 rounds.

    >>> import numpy as np
    >>> from causal_bandits import OnlineBandit
    >>> from causal_bandits.policies import DiscountedThompson
    >>> bandit, rng = OnlineBandit(DiscountedThompson(discount=0.99), ["red", "green"]), np.random.default_rng(0)
    >>> for t in range(3000):
    ...     arm = bandit.act()
    ...     bandit.update(arm, float(rng.random() < ((0.8, 0.4) if t < 2000 else (0.2, 0.4))[arm]))
    >>> bool(bandit.expectations()[0] < bandit.expectations()[1])
    True
    """

    plays: ClassVar[type] = SCMBandit
    rewards: ClassVar[tuple[float, float]] = (0.0, 1.0)

    discount: float = 0.999
    prior_ones: float = 1.0
    prior_zeros: float = 1.0

    def __post_init__(self) -> None:
        check_numbers(self, discount="(0, 1]", prior_ones="(0, inf)", prior_zeros="(0, inf)")

    def _play(
        self, arms: IntArray, rewards: FloatArray, world: SCMWorld, state: Counts, rng: np.random.Generator
    ) -> None:
        _play(arms, rewards, world, state, self.discount, self.prior_ones, self.prior_zeros, rng)

    def start(self, arms: int) -> Counts:
        """Return the state before the first round (see `causal_bandits.policies.base.IncrementalPolicy`)."""
        return Counts(np.zeros(arms), np.zeros(arms))

    def choose(self, state: Counts, rng: np.random.Generator) -> int:
        """Choose an arm."""
        return int(_chosen(state, self.prior_ones, self.prior_zeros, rng))

    def learn(self, state: Counts, arm: int, reward: float) -> None:
        """Learn from one reward; one between 0 and 1 counts as that share of a success.

        The source draws a coin that shows a success with this probability. The counts then have the same means.
        """
        learn(state, self.discount, arm, reward)

    def check(self, state: Counts) -> None:
        """Raise a ValueError if this is no state that rewards lead to."""
        if (state.ones < 0).any() or (state.zeros < 0).any():
            raise ValueError("learnt: expected ones and zeros >= 0")

    def expectations(self, state: Counts) -> FloatArray:
        """Return the arms' posterior means."""
        ones, zeros = state.ones + self.prior_ones, state.zeros + self.prior_zeros
        return np.asarray(ones / (ones + zeros))


class Counts(NamedTuple):
    """Discounted numbers of rewards of 1 and of 0, float64 arrays of shape (arms,)."""

    ones: FloatArray
    zeros: FloatArray


@kernel
def choose(state: Counts, prior_ones: float, prior_zeros: float, rng: np.random.Generator) -> int:
    """Return the arm with the largest draw."""
    arm, largest = 0, -1.0
    for x in range(len(state.ones)):
        theta = rng.beta(state.ones[x] + prior_ones, state.zeros[x] + prior_zeros)  # step 1
        if theta > largest:  # step 2
            arm, largest = x, theta
    return arm


@jit  # Python may not call a kernel with a generator
def _chosen(state: Counts, prior_ones: float, prior_zeros: float, rng: np.random.Generator) -> int:
    return choose(state, prior_ones, prior_zeros, rng)


@kernel
def learn(state: Counts, discount: float, arm: int, reward: float) -> None:
    """Discount the counts of all arms, and add one reward."""
    for x in range(len(state.ones)):  # step 3
        state.ones[x] *= discount
        state.zeros[x] *= discount
    state.ones[arm] += reward
    state.zeros[arm] += 1.0 - reward


@loop
def _play(
    arms: IntArray,
    rewards: FloatArray,
    world: SCMWorld,
    state: Counts,
    discount: float,
    prior_ones: float,
    prior_zeros: float,
    rng: np.random.Generator,
) -> None:
    for i in range(len(arms)):
        arms[i] = choose(state, prior_ones, prior_zeros, rng)
        rewards[i] = play_round(world, i, arms[i])
        learn(state, discount, arms[i], rewards[i])
