"""Algorithm 1 of Jamshidi et al. 2024; `causal_bandits.estimation.split_samples` has its formulas."""

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
    """Play UCB with costs, in which do() counts for the interventions that it identifies.

    For little regret from a budget on a graph with hidden causes, if do() is cheap and often worth playing. It needs
    the graph, the costs and the budget, and assumes binary variables and no hidden cause that joins a variable that is
    set to one of its effects. `ConfoundedNaming` names an arm.

    Lines are those of the source's Algorithm 1; t is the number of rounds before the present one:

    1. (lines 1 to 3) Play each arm once, in order.
    2. (line 5) Do the following while at least 1 is left of the budget.
    3. (line 6) If do() was played less than beta^2 ln t times, or no intervention can be paid for, play do().
    4. (line 7) Else play the arm with the largest index of those that can be paid for, ties at random: (mean + sqrt(2
       ln t / N)) / cost. N counts the arm's rounds and what do() taught of it.
    5. (lines 9 to 12) Add the reward to the arm's mean. After a round of do() estimate the other arms by the formulas
       of Section 3.1 (L256, L257).
    6. (line 13) If do() is not best, beta = min(2 sqrt(2) / (max mu / c - mu_0), sqrt(ln t)).

    Parameters
    ----------
    budget : int
        B, at least what it costs to play each arm once.
    index : {"rate", "printed"}
        Divided by the cost, or, as printed, not, which has linear regret (E60).

    Notes
    -----
    Outcome: ``rounds``; ``spent``; ``watched_share``, the share of rounds that played do(); ``shown_least`` and
    ``shown_most``, the least and the largest number of samples that do() gave an intervention. It is empty if the
    horizon comes first.

    References
    ----------
    Jamshidi, Etesami & Kiyavash 2024, "Confounded Budgeted Causal Bandits" (arXiv 2401.07578).

    Examples
    --------
    >>> import numpy as np
    >>> from causal_bandits import SCMBandit, as_admg, generators
    >>> from causal_bandits.models import Arms, uniform_cpt
    >>> from causal_bandits.models.budgeted import BudgetedSCMBandit
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import ConfoundedBudgeted
    >>> scm = uniform_cpt(as_admg("dag { A -> B -> Y ; A <-> Y }"), np.random.default_rng(3))
    >>> arms = Arms(scm.variables, [{}, {"A": 0}, {"A": 1}, {"B": 0}, {"B": 1}])
    >>> bandit = BudgetedSCMBandit(SCMBandit(scm, "Y", arm_strategy=arms), [1, 3, 3, 3, 3])
    >>> run = play(ConfoundedBudgeted(2000), bandit, 2000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 50)
    True
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
