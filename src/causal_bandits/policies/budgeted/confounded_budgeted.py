"""Algorithm 1 of "Confounded Budgeted Causal Bandits": little regret with a budget and hidden causes.

Source: Jamshidi, Etesami & Kiyavash 2024 (CLeaR, PMLR 236; arXiv 2401.07578), Algorithm 1 and Section 3.1. Rounds of
do() teach of every intervention whose effect they identify; how, is said in `causal_bandits.estimation.split_samples`.

1-3     play each arm once, in the order of the arms
5, 6    while at least 1 is left: if N_0 < beta^2 ln t, or no intervention can be paid for, play do()
7       else play the arm with the largest index of those that can be paid for, ties at random
9-12    add the reward to the arm's mean; a round of do() teaches of other arms
13      if mu_0 < max mu / c: beta = min(2 sqrt(2) / (max mu / c - mu_0), sqrt(ln t))

t is the number of rounds before the present one. It is the number of arms after line 3, as printed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import check_choice, check_numbers
from causal_bandits.compiled import kernel, loop
from causal_bandits.estimation.split_samples import (
    Formulas,
    SplitSamples,
    compile_formulas,
    no_samples,
    observe,
    values_of,
)
from causal_bandits.models.bandit import SCMWorld, play_round
from causal_bandits.models.budgeted import BudgetedSCMBandit
from causal_bandits.policies.base import Outcome, Rounds, blank
from causal_bandits.policies.helpers.choice import largest

#: The index of line 7: (mu + sqrt(2 ln t / (N + S))) / c, or as printed, without the cost: its regret is linear (E60).
INDICES = ("rate", "printed")


class Known(NamedTuple):
    """What is known and what is left.

    Attributes
    ----------
    costs : int64 array, shape (arms,)
    total, plays : float64 arrays, shape (arms,)
        The sum of the rewards of each arm's own rounds, and their number.
    shown_total, shown : float64 arrays, shape (arms,)
        The same of what do() taught.
    upper : float64 array, shape (arms,)
        Memory for the indices.
    purse : int64 array, shape (2,)
        What is left of the budget, and t.
    beta : float64 array, shape (1,)
    """

    costs: IntArray
    total: FloatArray
    plays: FloatArray
    shown_total: FloatArray
    shown: FloatArray
    upper: FloatArray
    purse: IntArray
    beta: FloatArray


@dataclass(frozen=True)
class ConfoundedBudgeted:
    """Play do() where it is forced or looks best, else the arm with the largest index.

    Parameters
    ----------
    budget : int
        B, at least what it costs to play each arm once.
    index : {"rate", "printed"}
        The upper bound of an arm's mean over its cost, or, as printed, the bound alone (E60).

    Notes
    -----
    The outcome has ``rounds``; ``spent``, what they cost, the whole budget; ``watched_share``, the share of rounds that
    played do(); ``shown_least`` and ``shown_most``, the least and the largest number of samples that do() gave an
    intervention. It is empty if the horizon comes first.
    """

    plays: ClassVar[type] = BudgetedSCMBandit
    outcomes: ClassVar[tuple[str, ...]] = ("rounds", "spent", "watched_share", "shown_least", "shown_most")

    budget: int = 1000
    index: str = "rate"

    def __post_init__(self) -> None:
        check_numbers(self, budget="integer in [1, inf)")
        check_choice("index", self.index, INDICES)

    def run(self, bandit: BudgetedSCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If the budget does not pay for each arm once; do() is no arm; an arm sets several variables, or one that
            shares a hidden cause with an effect of it; a variable is not binary, or there are too many.
        """
        null, once, k = bandit.null, int(bandit.costs.sum()), len(bandit.arms)
        if self.budget < once:
            raise ValueError(f"budget={self.budget}: expected at least {once}, the cost of each arm once")
        formulas = _formulas(bandit)
        samples = no_samples(formulas, self.budget)
        known = Known(
            costs=bandit.costs,
            total=np.zeros(k),
            plays=np.zeros(k),
            shown_total=np.zeros(k),
            shown=np.zeros(k),
            upper=np.zeros(k),
            purse=np.array([self.budget, 0]),
            beta=np.ones(1),
        )
        for world in rounds:
            arms, rewards = blank(rounds.size)
            played = _play(arms, rewards, world, null, self.index == "rate", known, formulas, samples, rng)
            rounds.record(arms[:played], rewards[:played])
            if known.purse[0] < 1:
                others = np.delete(known.shown, null)
                return {
                    "rounds": float(known.purse[1]),
                    "spent": float(self.budget - known.purse[0]),
                    "watched_share": float(known.plays[null] / known.purse[1]),
                    "shown_least": float(others.min(initial=np.inf) if len(others) else 0),
                    "shown_most": float(others.max(initial=0)),
                }
        return {}


def _formulas(bandit: BudgetedSCMBandit) -> Formulas:
    """Compile the formulas of all arms' means in terms of observations."""
    scm = bandit.bandit.scm
    many = [v for v in scm.graph.nodes if scm.cardinality(v) != 2]
    if many:
        raise ValueError(f"{', '.join(many)}: expected binary variables")
    return compile_formulas(scm.graph, scm.variables, bandit.arms, bandit.bandit.reward)


@loop
def _play(
    arms: IntArray,
    rewards: FloatArray,
    world: SCMWorld,
    null: int,
    by_cost: bool,
    known: Known,
    formulas: Formulas,
    samples: SplitSamples,
    rng: np.random.Generator,
) -> int:
    """Play rounds until the budget is spent or the world ends; return how many."""
    for i in range(len(arms)):
        if known.purse[0] < 1:  # line 5
            return i
        arm = _choose(null, by_cost, known, rng)
        reward = float(play_round(world, i, arm))
        arms[i], rewards[i] = arm, reward
        known.total[arm] += reward  # lines 9 to 12
        known.plays[arm] += 1
        if arm == null:
            _learn(world, null, known, formulas, samples)
        if known.purse[1] >= len(known.costs):
            _renew_beta(null, known)
        known.purse[0] -= known.costs[arm]
        known.purse[1] += 1
    return len(arms)


@kernel
def _choose(null: int, by_cost: bool, known: Known, rng: np.random.Generator) -> int:
    left, t, index = known.purse[0], known.purse[1], known.upper
    if t < len(index):  # lines 1 to 3
        return t  # type: ignore[no-any-return]
    log_t = math.log(t)
    if known.plays[null] < known.beta[0] ** 2 * log_t:  # line 6
        return null
    for a in range(len(index)):  # line 7
        index[a] = -np.inf
        if known.costs[a] <= left:
            n = known.plays[a] + known.shown[a]
            index[a] = (known.total[a] + known.shown_total[a]) / n + math.sqrt(2.0 * log_t / n)
            if by_cost:
                index[a] /= known.costs[a]
    return largest(index, rng)


@kernel
def _learn(world: SCMWorld, null: int, known: Known, formulas: Formulas, samples: SplitSamples) -> None:
    """Learn of other arms from a round of do()."""
    observe(formulas, samples, world.values)
    if samples.taken[0] % len(formulas.variable) == 0:  # every part has one more: no need to ask sooner (L257)
        for a in range(len(known.shown)):
            if a != null:
                known.shown_total[a], known.shown[a] = values_of(formulas, samples, a)


@kernel
def _renew_beta(null: int, known: Known) -> None:
    """Renew beta: few forced rounds where do() is far from the best, many where it is near."""
    best = -np.inf
    for a in range(len(known.costs)):
        n = known.plays[a] + known.shown[a]
        best = max(best, (known.total[a] + known.shown_total[a]) / n / known.costs[a])
    n = known.plays[null] + known.shown[null]
    gap = best - (known.total[null] + known.shown_total[null]) / n
    if gap > 0:  # line 13
        known.beta[0] = min(2 * math.sqrt(2.0) / gap, math.sqrt(math.log(known.purse[1])))
