"""D-UCB (huang2022, Algorithm 1): UCB on the cells of a set W that d-separates the reward from context and arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.models.cells import cells, separator_of
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.policies import cell_ucb
from causal_bandits.policies.base import Run


@dataclass(frozen=True)
class DUCB:
    """D-UCB: learns E[R | w], knows P(z | x, a), plays the largest sum over z of UCB_w P(z | x, a).

    Parameters
    ----------
    separator : sequence of str, optional
        The set W. Default: the one with the fewest joint states.
    confidence : str
        As for `causal_bandits.policies.ucb.UCB`.
    """

    plays: ClassVar[type] = ContextualBandit

    separator: tuple[str, ...] | None = None
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
        """Play ``horizon`` rounds (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If the given ``separator`` does not separate.
        """
        separator = separator_of(problem, self.separator)  # line 2
        # Lines 3 to 6.
        return cell_ucb.run(problem, cells(problem, separator), self.confidence, horizon, environment_rng, policy_rng)
