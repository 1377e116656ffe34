"""D-UCB (huang2022, Algorithm 1): UCB on the cells of a set W of variables.

W d-separates the reward from context and arm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.checks import check_choice
from causal_bandits.estimation.cells import cells, no_rewards, separator_of
from causal_bandits.models.contextual import ContextualBandit, ContextualWorld
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.contextual.helpers import cell_ucb


@dataclass(frozen=True)
class DUCB:
    """D-UCB: play the arm with the largest sum over z of UCB_w P(z | x, a).

    E[R | w] is learnt, P(z | x, a) is known.

    Parameters
    ----------
    separator : sequence of str, optional
        The set W. Default: the one with the fewest joint states.
    confidence : str
        As for `causal_bandits.policies.contextual.ucb.UCB`.
    """

    plays: ClassVar[type] = ContextualBandit

    separator: tuple[str, ...] | None = None
    confidence: str = "anytime"

    def __post_init__(self) -> None:
        check_choice("confidence", self.confidence, cell_ucb.CONFIDENCE)

    def run(self, bandit: ContextualBandit, rounds: Rounds[ContextualWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If the given ``separator`` does not d-separate the reward from context and arm.
        """
        separator = separator_of(bandit, self.separator)  # line 2
        means = no_rewards(cells(bandit, separator), 0.0)
        return cell_ucb.run(bandit, rounds, rng, means, self.confidence)  # lines 3 to 6
