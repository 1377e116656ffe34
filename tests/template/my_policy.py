"""MyPolicy: epsilon-greedy, for your algorithm to replace; name its paper, algorithm and equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from causal_bandits.checks import Constraints, Interval, constrained
from causal_bandits.policies.base import StepwisePolicy


@dataclass
@constrained
class MyPolicy(StepwisePolicy):
    """Play every arm once, then the arm with the best mean so far, or with probability ``exploration`` any arm.

    Parameters
    ----------
    exploration : float
        The probability that an arm is drawn uniformly.
    """

    constraints: ClassVar[Constraints] = {"exploration": Interval(0, 1, "both")}

    exploration: float = 0.1

    def start(self, problem: Any, horizon: int) -> None:
        """Forget the previous run."""
        self._plays = np.zeros(len(problem.arms))
        self._sums = np.zeros(len(problem.arms))

    def select(self, t: int, context: Mapping[str, int] | None, rng: np.random.Generator) -> int:
        """Choose the arm of round ``t``, counted from 0."""
        if t < len(self._plays):
            return t
        if rng.random() < self.exploration:
            return int(rng.integers(len(self._plays)))
        return int(np.argmax(self._sums / self._plays))

    def update(self, arm: int, states: Mapping[str, int], reward: float) -> None:
        """Count one play and its reward."""
        self._plays[arm] += 1
        self._sums[arm] += reward
