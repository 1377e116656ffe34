"""D-UCB (huang2022, Algorithm 1): UCB on the joint states of a separating set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.checks import Constraints, constrained
from causal_bandits.estimation.cells import cells, no_rewards, separator_of
from causal_bandits.models.contextual import ContextualBandit, ContextualWorld
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.contextual.helpers import cell_ucb


@dataclass(frozen=True)
@constrained
class DUCB:
    """Learn one mean per joint state of a set that separates the reward from context and arm (D-UCB).

    Use it if you know the graph and P(w | context, arm) for such a set W. It does not help if every such set has more
    joint states than there are pairs of context and arm. `FUCB` is D-UCB among fair arms.

    Line numbers are those of huang2022, Algorithm 1:

    1. (line 2) Find the set W that d-separates the reward from context and arm and has the fewest joint states.
    2. (lines 3 and 4) In every round give each arm an index, the sum over w of (mean_w + sqrt(2 log(1/delta) / N_w))
       P(w | context, arm). Choose the arm with the largest index; ties are broken at random (L54).
    3. (line 5) Play it, and observe the reward and w.
    4. (line 6) Update the mean of w with the reward.

    Parameters
    ----------
    separator : sequence of str, optional
        The set W, which must d-separate the reward from context and arm. Default: the set from line 2.
    confidence : str
        As for `UCB`.

    References
    ----------
    Huang, Zhang & Wu 2022 (huang2022).
    """

    plays: ClassVar[type] = ContextualBandit
    constraints: ClassVar[Constraints] = {"confidence": tuple(cell_ucb.CONFIDENCE)}

    separator: tuple[str, ...] | None = None
    confidence: str = "anytime"

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
