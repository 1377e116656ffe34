"""gamma-NB-ALG: name the best intervention within a budget, where there are no backdoor paths.

Source: Nair, Patil & Sinha 2021, "Budgeted and Non-budgeted Causal Bandits" (AISTATS, PMLR 130; arXiv 2012.07058). The
paper was not seen: the steps are those of a public summary and of what Jamshidi et al. 2024 say of it. The rest is a
choice (L258, L259).

1   play do() for half of the budget; p_a is the share of rounds that show a's value
2   m = min{tau: #{a: p_a < 1 / tau} <= tau}, p = min p_a; gamma is what an intervention costs
3   if p m >= 1 / gamma, spend the rest on do(); else on the arms with p_a < 1 / m, equally often
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
from causal_bandits.policies.choice import check_choice

#: When rare arms are played: where they cost too little to be left to watching (step 3), always, or never.
INTERVENES = ("if_cheap", "always", "never")


@dataclass(frozen=True)
class GammaNB(Naming):
    """Watch for half of the budget; play the rare arms in the other half, unless that costs too much.

    Where interventions have different costs, gamma is their mean (L258).

    Parameters
    ----------
    budget : int
        B >= 2.
    intervenes : {"if_cheap", "always", "never"}
        ``if_cheap``: as step 3 says; ``always``: without its test, which is the parallel bandit algorithm of Lattimore
        et al. 2016 with a budget (PB-ALG); ``never``: do() is played throughout (OBS-ALG).
    """

    intervenes: str = "if_cheap"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("intervenes", self.intervenes, INTERVENES)

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
        gamma = float(bandit.costs[interventions].mean())

        def rare_of(shares: FloatArray) -> IntArray:
            s = inverses(shares[interventions])
            m = least_tau(s, np.ones(len(s)))  # step 2
            watch = self.intervenes == "never" or (self.intervenes == "if_cheap" and m / s.max() >= 1 / gamma)
            return interventions[s > m][: 0 if watch else None]  # step 3

        return name_best(self, bandit, rounds, rng, rare_of)
