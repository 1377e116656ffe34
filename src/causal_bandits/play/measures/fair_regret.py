"""Regret against the best fair policies (huang2022, Definition 3, with the arm held fixed)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.models.fair import FairBandit
from causal_bandits.play.measures.measure import Measure, Played
from causal_bandits.play.unfairness import ROUNDING, fair_regret


class FairRegret(Measure):
    """Regret against the best fair arm of each context, by threshold tau.

    An arm is fair if its exact discrepancy is at most tau. If a context has no fair arm, the regret is against the best
    of its fairest arms. The regret of a round is negative if the arm played is unfair and better.
    """

    of: ClassVar[type] = FairBandit
    names: ClassVar[tuple[str, ...]] = tuple(fair_regret(tau) for tau in FairBandit.thresholds)

    def __init__(self, bandit: FairBandit, rng: np.random.Generator) -> None:
        sizes = np.abs(bandit.discrepancies)
        self._lost = {}
        for tau in bandit.thresholds:
            allowed = sizes <= np.maximum(tau, sizes.min(axis=1, keepdims=True)) + ROUNDING
            best = np.where(allowed, bandit.means, -np.inf).max(axis=1, keepdims=True)
            self._lost[fair_regret(tau)] = best - bandit.means

    def update(self, played: Played) -> dict[str, FloatArray]:
        """Return the fair regret of each round, by threshold (see `Measure`)."""
        contexts = played.world.contexts[: len(played.arms)]
        return {name: lost[contexts, played.arms] for name, lost in self._lost.items()}
