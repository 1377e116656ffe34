"""The parallel bandit algorithm for a fixed budget.

It watches first, then plays the actions that were rarely seen.

Source: Lattimore, Lattimore & Reid 2016, "Causal Bandits: Learning Good Interventions via Causal Inference" (arXiv
1606.03203), Algorithm 1, in the steps of the first author's public code (L219). The causes of the reward are
independent and not confounded, so the mean reward of do(X = x) is the mean reward of the rounds in which X is x.
"""

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
    """Watch for half of the budget, then play the rare actions in the other half.

    The answer is the action with the largest mean.

    Parameters
    ----------
    budget : int
        T >= 2. Rounds that equal shares leave over are not played.
    epsilon : float
        In [0, 1), how far below the best a correct answer may be.
    reuse : bool
        Whether what was watched of a rare action counts beside its plays, instead of being thrown away (L220).
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
