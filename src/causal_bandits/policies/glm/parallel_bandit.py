"""The parallel bandit algorithm for a fixed budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import check_numbers
from causal_bandits.models.glm_bandit import GLMBandit, GLMWorld
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.glm.helpers.best_arm import Exploring, Tally, concluded, observing_arm
from causal_bandits.policies.glm.helpers.schedule import follow
from causal_bandits.policies.helpers.choice import pick_largest


@dataclass(frozen=True)
class ParallelBandit:
    """Name the best action after a fixed number of rounds: watch, then play what was rarely seen.

    Use it if the causes of the reward are independent and share no hidden cause with it: the mean reward of do(X = x)
    is then that of the rounds in which X is x, so watching shows most actions for nothing. do() must be among the
    actions. `GeneralBandit` allows causes that depend on each other.

    The paper's pseudo-code was not available. It is Algorithm 1 in the steps of the first author's code (L219):

    1. Play do() for half of the budget. A round counts for every action whose value it shows.
    2. Find the rare actions: those that were seen too seldom for the number of such actions.
    3. Play the rare actions equally often in the other half, and use these rounds in place of what was watched of them.
    4. Name the action with the largest mean; ties are broken at random.

    Parameters
    ----------
    budget : int
        T >= 2. Rounds that equal shares leave over are not played.
    epsilon : float
        In [0, 1), how far below the best a correct answer may be.
    reuse : bool
        Whether what was watched of a rare action counts beside its plays (L220).

    References
    ----------
    Lattimore, Lattimore & Reid 2016, "Causal Bandits: Learning Good Interventions via Causal Inference" (arXiv
    1606.03203).

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import ParallelBandit
    >>> from causal_bandits.problems import make
    >>> bandit = make("xiong2023/parallel", variables=2, effect=0.4)
    >>> run = play(ParallelBandit(budget=1000), bandit, 20_000, generators(0, "example", seed=0))
    >>> bool(run.outcome["correct"])
    True
    """

    plays: ClassVar[type] = GLMBandit
    outcomes: ClassVar[tuple[str, ...]] = Exploring.outcomes

    budget: int = 1000
    epsilon: float = 0.0
    reuse: bool = False

    def __post_init__(self) -> None:
        check_numbers(self, budget="integer in [2, inf)", epsilon="[0, 1)")

    def run(self, bandit: GLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        If the horizon is below the budget, the run has no outcome.

        Raises
        ------
        ValueError
            If do() is not among the actions.
        """
        k, half, null = len(bandit.arms), self.budget // 2, observing_arm(bandit)
        seen, own = Tally.empty(k), Tally.empty(k)
        if not follow(rounds, np.full(half, null), seen, watching=True):  # step 1
            return {}
        rare = rare_actions(seen.pulls / half, rng)  # step 2
        each = half // max(len(rare), 1)
        if not follow(rounds, np.repeat(rare, each), own, watching=False):  # step 3
            return {}
        if not self.reuse:
            seen.ones[rare], seen.pulls[rare] = 0, 0
        count = seen.pulls + own.pulls
        means = np.where(count > 0, (seen.ones + own.ones) / np.maximum(count, 1), -np.inf)
        own.pulls[null] += half
        return concluded(bandit, self.epsilon, int(pick_largest(means, rng)), own.pulls)  # step 4


def rare_actions(frequencies: FloatArray, rng: np.random.Generator) -> IntArray:
    """Return the actions that are too rarely seen, the rarest first.

    Of the frequencies in ascending order, p_(0) <= p_(1) <= ..., the first m are rare, m being the first index k with
    p_(k) >= 1 / (k + 1). Actions seen equally often stand in random order (L219).

    Parameters
    ----------
    frequencies : float64 array, shape (actions,)
        The probability, or the share of rounds, in which do() shows an action's values; do()'s own is 1.
    rng : numpy.random.Generator

    Examples
    --------
    >>> rare_actions(np.array([1.0, 0.5, 0.5, 0.0, 1.0]), np.random.default_rng(1))
    array([3])
    """
    shuffled = rng.permutation(len(frequencies))
    order = shuffled[np.argsort(frequencies[shuffled], kind="stable")]
    enough = frequencies[order] * np.arange(1, len(order) + 1) >= 1
    return order[: int(np.argmax(enough))]
