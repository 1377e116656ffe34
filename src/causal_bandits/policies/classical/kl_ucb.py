"""kl-UCB for Bernoulli rewards, the base solver KL-UCB of lee2019.

Only the largest index matters, so the loop solves for only a few of them: if m is the index of the arm played last,
another arm's index exceeds m iff N KL(p, m) < f(t), which needs no logarithm once ln m and ln(1 - m) are known. The
choice is the same as if every index were solved for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import Constraints, Interval, constrained
from causal_bandits.compiled import inlined, kernel, loop
from causal_bandits.models.structural_bandit import StructuralBandit, World, play_round
from causal_bandits.policies.base import Outcome, Rounds, blank


@dataclass(frozen=True)
@constrained
class KLUCB:
    """Play the arm with the largest upper confidence bound based on Kullback-Leibler divergence (kl-UCB).

    Use it in place of `Thompson` if choices should not be random. For rewards of 0 and 1, no algorithm that knows only
    the arms has less regret in the long run. `Z2KLUCB` shares samples between arms.

    Line numbers are those of lee2019, Algorithm 3, without the lines for z2ID:

    1. (line 15) Play every arm once, in order.
    2. (lines 16 and 19) In every later round t compute each arm's index: the largest mu with N KL(p, mu) <= f(t), where
       p is the share of ones in the arm's N plays and f(t) = ln t + c ln ln t.
    3. (line 20) Choose the arm with the largest index; ties are broken at random (L05).
    4. (line 21) Play it, and update p and N.

    Parameters
    ----------
    c : float
        The factor of ln ln t. Above 10, indices round to 1 and cannot be told apart. f(t) = 1 for t < 3
        (L04).

    References
    ----------
    Garivier & Cappé 2011. It is the base solver KL-UCB of lee2019.

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import KLUCB
    >>> from causal_bandits.problems import make
    >>> run = play(KLUCB(), make("lee2019/frontdoor"), 1000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 100)
    True
    """

    plays: ClassVar[type] = StructuralBandit
    constraints: ClassVar[Constraints] = {"c": Interval(0, 10, "both")}

    c: float = 3.0

    def run(self, bandit: StructuralBandit[Any], rounds: Rounds[World[Any]], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        indices, ones = Indices.unknown(len(bandit.arms)), np.zeros(len(bandit.arms))
        for world in rounds:
            arms, rewards = blank(rounds.size)
            _play(arms, rewards, world, ones, indices, self.c, rng)
            rounds.record(arms, rewards)
        return {}


class Indices(NamedTuple):
    """The quantities that determine the arms' indices.

    Attributes
    ----------
    rate, pulls, entropy : float64 arrays, shape (arms,)
        Success rate p in [0, 1], number of pulls N (not necessarily whole), and `negative_entropy` of p.
    guess : float64 array, shape (arms,)
        An earlier value of each arm's index, used as the first guess in a later round.
    last : int64 array, shape (1,)
        The arm played last.
    """

    rate: FloatArray
    pulls: FloatArray
    entropy: FloatArray
    guess: FloatArray
    last: IntArray

    @classmethod
    def unknown(cls, arms: int) -> Indices:
        """Create the state before the first round."""
        return cls(np.zeros(arms), np.zeros(arms), np.zeros(arms), np.zeros(arms), np.zeros(1, dtype=np.int64))


@kernel
def exploration(t: float, c: float) -> float:
    """Return f(t) = ln t + c ln ln t for t >= 3, else 1 (lee2019, Algorithm 3; ledger L04)."""
    return math.log(t) + c * math.log(math.log(t)) if t >= 3 else 1.0


@kernel
def negative_entropy(p: float) -> float:
    """Return p ln p + (1-p) ln(1-p), the part of KL(p, q) that does not depend on q."""
    return p * math.log(p) + (1 - p) * math.log(1 - p) if 0.0 < p < 1.0 else 0.0


@kernel
def upper_index(p: float, divergence: float, start: float) -> float:
    """Return the largest mu in [p, 1] with KL(p, mu) <= divergence, by Newton's method.

    KL(p, .) is convex and increasing on [p, 1], so from the right of the root Newton's iterates fall towards it; from
    the left the first step lands on its right. A step that would leave (p, 1) goes halfway to the end that it would
    cross.

    Parameters
    ----------
    p : float
        In [0, 1].
    divergence : float
        > 0.
    start : float
        A guess, for instance the index in the previous round.
    """
    if p >= 1.0:
        return 1.0
    if p <= 0.0:
        return -math.expm1(-divergence)
    entropy = negative_entropy(p)
    mu = start if p < start < 1.0 else 0.5 * (p + 1.0)
    for _ in range(100):
        excess = entropy - p * math.log(mu) - (1 - p) * math.log(1 - mu) - divergence
        step = excess * mu * (1 - mu) / (mu - p)
        new = mu - step
        if new >= 1.0:
            new = 0.5 * (mu + 1.0)
        elif new <= p:
            new = 0.5 * (mu + p)
        if abs(new - mu) <= 1e-15 + 1e-13 * (1 - mu):
            return new
        mu = new
    return mu


@loop
def _play(
    arms: IntArray,
    rewards: FloatArray,
    world: World[Any],
    ones: FloatArray,
    indices: Indices,
    c: float,
    rng: np.random.Generator,
) -> None:
    n_arms = len(indices.rate)
    for i in range(len(arms)):
        t = world.first + i
        arm = t if t < n_arms else largest_index(exploration(t, c), indices, rng)  # lines 15, 16, 19 and 20
        reward = play_round(world, i, arm)  # line 21
        learn(ones, indices, arm, reward)
        arms[i], rewards[i] = arm, reward


@inlined
def learn(ones: FloatArray, indices: Indices, arm: int, reward: float) -> None:
    """Update p and N of the arm that was played (line 21)."""
    ones[arm] += reward
    indices.pulls[arm] += 1
    indices.rate[arm] = ones[arm] / indices.pulls[arm]
    indices.entropy[arm] = negative_entropy(indices.rate[arm])
    indices.last[0] = arm


@kernel
def largest_index(f: float, indices: Indices, rng: np.random.Generator) -> int:
    """Return the arm with the largest index, breaking ties at random.

    Two arms are tied if they have the same rate and the same number of pulls, up to rounding, or if both rates are 1:
    then both indices are 1.

    Parameters
    ----------
    f : float
        The value of the exploration function f(t), > 0.
    indices : Indices
        All arms have pulls > 0.
    rng : numpy.random.Generator
        For ties.
    """
    rate, pulls, entropy, guess = indices.rate, indices.pulls, indices.entropy, indices.guess
    best = int(indices.last[0])
    m = guess[best] = upper_index(rate[best], f / pulls[best], guess[best])
    log_m, log_1m = _logs(m)
    for x in range(len(rate)):
        if m == 1.0:
            break
        if x != best and (rate[x] >= m or entropy[x] - rate[x] * log_m - (1 - rate[x]) * log_1m < f / pulls[x]):
            larger = upper_index(rate[x], f / pulls[x], guess[x])
            guess[x] = larger
            if larger > m:
                best, m = x, larger
                log_m, log_1m = _logs(m)
    ties = 0
    for x in range(len(rate)):
        ties += tied(x, best, rate, pulls)
    if ties > 1:
        chosen = int(rng.random() * ties)
        for x in range(len(rate)):
            if tied(x, best, rate, pulls):
                if chosen == 0:
                    return x
                chosen -= 1
    return best


@kernel
def _logs(m: float) -> tuple[float, float]:
    return (math.log(m), math.log(1 - m)) if m < 1.0 else (0.0, -math.inf)


@kernel
def tied(x: int, best: int, rate: FloatArray, pulls: FloatArray) -> bool:
    """Return whether the index of arm ``x`` is the largest, as that of ``best`` is."""
    same_rate = abs(rate[x] - rate[best]) <= 1e-10
    same_pulls = abs(pulls[x] - pulls[best]) <= 1e-10 * pulls[best]
    return bool((same_rate and same_pulls) or (rate[x] == 1.0 and rate[best] == 1.0))
