"""LUCB (Kalyanakrishnan et al. 2012), a baseline of xiong2023 that observes nothing.

An iteration plays two arms: h, with the largest mean, and l, with the largest upper bound of the others. The run ends
with the answer h once U_l <= L_h + epsilon. KL-LUCB is the same with bounds by Kullback-Leibler divergence (Kaufmann &
Kalyanakrishnan 2013).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import check_choice, check_numbers
from causal_bandits.compiled import inlined, jit, kernel
from causal_bandits.models.glm_bandit import GLMBandit, GLMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.classical.kl_ucb import negative_entropy, upper_index
from causal_bandits.policies.glm.helpers.best_arm import Exploring, Tally, capped, concluded
from causal_bandits.policies.helpers.choice import TIE, largest

#: Confidence bounds by name; K arms, N plays of an arm, iteration t.
BOUNDS = {
    "lucb1": 0,  # mean -+ sqrt(log(5/4 K t^4 / delta) / (2 N)), Kalyanakrishnan et al. 2012, Section 3
    "xiong": 1,  # mean -+ alpha sqrt(log(K log(2 N) / delta) / N), xiong2023, Eq. 16 with alpha_I
    "kl": 2,  # N kl(mean, bound) <= x + log x, x = log(405.5 K t^1.1 / delta), Kaufmann & Kalyanakrishnan 2013
}


@dataclass(frozen=True)
class LUCB(Exploring):
    """LUCB with one of several confidence bounds; every arm is played once first.

    Parameters
    ----------
    epsilon, delta
        As in `Exploring`.
    bounds : str
        A key of `BOUNDS`.
    alpha : float
        > 0, the factor of ``xiong`` (2 in theory).
    """

    bounds: str = "lucb1"
    alpha: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("bounds", self.bounds, BOUNDS)
        check_numbers(self, alpha="(0, inf)")

    def run(self, bandit: GLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        known = Known.nothing(len(bandit.arms))
        rule = Rule(BOUNDS[self.bounds], self.alpha, self.epsilon, self.delta)
        for world in rounds:
            rounds.record(*_play(world, known, rule, rng))
            if known.width[0] <= 0:
                return concluded(bandit, self.epsilon, int(known.step[LEADER]), known.tally.pulls)
        return capped(float(known.width[0]))


class Rule(NamedTuple):
    """The hyper-parameters, for compiled loops; ``bounds`` is a value of `BOUNDS`."""

    bounds: int
    alpha: float
    epsilon: float
    delta: float


class Known(NamedTuple):
    """What is known of all arms; float64 arrays of shape (arms,) unless stated.

    Attributes
    ----------
    tally : Tally
    mean : array
    own : array
        The part of an arm's bounds that depends on its own pulls alone, so that an iteration updates it for two arms:
        1 / sqrt(N) for ``lucb1``, the whole radius for ``xiong``, p log p + (1 - p) log(1 - p) for ``kl``.
    upper : array
        Memory.
    width : array, shape (1,)
        U_l - L_h - epsilon at the last choice: at most 0 where the run has ended.
    step : int64 array, shape (4,)
    """

    tally: Tally
    mean: FloatArray
    own: FloatArray
    upper: FloatArray
    width: FloatArray
    step: IntArray

    @classmethod
    def nothing(cls, arms: int) -> Known:
        """Create the state before the first round."""
        room = (np.zeros(arms), np.zeros(arms), np.zeros(arms))
        return cls(Tally.empty(arms), *room, np.full(1, np.inf), np.zeros(4, dtype=np.int64))


#: What ``Known.step`` holds: what to do next, the number of the iteration, and its two arms.
NEXT, ITERATION, LEADER, CHALLENGER = range(4)
#: The values of ``NEXT``: choose both arms, play the leader, play the challenger.
CHOOSE, LEAD, CHALLENGE = range(3)


@jit
def _play(world: GLMWorld, known: Known, rule: Rule, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
    """Play until the world or the run ends."""
    n, n_arms, step = len(world.uniforms), len(known.mean), known.step
    arms, rewards = np.empty(n, dtype=np.int64), np.empty(n)
    for i in range(n + 1):
        arm = world.first + i  # step 1
        if arm >= n_arms:  # every arm has been played once
            if step[NEXT] == CHOOSE:
                known.width[0] = _choose(known, rule, rng) - rule.epsilon  # step 2
                if known.width[0] <= 0.0:  # step 3
                    return arms[:i], rewards[:i]
                step[NEXT] = LEAD
            arm = step[LEADER] if step[NEXT] == LEAD else step[CHALLENGER]  # step 4
        if i == n:
            break
        if world.first + i >= n_arms:
            step[NEXT] = CHALLENGE if step[NEXT] == LEAD else CHOOSE
        arms[i], rewards[i] = arm, play_round(world, i, arm)
        _learn(known, rule, arm, rewards[i])  # step 5
    return arms, rewards


@inlined
def _learn(known: Known, rule: Rule, arm: int, reward: float) -> None:
    """Count one play of ``arm``."""
    known.tally.ones[arm] += reward
    known.tally.pulls[arm] += 1
    n = known.tally.pulls[arm]
    known.mean[arm] = known.tally.ones[arm] / n
    if rule.bounds == 0:
        known.own[arm] = 1.0 / math.sqrt(n)
    elif rule.bounds == 1:
        known.own[arm] = rule.alpha * math.sqrt(math.log(len(known.mean) * math.log(2 * n) / rule.delta) / n)
    else:
        known.own[arm] = negative_entropy(known.mean[arm])


@kernel
def _choose(known: Known, rule: Rule, rng: np.random.Generator) -> float:
    """Choose h and l, and return U_l - L_h."""
    mean, own, upper, step, n_arms = known.mean, known.own, known.upper, known.step, len(known.mean)
    step[ITERATION] += 1
    t = float(step[ITERATION])
    h = largest(mean, rng)
    if rule.bounds == 2:
        level = math.log(405.5 * n_arms * t**1.1 / rule.delta)
        level += math.log(level)  # the constant 405.5 is that of both terms together
        kl_upper_bounds(known, level)
        lower = 1.0 - upper_index(1.0 - mean[h], level / known.tally.pulls[h], 1.0 - mean[h])
    else:
        factor = math.sqrt(math.log(1.25 * n_arms * t**4 / rule.delta) / 2) if rule.bounds == 0 else 1.0
        for a in range(n_arms):
            upper[a] = mean[a] + factor * own[a]
        lower = mean[h] - factor * own[h]
    upper[h] = -np.inf
    step[LEADER], step[CHALLENGER] = h, largest(upper, rng)
    return float(upper[step[CHALLENGER]] - lower)


@kernel
def kl_upper_bounds(known: Known, level: float) -> None:
    """Write upper bounds into ``known.upper``: the two largest exactly, for the others a value below.

    Only the leader's bound and the largest of the others matter. An arm's bound exceeds m iff N kl(mean, m) < level,
    which takes no solving. So the mean stands for the bound of an arm if two bounds found before are larger by more
    than a tie. The two arms of the iteration before come first: they mostly have the largest bounds again.
    """
    mean, pulls, upper, step = known.mean, known.tally.pulls, known.upper, known.step
    first, second, log_m, log_1m = -1.0, -1.0, 0.0, 0.0
    first_arm, second_arm = -1, -1
    for i in range(-2, len(mean)):
        a = step[LEADER] if i == -2 else step[CHALLENGER] if i == -1 else i
        if i > -2 and (a == step[LEADER] or (i >= 0 and a == step[CHALLENGER])):
            continue
        p, allowed = mean[a], level / pulls[a]
        if p < second - TIE and known.own[a] - p * log_m - (1 - p) * log_1m > allowed:
            upper[a] = p
            continue
        # Arms with as many ones in as many pulls have the same bound; many do, and these mostly have the largest ones.
        if first_arm >= 0 and p == mean[first_arm] and pulls[a] == pulls[first_arm]:
            upper[a] = first
        elif second_arm >= 0 and p == mean[second_arm] and pulls[a] == pulls[second_arm]:
            upper[a] = second
        else:
            upper[a] = upper_index(p, allowed, p)
        if upper[a] > first:
            first, second, first_arm, second_arm = upper[a], first, a, first_arm
        elif upper[a] > second:
            second, second_arm = upper[a], a
        if second > TIE:
            log_m, log_1m = math.log(second - TIE), math.log(1 - second + TIE)
