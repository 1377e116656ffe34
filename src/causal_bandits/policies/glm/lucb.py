"""LUCB and KL-LUCB, baselines of xiong2023 that do not use observations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import POSITIVE, Constraints, constrained
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
@constrained
class LUCB(Exploring):
    """Identify the best action by playing the leader and its strongest rival (LUCB, KL-LUCB).

    Use it to reach a given confidence without a graph. `CCPEGeneral` also uses observations; `SuccessiveRejects` plays
    a fixed number of rounds.

    The steps are ours:

    1. Play every action once.
    2. Choose h, the action with the largest mean, and l, the one with the largest upper bound among the others.
    3. Stop if the upper bound of l exceeds the lower bound of h by at most epsilon. The answer is h.
    4. Otherwise play h, then l.
    5. Count each reward, and go back to step 2 when both have been played.

    Parameters
    ----------
    epsilon : float
        How far below the best the mean of a correct answer may be.
    delta : float
        The answer is correct with probability at least 1 - delta.
    bounds : str
        The source's bounds; those of xiong2023, Eq. 16; or bounds based on Kullback-Leibler divergence (KL-LUCB).
    alpha : float
        The factor of the ``xiong`` bounds, 2 in theory.

    Notes
    -----
    Outcome: ``sample_complexity``, the number of rounds; ``answer``; ``correct``, whether its mean is within epsilon of
    the best; ``observed_share``, the share of rounds that played do(); ``pulls_0``, ``pulls_1``, ..., how often each
    arm was played. A run that the horizon cuts off has ``unmet_width`` and ``unmet_observations``, which state what was
    missing (L143).

    References
    ----------
    Kalyanakrishnan et al. 2012; KL-LUCB: Kaufmann & Kalyanakrishnan 2013.

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import LUCB
    >>> from causal_bandits.problems import make
    >>> bandit = make("xiong2023/parallel", variables=2, effect=0.4)
    >>> run = play(LUCB(epsilon=0.1, bounds="kl"), bandit, 20_000, generators(0, "example", seed=0))
    >>> bool(run.outcome["correct"])
    True
    """

    constraints: ClassVar[Constraints] = {"bounds": tuple(BOUNDS), "alpha": POSITIVE}

    bounds: str = "lucb1"
    alpha: float = 2.0

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
    """The statistics of all arms; float64 arrays of shape (arms,) unless stated otherwise.

    Attributes
    ----------
    tally : Tally
    mean : array
    own : array
        The part of an arm's bounds that depends only on its own pulls, so an iteration updates it for just two arms: 1
        / sqrt(N) for ``lucb1``, the whole radius for ``xiong``, p log p + (1 - p) log(1 - p) for ``kl``.
    upper : array
        Scratch memory.
    width : array, shape (1,)
        U_l - L_h - epsilon at the last choice; at most 0 if the run has ended.
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


#: The entries of ``Known.step``: what to do next, the number of the iteration, and its two arms.
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
        level += math.log(level)  # the constant 405.5 is the one for the sum of both terms
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
    """Write upper bounds into ``known.upper``: the two largest exactly, lower values for the others.

    Only the leader's bound and the largest of the others matter. An arm's bound exceeds m iff N kl(mean, m) < level,
    which can be checked without solving for the bound. So an arm's mean replaces its bound if two bounds found earlier
    exceed that bound by more than `TIE`. The two arms of the previous iteration come first, since they usually have the
    largest bounds again.
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
        # Arms with equal numbers of ones and pulls have equal bounds; this is common, mostly among the largest.
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
