"""Fractional KUBE: UCB per unit of cost, which knows nothing of causes.

Source: Tran-Thanh, Chapman, Rogers & Jennings 2012, "Knapsack based optimal policies for budget-limited multi-armed
bandits" (AAAI; arXiv 1204.1909). The paper was not seen; this is its rule as others restate it: play each arm once,
then, of the arms that can be paid for, the one with the largest mu / c + sqrt(2 ln t / N) / c. Ties are broken at
random (L54).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_bandits.models.bandit import SCMWorld
from causal_bandits.models.budgeted import BudgetedSCMBandit
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.budgeted_index import INDICES, TEACHES, Rule, Spending, spend
from causal_bandits.policies.choice import check_choice


@dataclass(frozen=True)
class FKUBE(Spending):
    """Play the arm with the largest (mu + sqrt(2 ln t / N)) / c.

    Parameters
    ----------
    budget : int
        B, at least what it costs to play each arm once.
    index : {"rate", "mean"}
        Whether the index is divided by the cost, as published; ``mean`` is UCB, whose costs only end the run.
    """

    index: str = "rate"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("index", self.index, INDICES)

    def run(self, bandit: BudgetedSCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        The outcome is that of `budgeted_index.spend`.

        Raises
        ------
        ValueError
            If the budget does not pay for each arm once, or do() is no arm.
        """
        rule = Rule(bandit.null, 2.0, self.index == "rate", False, TEACHES.index("nothing"))
        return spend(self, bandit, rounds, rng, rule)
