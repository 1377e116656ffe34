"""Regret in terms of the rewards drawn, for papers that subtract drawn rewards from the optimal mean."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.play.measures.measure import Measure, Played


class DrawnRegret(Measure):
    """``drawn_regret``: the optimal mean minus the reward drawn (lee2019, ledger L16).

    Pseudo-regret uses the expected reward of the arm instead.
    """

    of: ClassVar[type] = SCMBandit
    names: ClassVar[tuple[str, ...]] = ("drawn_regret",)

    def __init__(self, bandit: SCMBandit, rng: np.random.Generator) -> None:
        self._optimal_mean = bandit.optimal_mean

    def update(self, played: Played) -> dict[str, FloatArray]:
        """Return the drawn regret of each round (see `Measure`)."""
        return {"drawn_regret": self._optimal_mean - played.rewards}
