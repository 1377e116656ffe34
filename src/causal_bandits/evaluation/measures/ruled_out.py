"""How often an arm was played that what is known before the first round rules out."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from causal_bandits.arrays import BoolArray, FloatArray, IntArray
from causal_bandits.models.contextual import ContextualBandit, ContextualWorld


class RuledOut:
    """``ruled_out``: how often the arm's prior upper bound lay below the context's best mean (huang2024, Lemma 6)."""

    of: ClassVar[type] = ContextualBandit
    names: ClassVar[tuple[str, ...]] = ("ruled_out",)

    def __init__(self, bandit: ContextualBandit, rng: np.random.Generator) -> None:
        self._ruled_out = bandit.prior["upper"] < bandit.means.max(axis=1, keepdims=True)

    def update(
        self,
        world: ContextualWorld,
        arms: IntArray,
        rewards: FloatArray,
        answers: IntArray | None = None,
    ) -> dict[str, BoolArray]:
        """See `Measure`."""
        return {"ruled_out": self._ruled_out[world.contexts[: len(arms)], arms]}
