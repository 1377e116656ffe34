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
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.checks import check_numbers
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.budgeted import BudgetedGLMBandit
from causal_bandits.models.glm_bandit import GLMWorld
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.glm.helpers.best_arm import Tally
from causal_bandits.policies.glm.helpers.schedule import follow
from causal_bandits.policies.helpers.choice import pick_largest


@dataclass(frozen=True)
class ConfoundedNaming:
    """Watch for half of the budget, and play the arms that are rare for what they cost in the other half.

    Each rare arm is played floor(B / (2 C)) times, with C what they cost together. The mean of these rounds replaces
    what was watched of it (L259). What is left is spent on do(), and counts as watched.

    Parameters
    ----------
    budget : int
        B >= 2.

    Notes
    -----
    The outcome has ``rounds``; ``spent``, what they cost; ``answer``; ``correct``, 1 if no arm has a larger mean, else
    0; ``excess``, how far its mean lies below the largest, the simple regret; ``rare``, the number of rare arms. It is
    empty if the horizon comes first.
    """

    plays: ClassVar[type] = BudgetedGLMBandit
    outcomes: ClassVar[tuple[str, ...]] = ("rounds", "spent", "answer", "correct", "excess", "rare")

    budget: int = 1000

    def __post_init__(self) -> None:
        check_numbers(self, budget="integer in [2, inf)")

    def run(self, bandit: BudgetedGLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If do() is no arm, no arm sets a variable, an arm sets several, or one with a backdoor path to the reward.
        """
        k, null = len(bandit.arms), bandit.null
        interventions = np.delete(np.arange(k), null)
        if not len(interventions):
            raise ValueError("no arm sets a variable: expected at least one")
        for arm in bandit.arms:
            _check(bandit.bandit.glm.graph, tuple(arm), bandit.bandit.reward)
        watched, own = Tally.empty(k), Tally.empty(k)
        half = self.budget // 2
        if not follow(rounds, np.full(half, null), watched, watching=True):  # step 1
            return {}
        s = inverses(watched.pulls[interventions] / half)
        rare = interventions[s >= least_tau(s, bandit.costs[interventions])]  # steps 2 and 3
        each = int(self.budget // (2 * bandit.costs[rare].sum())) if len(rare) else 0
        if not follow(rounds, np.repeat(rare, each), own, watching=False):
            return {}
        rest = self.budget - half - int(each * bandit.costs[rare].sum())
        if not follow(rounds, np.full(rest, null), watched, watching=True):
            return {}
        if each:
            watched.ones[rare], watched.pulls[rare] = own.ones[rare], own.pulls[rare]
        # step 4
        answer = int(pick_largest(watched.ones / np.maximum(watched.pulls, 1), rng))
        below = max(float(bandit.means.max() - bandit.means[answer]), 0.0)
        return {
            "rounds": float(half + each * len(rare) + rest),
            "spent": float(self.budget),
            "answer": float(answer),
            "correct": float(below <= 1e-12),
            "excess": below,
            "rare": float(len(rare)),
        }


def inverses(p: ArrayLike) -> FloatArray:
    """Return 1 / p, infinite where p is 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(1 / np.asarray(p, dtype=np.float64))


def least_tau(s: ArrayLike, costs: ArrayLike) -> float:
    """Return the least tau > 0 for which the arms with p < 1 / tau cost at most tau together.

    It is n(q) of Eq. 10 with p = q^k; with unit costs it is m(p) of Lattimore et al. 2016. Let the arms stand in the
    order of s = 1 / p, the largest first, and C_j be the cost of the first j: the least tau is the least
    max(C_j, s_(j+1)), where s is 0 after the last arm. Compare s with tau rather than p with 1 / tau: rounding then
    does not matter where they are equal.

    Parameters
    ----------
    s : array, shape (arms,)
        1 / p, at least 1; see `inverses`.
    costs : array, shape (arms,)
        Above 0.

    Examples
    --------
    >>> s = inverses([0.5, 0.5, 0.02, 0.98])
    >>> least_tau(s, [1, 1, 1, 1]), least_tau(s, [2, 2, 5, 5])
    (2.0, 5.0)
    """
    s = np.asarray(s, dtype=np.float64)
    order = np.argsort(-s, kind="stable")
    together = np.concatenate([[0.0], np.cumsum(np.asarray(costs, dtype=np.float64)[order])])
    return float(np.maximum(together, np.append(s[order], 0.0)).min())


@lru_cache(maxsize=1024)  # a search over seeds asks for the same graph thousands of times
def _check(graph: ADMG, chosen: tuple[str, ...], reward: str) -> None:
    """Check that the rounds in which an arm's value shows have the mean of the arm."""
    if len(chosen) > 1:
        raise ValueError(f"arm on {', '.join(chosen)}: expected arms that set one variable, or none")
    if chosen and not graph.without_edges_out_of(chosen).is_d_separated(chosen, reward):
        raise ValueError(f"{chosen[0]} has a backdoor path to {reward}: what is watched of it is not what it does")
