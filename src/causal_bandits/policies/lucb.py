"""LUCB (Kalyanakrishnan et al. 2012): the baseline of xiong2023, which learns of an arm by playing it alone.

In each iteration the arm with the largest mean, h, and of the others the one with the largest upper bound, l, are
played; the run ends with the answer h once U_l <= L_h + epsilon. KL-LUCB is the same with bounds by Kullback-Leibler
divergence (Kaufmann & Kalyanakrishnan 2013).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_bandits.compiled import jit
from causal_bandits.models.binary_glm import GLMBandit, GLMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.choice import check_choice, largest
from causal_bandits.policies.exploration import Exploring, Tally, capped, concluded
from causal_bandits.policies.kl_ucb import negative_entropy, upper_index

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Confidence bounds by name; K arms, N plays of an arm, iteration t.
BOUNDS = {
    "lucb1": 0,  # mean -+ sqrt(log(5/4 K t^4 / delta) / (2 N)), Kalyanakrishnan et al. 2012, Section 3
    "xiong": 1,  # mean -+ alpha sqrt(log(K log(2 N) / delta) / N), xiong2023, Eq. 16 with alpha_I
    "kl": 2,  # N kl(mean, bound) <= log(405.5 K t^1.1 / delta), Kaufmann & Kalyanakrishnan 2013, Section 5
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
        if self.alpha <= 0:
            raise ValueError(f"alpha={self.alpha}: must be > 0")

    def run(self, bandit: GLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        tally, step = Tally.empty(len(bandit.arms)), np.zeros(4, dtype=np.int64)
        rule, width = Rule(BOUNDS[self.bounds], self.alpha, self.epsilon, self.delta), np.full(1, np.inf)
        for world in rounds:
            rounds.record(*_play(world, tally, step, width, rule, rng))
            if width[0] <= 0:
                return concluded(bandit, self.epsilon, int(step[LEADER]), tally.plays)
        return capped(float(width[0]))


class Rule(NamedTuple):
    """The hyper-parameters, for compiled loops; ``bounds`` is a value of `BOUNDS`."""

    bounds: int
    alpha: float
    epsilon: float
    delta: float


#: What ``step`` holds: what is to be done next, the number of the iteration, and its two arms.
NEXT, ITERATION, LEADER, CHALLENGER = range(4)
#: What ``NEXT`` is: choose both arms, play the leader, play the challenger.
CHOOSE, LEAD, CHALLENGE = range(3)


@jit
def _play(
    world: GLMWorld, tally: Tally, step: IntArray, width: FloatArray, rule: Rule, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Play until the world or the run ends; ``width`` then holds U_l - L_h - epsilon (0 or less: it has ended)."""
    n, n_arms = len(world.uniforms), len(tally.plays)
    arms, rewards, room = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n_arms)
    for i in range(n + 1):
        arm = world.first + i
        if arm >= n_arms:  # every arm has been played once
            if step[NEXT] == CHOOSE:
                width[0] = _choose(tally, step, rule, room, rng) - rule.epsilon
                if width[0] <= 0.0:
                    return arms[:i], rewards[:i]
                step[NEXT] = LEAD
            arm = step[LEADER] if step[NEXT] == LEAD else step[CHALLENGER]
        if i == n:
            break
        if world.first + i >= n_arms:
            step[NEXT] = CHALLENGE if step[NEXT] == LEAD else CHOOSE
        arms[i], rewards[i] = arm, play_round(world, i, arm)
        tally.ones[arm] += rewards[i]
        tally.plays[arm] += 1
    return arms, rewards


@jit
def _choose(tally: Tally, step: IntArray, rule: Rule, room: FloatArray, rng: np.random.Generator) -> float:
    """Choose h and l; U_l - L_h."""
    ones, plays, n_arms = tally.ones, tally.plays, len(tally.plays)
    step[ITERATION] += 1
    t = float(step[ITERATION])
    for a in range(n_arms):
        room[a] = ones[a] / plays[a]
    h = largest(room, rng)
    lower = room[h]
    if rule.bounds == 2:
        level = math.log(405.5 * n_arms * t**1.1 / rule.delta)
        _kl_upper_bounds(room, plays, level)
        lower = 1.0 - upper_index(1.0 - lower, level / plays[h], 1.0 - lower)
    else:
        level = math.log(1.25 * n_arms * t**4 / rule.delta) / 2
        for a in range(n_arms):
            room[a] += _radius(rule, plays[a], level, n_arms)
        lower = 2 * lower - room[h]
    room[h] = -np.inf
    step[LEADER], step[CHALLENGER] = h, largest(room, rng)
    return float(room[step[CHALLENGER]] - lower)


@jit
def _radius(rule: Rule, plays: float, level: float, n_arms: int) -> float:
    if rule.bounds == 0:
        return math.sqrt(level / plays)
    return rule.alpha * math.sqrt(math.log(n_arms * math.log(2 * plays) / rule.delta) / plays)


@jit
def _divergence(p: float, q: float) -> float:
    """kl(p, q) for 0 < q < 1."""
    return negative_entropy(p) - p * math.log(q) - (1 - p) * math.log(1 - q)


@jit
def _kl_upper_bounds(mean: FloatArray, plays: FloatArray, level: float) -> None:
    """Put in the place of every mean its upper bound: exact for the largest two, for others at most what it is.

    Only the leader's and the largest of the others are asked for. An arm's bound exceeds m iff N kl(mean, m) < level,
    which takes no solving; so an arm keeps its mean where two bounds found before are as large.
    """
    first, second = -1.0, -1.0
    for a in range(len(mean)):
        p, allowed = mean[a], level / plays[a]
        if p < second < 1.0 and _divergence(p, second) > allowed * (1 + 1e-9):  # what ties is solved for
            continue
        mean[a] = upper_index(p, allowed, p)
        if mean[a] > first:
            first, second = mean[a], first
        elif mean[a] > second:
            second = mean[a]
