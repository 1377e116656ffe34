"""UCB (Auer et al. 2002) on a table of means (huang2024, Algorithm 6 without the bounds)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.checks import check_choice
from causal_bandits.estimation.cells import cells, no_rewards
from causal_bandits.models.contextual import ContextualBandit, ContextualWorld
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.contextual.helpers import cell_ucb

#: The mean of an arm before its first reward, by name. With 0 and 1 v N the index is the bonus alone (huang2022, Eq.
#: 6); with infinity the index is infinite, as the formula with N = 0 says (huang2024, Algorithm 6, line 5).
UNPLAYED = {"one": 0.0, "infinite": np.inf}


@dataclass(frozen=True)
class UCB:
    """UCB with one mean per context and arm: play the largest mean + sqrt(2 log(1/delta) / N).

    Parameters
    ----------
    context_free : bool
        Whether there is one mean per arm instead, for all contexts.
    confidence : str
        ``anytime``: delta = 1/t^2 (huang2022); ``horizon``: delta = 1/T^2 (huang2024).
    unplayed : str
        ``one``: N counts as 1 and the mean as 0; ``infinite``: the index is infinite.
    """

    plays: ClassVar[type] = ContextualBandit

    context_free: bool = False
    confidence: str = "anytime"
    unplayed: str = "one"

    def __post_init__(self) -> None:
        check_choice("confidence", self.confidence, cell_ucb.CONFIDENCE)
        check_choice("unplayed", self.unplayed, UNPLAYED)

    def run(self, bandit: ContextualBandit, rounds: Rounds[ContextualWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        table = bandit.manipulable if self.context_free else (*bandit.context, *bandit.manipulable)
        means = no_rewards(cells(bandit, tuple(table)), UNPLAYED[self.unplayed])  # Alg. 6, line 2
        # steps 1 to 3; Alg. 6, lines 3 to 6, 8 and 9
        return cell_ucb.run(bandit, rounds, rng, means, self.confidence, self._limits(bandit))

    def _limits(self, bandit: ContextualBandit) -> cell_ucb.Limits | None:
        return None
