"""The loop of algorithms that spend a budget by an index.

They differ in the index, and in what a round of do() teaches of other arms.

Sources: Jamshidi, Etesami & Kiyavash 2024 (arXiv 2401.07578), Algorithm 1; Nair, Patil & Sinha 2021 (arXiv 2012.07058),
CRM-NB-ALG; Tran-Thanh, Chapman, Rogers & Jennings 2012, fractional KUBE. Line numbers are those of Algorithm 1:

1-3     play each arm once, in the order of the arms
5, 6    while at least 1 is left: if N_0 < beta^2 ln t, or no intervention can be paid for, play do()
7       else play the arm with the largest index of those that can be paid for, ties at random
9-12    add the reward to the arm's mean; a round of do() may teach of other arms
13      if mu_0 < max mu / c: beta = min(2 sqrt(2) / (max mu / c - mu_0), sqrt(ln t))

t is the number of rounds before the present one. It is the number of arms after line 3, as printed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
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
from causal_bandits.policies.choice import largest
from causal_bandits.policies.shown import shows

#: What the index is: the upper bound of an arm's mean over its cost, or the bound alone.
INDICES = ("rate", "mean")

#: What a round of do() teaches of other arms: nothing; the mean of those whose values it shows; or the formula of
#: E[Y | do(x)] in terms of observations (`estimation.split_samples`).
TEACHES = ("nothing", "shown", "formula")

_ZERO = np.zeros(1, dtype=np.int64)
_NO_TERMS = np.zeros((0, 1), dtype=np.int64)
#: Where no formula is needed.
NO_FORMULAS = Formulas(_ZERO, np.arange(2), _ZERO, _ZERO, _ZERO, _NO_TERMS, _NO_TERMS, _ZERO, _ZERO)


class Rule(NamedTuple):
    """What is played.

    Attributes
    ----------
    null : int
        The number of do().
    width : float
        The index has the radius sqrt(width ln t / N).
    by_cost : bool
        Whether the index is divided by the arm's cost.
    forces : bool
        Whether line 6 may force do().
    teaches : int
        The position in `TEACHES`.
    """

    null: int
    width: float
    by_cost: bool
    forces: bool
    teaches: int


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
class Spending:
    """Base of policies that spend a budget.

    Parameters
    ----------
    budget : int
        B, at least what it costs to play each arm once.
    """

    plays: ClassVar[type] = BudgetedSCMBandit
    outcomes: ClassVar[tuple[str, ...]] = ("rounds", "spent", "watched_share", "shown_least", "shown_most")

    budget: int = 1000

    def __post_init__(self) -> None:
        if self.budget < 1:
            raise ValueError(f"budget={self.budget}: expected at least 1")


def spend(
    policy: Spending, bandit: BudgetedSCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator, rule: Rule
) -> Outcome:
    """Play one run, until the budget is spent.

    Parameters
    ----------
    policy : Spending
    bandit : BudgetedSCMBandit
    rounds : Rounds
    rng : numpy.random.Generator
        For ties.
    rule : Rule

    Returns
    -------
    Outcome
        ``rounds``; ``spent``, what they cost, the whole budget; ``watched_share``, the share of rounds that played
        do(); ``shown_least`` and ``shown_most``, the least and the largest number of samples that do() gave an
        intervention. Empty if the horizon comes first.

    Raises
    ------
    ValueError
        If the budget does not pay for each arm once, or do() is no arm; or as `split_samples.compile_formulas`.
    """
    once = int(bandit.costs.sum())
    if policy.budget < once:
        raise ValueError(f"budget={policy.budget}: expected at least {once}, the cost of each arm once")
    k = len(bandit.arms)
    formulas = _formulas(bandit, rule)
    samples = no_samples(formulas, policy.budget if rule.teaches == TEACHES.index("formula") else 1)
    known = Known(
        costs=bandit.costs,
        total=np.zeros(k),
        plays=np.zeros(k),
        shown_total=np.zeros(k),
        shown=np.zeros(k),
        upper=np.zeros(k),
        purse=np.array([policy.budget, 0]),
        beta=np.ones(1),
    )
    for world in rounds:
        arms, rewards = blank(rounds.size)
        played = _play(arms, rewards, world, rule, known, formulas, samples, rng)
        rounds.record(arms[:played], rewards[:played])
        if known.purse[0] < 1:
            others = np.delete(known.shown, rule.null)
            return {
                "rounds": float(known.purse[1]),
                "spent": float(policy.budget - known.purse[0]),
                "watched_share": float(known.plays[rule.null] / known.purse[1]),
                "shown_least": float(others.min(initial=np.inf) if len(others) else 0),
                "shown_most": float(others.max(initial=0)),
            }
    return {}


@loop
def _play(
    arms: IntArray,
    rewards: FloatArray,
    world: SCMWorld,
    rule: Rule,
    known: Known,
    formulas: Formulas,
    samples: SplitSamples,
    rng: np.random.Generator,
) -> int:
    """Play rounds until the budget is spent or the world ends; return how many."""
    for i in range(len(arms)):
        if known.purse[0] < 1:  # line 5
            return i
        arm = _choose(rule, known, rng)
        reward = float(play_round(world, i, arm))
        arms[i], rewards[i] = arm, reward
        known.total[arm] += reward  # lines 9 to 12
        known.plays[arm] += 1
        if arm == rule.null:
            _learn(world, reward, rule, known, formulas, samples)
        if known.purse[1] >= len(known.costs):
            _renew_beta(rule, known)
        known.purse[0] -= known.costs[arm]
        known.purse[1] += 1
    return len(arms)


@kernel
def _choose(rule: Rule, known: Known, rng: np.random.Generator) -> int:
    left, t, index = known.purse[0], known.purse[1], known.upper
    if t < len(index):  # lines 1 to 3
        return t  # type: ignore[no-any-return]
    log_t = math.log(t)
    if rule.forces and known.plays[rule.null] < known.beta[0] ** 2 * log_t:  # line 6
        return rule.null
    for a in range(len(index)):  # line 7
        index[a] = -np.inf
        if known.costs[a] <= left:
            n = known.plays[a] + known.shown[a]
            index[a] = (known.total[a] + known.shown_total[a]) / n + math.sqrt(rule.width * log_t / n)
            if rule.by_cost:
                index[a] /= known.costs[a]
    return largest(index, rng)


@kernel
def _learn(world: SCMWorld, reward: float, rule: Rule, known: Known, formulas: Formulas, samples: SplitSamples) -> None:
    """Learn of other arms from a round of do()."""
    if rule.teaches == 1:
        for a in range(len(known.shown)):
            if a != rule.null and shows(world, a):
                known.shown_total[a] += reward
                known.shown[a] += 1
    elif rule.teaches == 2:
        observe(formulas, samples, world.values)
        if samples.taken[0] % len(formulas.variable) == 0:  # every part has one more: no need to ask sooner (L257)
            for a in range(len(known.shown)):
                if a != rule.null:
                    known.shown_total[a], known.shown[a] = values_of(formulas, samples, a)


@kernel
def _renew_beta(rule: Rule, known: Known) -> None:
    """Renew beta: few forced rounds where do() is far from the best, many where it is near."""
    best = -np.inf
    for a in range(len(known.costs)):
        n = known.plays[a] + known.shown[a]
        best = max(best, (known.total[a] + known.shown_total[a]) / n / known.costs[a])
    n = known.plays[rule.null] + known.shown[rule.null]
    gap = best - (known.total[rule.null] + known.shown_total[rule.null]) / n
    if gap > 0:  # line 13
        known.beta[0] = min(2 * math.sqrt(2.0) / gap, math.sqrt(math.log(known.purse[1])))


def _formulas(bandit: BudgetedSCMBandit, rule: Rule) -> Formulas:
    """Return the arms' formulas, or none where they are not needed."""
    scm = bandit.bandit.scm
    if rule.teaches == TEACHES.index("formula"):
        many = [v for v in scm.graph.nodes if scm.cardinality(v) != 2]
        if many:
            raise ValueError(f"{', '.join(many)}: expected binary variables")
        return compile_formulas(scm.graph, scm.variables, bandit.arms, bandit.bandit.reward)
    return NO_FORMULAS
