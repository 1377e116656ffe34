"""Regret by the rewards drawn, as papers average it that subtract them from the optimal mean."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.models.bandit import SCMBandit, SCMWorld


class DrawnRegret:
    """``drawn_regret``: the optimal mean minus the reward drawn, in place of the expected one (lee2019, ledger L16)."""

    of: ClassVar[type] = SCMBandit
    names: ClassVar[tuple[str, ...]] = ("drawn_regret",)

    def __init__(self, bandit: SCMBandit, rng: np.random.Generator) -> None:
        self._optimal_mean = bandit.optimal_mean

    def update(
        self,
        world: SCMWorld,
        arms: IntArray,
        rewards: FloatArray,
        answers: IntArray | None = None,
    ) -> dict[str, FloatArray]:
        """See `Measure`."""
        return {"drawn_regret": self._optimal_mean - rewards}
