"""A run of an `IncrementalPolicy` whose rounds are compiled."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Generic, TypeVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.models.arms import Arms
from causal_bandits.policies.base import IncrementalPolicy, Outcome, Rounds, blank

B = TypeVar("B")
W = TypeVar("W")


class CompiledRun(IncrementalPolicy, Generic[B, W]):
    """Base of the policies here that `OnlineBandit` takes too; each plays bandits of the kind ``B``."""

    def run(self, bandit: B, rounds: Rounds[W], rng: np.random.Generator) -> Outcome:  # type: ignore[override]
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        state = self.start(self._arms(bandit))
        for world in rounds:
            arms, rewards = blank(rounds.size)
            self._play(arms, rewards, world, state, rng)
            rounds.record(arms, rewards)
        return {}

    def _arms(self, bandit: Any) -> int:
        """The number of arms that are played."""
        arms: Arms = bandit.arms
        return len(arms)

    @abstractmethod
    def _play(self, arms: IntArray, rewards: FloatArray, world: W, state: Any, rng: np.random.Generator) -> None:
        """Play all rounds of a world."""


def means(total: FloatArray, pulls: FloatArray) -> FloatArray:
    """Return total / pulls, NaN where there are no pulls."""
    return np.asarray(np.divide(total, pulls, out=np.full(len(pulls), np.nan), where=pulls > 0))
