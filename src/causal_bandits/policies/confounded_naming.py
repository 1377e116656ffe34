"""Algorithm 2 of "Confounded Budgeted Causal Bandits": name the best intervention within a budget.

Source: Jamshidi, Etesami & Kiyavash 2024 (CLeaR, PMLR 236; arXiv 2401.07578), Algorithm 2, Eq. 10 and Remark 6. Here it
is for graphs without backdoor paths from what is set to the reward, where watched means are the means of interventions
(Remark 6) and the exponent k of Eq. 10 is 1. Watched means of other graphs would need the algorithms of Bhattacharyya
et al. 2020, which the paper takes over; a graph that needs them is refused.

1   play do() for half of the budget; q_a is the share of rounds that show a's value
2   n = min{tau: the arms with q_a < 1 / tau cost at most tau together}
3   spend the rest on the arms with q_a <= 1 / n, equally often, or on do() if there is none
4   name the arm with the largest mean
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.models.budgeted import BudgetedGLMBandit
from causal_bandits.models.glm_bandit import GLMWorld
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.budgeted_watching import Naming, inverses, least_tau, name_best


@dataclass(frozen=True)
class ConfoundedNaming(Naming):
    """Watch for half of the budget, and play the arms that are rare for what they cost in the other half.

    Parameters
    ----------
    budget : int
        B >= 2.
    """

    def run(self, bandit: BudgetedGLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        The outcome is that of `budgeted_watching.name_best`.

        Raises
        ------
        ValueError
            If do() is no arm, no arm sets a variable, an arm sets several, or one with a backdoor path to the reward.
        """
        interventions = np.delete(np.arange(len(bandit.arms)), bandit.null)
        if not len(interventions):
            raise ValueError("no arm sets a variable: expected at least one")
        costs = bandit.costs[interventions]

        def rare_of(shares: FloatArray) -> IntArray:
            s = inverses(shares[interventions])
            return interventions[s >= least_tau(s, costs)]  # steps 2 and 3

        return name_best(self, bandit, rounds, rng, rare_of)
