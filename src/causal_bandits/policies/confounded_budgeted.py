"""Algorithm 1 of "Confounded Budgeted Causal Bandits": little regret with a budget and hidden causes.

Source: Jamshidi, Etesami & Kiyavash 2024 (CLeaR, PMLR 236; arXiv 2401.07578), Algorithm 1 and Section 3.1. Rounds of
do() teach of every intervention whose effect they identify; how, is said in `causal_bandits.estimation.split_samples`,
and which line is which in `causal_bandits.policies.budgeted_index`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_bandits.models.bandit import SCMWorld
from causal_bandits.models.budgeted import BudgetedSCMBandit
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.budgeted_index import TEACHES, Rule, Spending, spend
from causal_bandits.policies.choice import check_choice

#: The index of line 7: (mu + sqrt(2 ln t / (N + S))) / c, or as printed, without the cost: its regret is linear (E60).
INDICES = ("rate", "printed")


@dataclass(frozen=True)
class ConfoundedBudgeted(Spending):
    """Play do() where it is forced or looks best, else the arm with the largest index.

    Parameters
    ----------
    budget : int
        B, at least what it costs to play each arm once.
    index : {"rate", "printed"}
        The upper bound of an arm's mean over its cost, or, as printed, the bound alone (E60).
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
            If the budget does not pay for each arm once; do() is no arm; an arm sets several variables, or one that
            shares a hidden cause with an effect of it; a variable is not binary, or there are too many.
        """
        rule = Rule(bandit.null, 2.0, self.index == "rate", True, TEACHES.index("formula"))
        return spend(self, bandit, rounds, rng, rule)
