"""F-UCB (huang2022, Algorithm 2): D-UCB among the arms that are counterfactually fair beyond doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_bandits.compiled import jit
from causal_bandits.estimation.cells import (
    CellMeans,
    cells,
    learn,
    mean_widths,
    no_rewards,
    separator_of,
    upper_bounds,
)
from causal_bandits.estimation.discrepancies import Counterparts, counterparts, estimated_discrepancies
from causal_bandits.models.contextual import ContextualWorld, play_round
from causal_bandits.models.fair import FairBandit
from causal_bandits.policies import cell_ucb
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.choice import check_choice, largest

FloatArray = NDArray[np.float64]

#: Which arm is played when no arm is fair beyond doubt.
FALLBACKS = ("safest", "best")
#: The value of `alpha_r` that Theorem 3 sets: 2 / (tau - Delta_0).
THEOREM_3 = "theorem_3"


@dataclass(frozen=True)
class FUCB:
    """F-UCB: the largest UCB_a among the arms with UCB_Delta_a <= tau (Eq. 12 and 13).

    UCB_Delta_a = |mean_{a,s+} - mean_{a,s-}| + alpha_c sum over z of sqrt(8 log(1/delta) / (1 v N_w)) P(z | x, a),
    with the cells and weights of the context as it is. Where the counterfactual means are not identifiable the
    discrepancy is the largest that Theorem 2's bounds, estimated, allow. A run's ``empty_set`` counts the rounds so far
    in which no arm is fair beyond doubt; the paper does not say what is played then (ledger L48).

    Parameters
    ----------
    tau : float
        >= 0, the fairness threshold.
    fallback : str
        What is played when no arm is fair beyond doubt: ``safest``, the least UCB_Delta; ``best``, the largest UCB_a.
    alpha_r, alpha_c : float
        >= 0; scale the confidence terms of reward and discrepancy (Remark after Theorem 3, ledger L49). ``alpha_r`` may
        be ``theorem_3``: 2 / (tau - Delta_0), Delta_0 the largest exact discrepancy of the fairest arms.
    separator, confidence
        As for `causal_bandits.policies.d_ucb.DUCB`.
    """

    plays: ClassVar[type] = FairBandit
    extras: ClassVar[tuple[str, ...]] = ("empty_set",)

    tau: float = 0.3
    fallback: str = "safest"
    alpha_r: float | str = 1.0
    alpha_c: float = 1.0
    separator: tuple[str, ...] | None = None
    confidence: str = "anytime"

    def __post_init__(self) -> None:
        check_choice("confidence", self.confidence, cell_ucb.CONFIDENCE)
        check_choice("fallback", self.fallback, FALLBACKS)
        if isinstance(self.alpha_r, str):
            check_choice("alpha_r", self.alpha_r, (THEOREM_3, "a number"))
        elif self.alpha_r < 0:
            raise ValueError(f"alpha_r={self.alpha_r}: must not be negative")
        if self.tau < 0 or self.alpha_c < 0:
            raise ValueError(f"tau={self.tau}, alpha_c={self.alpha_c}: must not be negative")

    def run(self, bandit: FairBandit, rounds: Rounds[ContextualWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If the given ``separator`` does not separate, or Theorem 3's ``alpha_r`` does not exist because no arm is
            fairer than ``tau`` in some context.
        """
        means = no_rewards(cells(bandit, separator_of(bandit, self.separator)), 0.0)  # line 2
        scale = cell_ucb.reward_scale(self.confidence, rounds.horizon)
        rule = Rule(
            counterparts(bandit),
            self._alpha_r(bandit) * scale,
            self.alpha_c * 2 * scale,  # sqrt(8 log(1/delta))
            float(self.tau),
            self.fallback == "safest",
        )
        for world in rounds:
            arms, rewards, empty = _play(world, means, rule, rng)
            rounds.record(arms, rewards, empty_set=empty)
        return {}

    def _alpha_r(self, bandit: FairBandit) -> float:
        if not isinstance(self.alpha_r, str):
            return self.alpha_r
        safe = float(np.abs(bandit.discrepancies).min(axis=1).max())
        if safe >= self.tau:
            raise ValueError(f"alpha_r of Theorem 3: the fairest policy's discrepancy {safe:g} is not below {self.tau}")
        return 2 / (self.tau - safe)


class Rule(NamedTuple):
    """Which arms are fair beyond doubt, and which of them is played.

    Attributes
    ----------
    counterparts : Counterparts
    scale, discrepancy_scale : float64 arrays, shape (horizon,)
        The factors of the confidence terms of reward and discrepancy, by round.
    tau : float
    safest : bool
        Whether the least UCB_Delta is played when no arm is fair beyond doubt.
    """

    counterparts: Counterparts
    scale: FloatArray
    discrepancy_scale: FloatArray
    tau: float
    safest: bool


@jit
def _play(
    world: ContextualWorld, means: CellMeans, rule: Rule, rng: np.random.Generator
) -> tuple[NDArray[np.int64], FloatArray, FloatArray]:
    n, n_arms = len(world.contexts), means.cells.cell.shape[1]
    arms, rewards, empty = np.empty(n, dtype=np.int64), np.empty(n), np.ones(n)
    index, unfairness, width = np.empty(n_arms), np.empty(n_arms), np.empty(n_arms)
    every_arm = np.arange(n_arms)
    for i in range(n):
        t, context = world.first + i, world.contexts[i]
        upper_bounds(means, context, rule.scale[t], index)  # lines 4 and 5
        estimated_discrepancies(means, rule.counterparts, context, every_arm, unfairness)
        mean_widths(means, context, every_arm, width)
        for a in range(n_arms):  # line 6
            unfairness[a] += rule.discrepancy_scale[t] * width[a]
            if unfairness[a] <= rule.tau:
                empty[i] = 0.0
        for a in range(n_arms):  # line 7
            if empty[i] == 0.0 and unfairness[a] > rule.tau:
                index[a] = -np.inf
            elif empty[i] == 1.0 and rule.safest:
                index[a] = -unfairness[a]
        arms[i] = largest(index, rng)
        rewards[i] = play_round(world, i, arms[i])  # line 8
        learn(means, world.values, rewards[i])  # line 9
    return arms, rewards, empty
