"""How often an arm was played although its prior upper bound rules it out."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from causal_bandits.arrays import BoolArray
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.play.measures.measure import Measure, Played


class RuledOut(Measure):
    """``ruled_out``: how often an arm was played although its prior upper bound rules it out.

    A bound rules an arm out if it is below the context's best mean (huang2024, Lemma 6).
    """

    of: ClassVar[type] = ContextualBandit
    names: ClassVar[tuple[str, ...]] = ("ruled_out",)

    def __init__(self, bandit: ContextualBandit, rng: np.random.Generator) -> None:
        self._ruled_out = bandit.prior["upper"] < bandit.means.max(axis=1, keepdims=True)

    @classmethod
    def applies_to(cls, bandit: object) -> bool:
        """Return whether ``bandit`` is contextual and its prior has upper bounds."""
        return isinstance(bandit, ContextualBandit) and "upper" in bandit.prior

    def update(self, played: Played) -> dict[str, BoolArray]:
        """Return whether the arm of each round was ruled out (see `Measure`)."""
        return {"ruled_out": self._ruled_out[played.world.contexts[: len(played.arms)], played.arms]}
