"""C-UCB (Lu et al. 2020), a baseline of huang2022: one mean per joint state of the reward's parents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.checks import check_choice
from causal_bandits.estimation.cells import cells, no_rewards
from causal_bandits.models.contextual import ContextualBandit, ContextualWorld
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.contextual.helpers import cell_ucb


@dataclass(frozen=True)
class CUCB:
    """C-UCB: the index of D-UCB with W = Pa(R), the trivial separator.

    Parameters
    ----------
    confidence : str
        As for `causal_bandits.policies.contextual.ucb.UCB`.
    """

    plays: ClassVar[type] = ContextualBandit

    confidence: str = "anytime"

    def __post_init__(self) -> None:
        check_choice("confidence", self.confidence, cell_ucb.CONFIDENCE)

    def run(self, bandit: ContextualBandit, rounds: Rounds[ContextualWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        parents = cells(bandit, tuple(bandit.weights))
        # steps 1 to 3
        return cell_ucb.run(bandit, rounds, rng, no_rewards(parents, 0.0), self.confidence)
