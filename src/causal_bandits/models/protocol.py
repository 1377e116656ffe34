"""What a bandit is: arms, worlds and regrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.models.arms import Arms

W = TypeVar("W")


class Bandit(Protocol[W]):
    """A problem that policies play.

    Its worlds ``W`` are named tuples of arrays that a compiled policy reads: the exogenous draws of some successive
    rounds, made before any arm is chosen, and what an arm does in them.
    """

    @property
    def arms(self) -> Arms:
        """What can be played."""
        ...

    @property
    def uniforms(self) -> int:
        """How many uniform numbers a round's world is drawn from."""
        ...

    def worlds(self, first: int, size: int, rng: np.random.Generator) -> W:
        """The worlds of rounds ``first`` (0 is the first of a run) to ``first + size - 1``.

        They take ``size * uniforms`` numbers from ``rng``, round by round: the same ones in however many pieces.
        """
        ...

    def regrets(self, world: W, arms: IntArray) -> FloatArray:
        """Pseudo-regret of the first rounds of ``world``, given the arms played in them; shape (len(arms),)."""
        ...

    def seen(self, world: W, i: int) -> Mapping[str, int] | None:
        """What is seen in round ``i`` of ``world`` before an arm is chosen; None in a problem without contexts."""
        ...

    def play(self, world: W, i: int, arm: int) -> tuple[dict[str, int], float]:
        """What the observed variables take in round ``i`` of ``world`` under ``arm``, and the reward."""
        ...


def pseudo_regrets(best: float | FloatArray, means: FloatArray) -> FloatArray:
    """Return how far each mean lies below the best one; exactly zero for a best arm, whatever rounding its mean had."""
    losses = best - means
    return np.where(losses < 1e-12, 0.0, losses)
