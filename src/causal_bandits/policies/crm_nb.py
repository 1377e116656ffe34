"""CRM-NB-ALG: little regret from a budget where nothing that is set has a backdoor path to the reward.

Source: Nair, Patil & Sinha 2021, "Budgeted and Non-budgeted Causal Bandits" (AISTATS, PMLR 130; arXiv 2012.07058). The
paper was not seen: steps and constants of the interventions' index are those of a public summary, and the rest is a
choice (L258). A round of do() in which X is x counts as a round of do(X = x). So the graph must have no backdoor path
from X to the reward; it is not checked, as Jamshidi et al. 2024 play the algorithm where there are some.
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
class CRMNB(Spending):
    """Play do() where it is forced, else the arm with the largest (mu + sqrt(8 ln t / E)) / c.

    E are the arm's own rounds and those of do() that show its value.

    Parameters
    ----------
    budget : int
        B, at least what it costs to play each arm once.
    index : {"rate", "mean"}
        Whether the index is divided by the cost.
    forces : bool
        Whether do() is played while N_0 < beta^2 ln t.
    """

    index: str = "rate"
    forces: bool = True

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
        rule = Rule(bandit.null, 8.0, self.index == "rate", self.forces, TEACHES.index("shown"))
        return spend(self, bandit, rounds, rng, rule)
