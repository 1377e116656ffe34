"""F-UCB (huang2022, Algorithm 2): D-UCB among arms that are counterfactually fair beyond doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import NOT_NEGATIVE, Constraints, constrained
from causal_bandits.compiled import kernel, loop
from causal_bandits.estimation.cells import CellMeans, cells, learn, mean_widths, no_rewards, separator_of, upper_bounds
from causal_bandits.estimation.discrepancies import Counterparts, counterparts, estimated_discrepancies
from causal_bandits.models.contextual import ContextualWorld, play_round
from causal_bandits.models.fair import FairBandit
from causal_bandits.policies.base import Outcome, Queries, Rounds, blank
from causal_bandits.policies.contextual.helpers import cell_ucb
from causal_bandits.policies.helpers.choice import TIE, largest

#: Which arm is played when no arm is fair beyond doubt.
FALLBACKS = ("safest", "best")
#: The name for the value of `alpha_r` in Theorem 3: 2 / (tau - Delta_0).
THEOREM_3 = "theorem_3"


@dataclass(frozen=True)
@constrained
class FUCB:
    """Play D-UCB among the arms that are fair beyond doubt (F-UCB).

    Use it if a sensitive attribute must not influence decisions: an arm is fair if a user's mean reward differs by at
    most tau from the one the same user would have in the other group. Like `DUCB`, it needs the graph and P(w |
    context, arm). With few rounds or a small tau, it is not certain about any arm; the paper does not say what is then
    played (L48).

    Line numbers are those of huang2022, Algorithm 2:

    1. (line 2) Find the set W that d-separates the reward from context and arm and has the fewest joint states.
    2. (lines 3 to 5) In every round compute for each arm D-UCB's index, and an estimate of its discrepancy, the
       difference between the two groups' means.
    3. (line 6) Add a confidence term to the discrepancy. An arm is fair beyond doubt if the sum is at most tau.
    4. (line 7) Choose the fair arm with the largest index, or follow ``fallback`` if there is none.
    5. (line 8) Play it, and observe the reward and w.
    6. (line 9) Update the mean of w with the reward.

    Parameters
    ----------
    tau : float
        The largest discrepancy allowed.
    fallback : str
        If no arm is fair beyond doubt: the arm with the smallest bound on the discrepancy, or with the largest index.
    alpha_r : float or str
        The factor of the confidence term of the reward (L49). ``theorem_3`` is 2 / (tau - Delta_0), where Delta_0 is
        the exact discrepancy of a context's fairest arm, maximised over contexts.
    alpha_c : float
        The factor of the confidence term of the discrepancy (L49).
    separator, confidence
        As for `DUCB`.
    stochastic : bool
        Whether a round may choose randomly between two arms (Eq. 4 and 13), so that tau is respected on average.

    Notes
    -----
    Where counterfactual means are not identifiable, the discrepancy is the largest that the estimated bounds of Theorem
    2 allow. The extra ``empty_set`` counts the rounds so far in which no arm is fair beyond doubt.

    References
    ----------
    Huang, Zhang & Wu 2022 (huang2022).

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import FUCB
    >>> from causal_bandits.problems import make
    >>> run = play(FUCB(tau=0.5), make("huang2022/straddling"), 1000, generators(0, "example", seed=0))
    >>> sorted(run.extras)
    ['empty_set']
    """

    plays: ClassVar[type] = FairBandit
    extras: ClassVar[tuple[str, ...]] = ("empty_set",)
    constraints: ClassVar[Constraints] = {
        "tau": NOT_NEGATIVE,
        "fallback": FALLBACKS,
        "alpha_r": (THEOREM_3, NOT_NEGATIVE),
        "alpha_c": NOT_NEGATIVE,
        "confidence": tuple(cell_ucb.CONFIDENCE),
    }

    tau: float = 0.3
    fallback: str = "safest"
    alpha_r: float | str = 1.0
    alpha_c: float = 1.0
    separator: tuple[str, ...] | None = None
    confidence: str = "anytime"
    stochastic: bool = False

    def run(self, bandit: FairBandit, rounds: Rounds[ContextualWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If the given ``separator`` does not d-separate the reward from context and arm, or ``alpha_r`` is
            ``theorem_3`` and some context has no arm with a discrepancy below ``tau``.
        """
        means = no_rewards(cells(bandit, separator_of(bandit, self.separator)), 0.0)  # line 2
        scale = cell_ucb.reward_scale(self.confidence, rounds.horizon)
        rule = Rule(
            counterparts(bandit),
            self._alpha_r(bandit) * scale,
            self.alpha_c * 2 * scale,  # sqrt(8 log(1/delta))
            float(self.tau),
            self.fallback == "safest",
            self.stochastic,
        )
        room, queries = Room.of(len(bandit.arms)), rounds.queries
        for world in rounds:
            arms, rewards = blank(rounds.size)
            empty, queried = np.empty(rounds.size), queries.blank(rounds.size)
            _play(arms, rewards, empty, queried, room, world, means, rule, queries, rng)
            rounds.record(arms, rewards, queried_arms=queried, empty_set=empty)
        return {}

    def _alpha_r(self, bandit: FairBandit) -> float:
        if not isinstance(self.alpha_r, str):
            return self.alpha_r
        safe = float(np.abs(bandit.discrepancies).min(axis=1).max())
        if safe >= self.tau:
            raise ValueError(
                f"tau={self.tau}: Theorem 3's alpha_r needs more than the fairest policy's discrepancy, {safe:g}"
            )
        return 2 / (self.tau - safe)


class Rule(NamedTuple):
    """The rule that decides which arms are fair beyond doubt, and which of them is played.

    Attributes
    ----------
    counterparts : Counterparts
    scale, discrepancy_scale : float64 arrays, shape (horizon,)
        The factors of the confidence terms of reward and discrepancy, by round.
    tau : float
    safest : bool
        Whether the arm with the smallest UCB_Delta is played if no arm is fair beyond doubt.
    stochastic : bool
        Whether a round may choose randomly between two arms.
    """

    counterparts: Counterparts
    scale: FloatArray
    discrepancy_scale: FloatArray
    tau: float
    safest: bool
    stochastic: bool


class Room(NamedTuple):
    """Scratch memory for `_choose`: UCB_a, UCB_Delta_a and the mean width of each arm; and all arms' indices."""

    reward: FloatArray
    unfairness: FloatArray
    width: FloatArray
    every_arm: IntArray

    @classmethod
    def of(cls, arms: int) -> Room:
        """Allocate the workspace for ``arms`` arms."""
        return cls(np.empty(arms), np.empty(arms), np.empty(arms), np.arange(arms))


@loop
def _play(
    arms: IntArray,
    rewards: FloatArray,
    empty: FloatArray,
    queried: IntArray,
    room: Room,
    world: ContextualWorld,
    means: CellMeans,
    rule: Rule,
    queries: Queries,
    rng: np.random.Generator,
) -> None:
    for i in range(len(arms)):  # line 3
        t, context = world.first + i, world.contexts[i]
        for k in range(queried.shape[1]):
            queried[i, k], _ = _choose(means, rule, queries.contexts[context, k], t, room, queries.rng)
        arms[i], empty[i] = _choose(means, rule, context, t, room, rng)
        rewards[i] = play_round(world, i, arms[i])  # line 8
        learn(means, world.values, rewards[i])  # line 9


@kernel
def _choose(
    means: CellMeans, rule: Rule, context: int, t: int, room: Room, rng: np.random.Generator
) -> tuple[int, float]:
    """Choose the arm of a round; return it, and 1.0 if no arm is fair beyond doubt, else 0.0."""
    index, unfairness, empty = room.reward, room.unfairness, 1.0
    upper_bounds(means, context, rule.scale[t], index)  # lines 4 and 5
    estimated_discrepancies(means, rule.counterparts, context, room.every_arm, unfairness)
    mean_widths(means, context, room.every_arm, room.width)
    for a in range(len(index)):  # line 6
        unfairness[a] += rule.discrepancy_scale[t] * room.width[a]
        if unfairness[a] <= rule.tau:
            empty = 0.0
    if empty == 0.0 and rule.stochastic:
        return mixed(index, unfairness, rule.tau, room.width, rng), empty
    for a in range(len(index)):  # line 7
        if empty == 0.0 and unfairness[a] > rule.tau:
            index[a] = -np.inf
        elif empty == 1.0 and rule.safest:
            index[a] = -unfairness[a]
    return largest(index, rng), empty


@kernel
def mixed(index: FloatArray, unfairness: FloatArray, tau: float, memory: FloatArray, rng: np.random.Generator) -> int:
    """Draw an arm from the policy pi with the largest E_pi[UCB_a] (Eq. 4 and 13).

    The maximum is over all policies with E_pi[UCB_Delta_a] <= tau. ``memory`` has an entry for each arm.
    """
    fair, other, share = best_mix(index, unfairness, tau, memory, rng)
    return other if share > 0.0 and rng.random() < share else fair


@kernel
def best_mix(
    index: FloatArray, unfairness: FloatArray, tau: float, memory: FloatArray, rng: np.random.Generator
) -> tuple[int, int, float]:
    """Return the best mix of two arms, one of them fair: both arms, and the other's share.

    At least one arm must be fair. ``memory`` has an entry for each arm.

    A linear program with one constraint has a solution that mixes at most two arms, one of them fair. Ties between
    mixes are broken at random.
    """
    for a in range(len(index)):
        memory[a] = index[a] if unfairness[a] <= tau else -np.inf
    fair = largest(memory, rng)
    best = -np.inf
    for a in range(len(index)):
        for b in range(len(index)):
            best = max(best, _mix(index, unfairness, tau, a, b)[0])
    if not best > index[fair] + TIE:
        return fair, fair, 0.0
    ties = 0
    for a in range(len(index)):
        for b in range(len(index)):
            ties += _mix(index, unfairness, tau, a, b)[0] >= best - TIE
    chosen = int(rng.random() * ties) if ties > 1 else 0
    for a in range(len(index)):
        for b in range(len(index)):
            value, share = _mix(index, unfairness, tau, a, b)
            if value >= best - TIE:
                if chosen == 0:
                    return a, b, share
                chosen -= 1
    return fair, fair, 0.0


@kernel
def _mix(index: FloatArray, unfairness: FloatArray, tau: float, a: int, b: int) -> tuple[float, float]:
    """Return the value of the best mix of a fair arm and an unfair one with a larger index, and the latter's share.

    The value of any other two arms is minus infinity.
    """
    if unfairness[a] <= tau < unfairness[b] and index[b] > index[a]:
        share = (tau - unfairness[a]) / (unfairness[b] - unfairness[a])
        return index[a] + share * (index[b] - index[a]), share
    return -np.inf, 0.0
