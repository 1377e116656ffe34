"""C-UCB (Lu et al. 2020), a baseline of huang2022: one mean per joint state of the reward's parents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.models.cells import cells
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.policies import cell_ucb
from causal_bandits.policies.base import Run


@dataclass(frozen=True)
class CUCB:
    """C-UCB: the index of D-UCB with W = Pa(R), the trivial separator.

    Parameters
    ----------
    confidence : str
        As for `causal_bandits.policies.ucb.UCB`.
    """

    plays: ClassVar[type] = ContextualBandit

    confidence: str = "anytime"

    def __post_init__(self) -> None:
        cell_ucb.check_choice("confidence", self.confidence, cell_ucb.CONFIDENCE)

    def run(
        self,
        problem: ContextualBandit,
        horizon: int,
        environment_rng: np.random.Generator,
        policy_rng: np.random.Generator,
    ) -> Run:
        """Play ``horizon`` rounds (see `causal_bandits.policies.base.Policy`)."""
        parents = cells(problem, tuple(problem.weights))
        return cell_ucb.run(problem, parents, self.confidence, horizon, environment_rng, policy_rng)
