"""The protocol of a bandit: arms, worlds and regrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.models.arms import Arms

W = TypeVar("W")


class Bandit(Protocol[W]):
    """A problem that policies play.

    Its worlds ``W`` are named tuples of arrays for compiled policies. They hold the exogenous draws of some successive
    rounds, made before any arm is chosen, and what the arms set.
    """

    @property
    def arms(self) -> Arms:
        """The arms that can be played."""
        ...

    @property
    def uniforms(self) -> int:
        """The number of uniform numbers that a round's world is drawn from."""
        ...

    @property
    def reward_range(self) -> tuple[float, float]:
        """The smallest and the largest reward that a round can give; infinite if the rewards have no bounds."""
        ...

    def worlds(self, first: int, size: int, rng: np.random.Generator) -> W:
        """Draw the worlds of rounds ``first`` to ``first + size - 1``; round 0 is the first of a run.

        It takes ``size * uniforms`` numbers from ``rng``, round by round; a run's worlds therefore do not depend on the
        batches in which they are drawn.
        """
        ...

    def regrets(self, world: W, arms: IntArray) -> FloatArray:
        """Return the pseudo-regrets of the first ``len(arms)`` rounds of ``world``, in which ``arms`` were played."""
        ...

    def seen(self, world: W, i: int) -> Mapping[str, int] | None:
        """Return the context of round ``i`` of ``world``; None in a problem without contexts."""
        ...

    def play(self, world: W, i: int, arm: int) -> tuple[dict[str, int], float]:
        """Play ``arm`` in round ``i`` of ``world``; return the observed variables' states and the reward."""
        ...


def pseudo_regrets(best: float | FloatArray, means: FloatArray) -> FloatArray:
    """Return the best mean minus each mean; exactly zero for a best arm, despite rounding."""
    losses = best - means
    return np.where(losses < 1e-12, 0.0, losses)
