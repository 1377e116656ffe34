"""C-UCB, a baseline of huang2022; for problems without contexts, see `causal_bandits.policies.scm.c_ucb_arms`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.checks import Constraints, constrained
from causal_bandits.estimation.cells import cells, no_rewards
from causal_bandits.models.contextual import ContextualBandit, ContextualWorld
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.contextual.helpers import cell_ucb


@dataclass(frozen=True)
@constrained
class CUCB:
    """Learn one mean per joint state of the reward's parents, for all contexts and arms (C-UCB).

    Use it if you know the reward's parents W and P(w | context, arm). `DUCB` uses a smaller set than the parents if
    there is one. C-UCB assumes that the graph is right.

    huang2022, Section 4, describes it without pseudo-code; the steps are ours:

    1. In a round with context x give each arm a an index, the sum over w of (mean_w + sqrt(2 log(1/delta) / N_w)) P(w |
       x, a). For a state without rewards, N_w counts as 1 and the mean as 0 (L46).
    2. Play the arm with the largest index; ties are broken at random (L54).
    3. Update the mean of the state that was seen.

    Parameters
    ----------
    confidence : str
        As for `UCB`.

    References
    ----------
    Lu, Meisami, Tewari & Yan 2020; a baseline of huang2022.
    """

    plays: ClassVar[type] = ContextualBandit
    constraints: ClassVar[Constraints] = {"confidence": tuple(cell_ucb.CONFIDENCE)}

    confidence: str = "anytime"

    def run(self, bandit: ContextualBandit, rounds: Rounds[ContextualWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        parents = cells(bandit, tuple(bandit.weights))
        # steps 1 to 3
        return cell_ucb.run(bandit, rounds, rng, no_rewards(parents, 0.0), self.confidence)
