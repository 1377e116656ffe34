"""Track-and-Stop (Garivier & Kaufmann 2016) for Bernoulli rewards: a modern baseline of xiong2023 that does not watch.

Each round plays the arm that lags most behind the shares with which the fewest rounds are needed if the means are what
they seem (D-tracking); the run ends once a generalised likelihood ratio tells the best arm from every other. Its rounds
are asymptotically optimal, as delta goes to 0, among algorithms that learn of an arm by playing it alone.
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
from causal_bandits.policies.choice import TIE, largest
from causal_bandits.policies.exploration import Exploring, Tally, capped, concluded
from causal_bandits.policies.kl_ucb import negative_entropy

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: Means nearer to 0 or 1 are moved here before shares are computed: there divergences are infinite.
CLIP = 1e-6
#: Both of the nested equations are solved to this, relative to what is solved for.
SOLVED = 1e-10
#: Arms that lag equally far, in rounds, but for what is left of the equations.
APART = 1e-6


@dataclass(frozen=True)
class TrackAndStop(Exploring):
    """Track-and-Stop with D-tracking, Chernoff's stopping rule and its threshold log(2 t (K - 1) / delta).

    Garivier & Kaufmann 2016, Section 3.1 and Theorem 10, by which the answer is wrong with probability delta at most
    (ledger L147). Every arm is played once first; ties at random.

    Parameters
    ----------
    epsilon : float
        0: the algorithm looks for the best arm.
    delta
        As in `Exploring`.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epsilon:
            raise ValueError(f"epsilon={self.epsilon}: expected 0, Track-and-Stop looks for the best arm alone")

    def run(self, bandit: GLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            For fewer than two arms.
        """
        if len(bandit.arms) < 2:
            raise ValueError("one arm: expected at least two")
        tally, shares, lead = Tally.empty(len(bandit.arms)), Shares.unknown(len(bandit.arms)), np.full(1, np.inf)
        for world in rounds:
            rounds.record(*_play(world, tally, shares, lead, self.delta, rng))
            if lead[0] <= 0:
                return concluded(bandit, self.epsilon, int((tally.ones / tally.plays).argmax()), tally.plays)
        return capped(float(lead[0]))


class Shares(NamedTuple):
    """The shares w*, and where the solver left off; float64 arrays of shape (arms,).

    Attributes
    ----------
    share : array
        w*_a, of all rounds.
    ratio : array
        x_a = w*_a / w*_best, the first guess of the next solution.
    mean, entropy : arrays
        Room.
    level : array, shape (1,)
        The y of Garivier & Kaufmann's Theorem 5, relative to its upper limit.
    """

    share: FloatArray
    ratio: FloatArray
    mean: FloatArray
    entropy: FloatArray
    level: FloatArray

    @classmethod
    def unknown(cls, arms: int) -> Shares:
        """Before the first solution."""
        return cls(np.zeros(arms), np.ones(arms), np.zeros(arms), np.zeros(arms), np.full(1, 0.5))


@jit
def _play(
    world: GLMWorld, tally: Tally, shares: Shares, lead: FloatArray, delta: float, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Play until the world or the run ends; ``lead`` then holds threshold less statistic (0 or less: it has ended)."""
    n, n_arms = len(world.uniforms), len(tally.plays)
    arms, rewards, room = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n_arms)
    for i in range(n + 1):
        t = world.first + i  # rounds played so far
        if t >= n_arms:
            lead[0] = math.log(2.0 * t * (n_arms - 1) / delta) - statistic(tally)
            if lead[0] <= 0.0:
                return arms[:i], rewards[:i]
        if i == n:
            break
        arm = t if t < n_arms else _next(tally, shares, t, room, rng)
        arms[i], rewards[i] = arm, play_round(world, i, arm)
        tally.ones[arm] += rewards[i]
        tally.plays[arm] += 1
    return arms, rewards


@jit
def _next(tally: Tally, shares: Shares, t: int, room: FloatArray, rng: np.random.Generator) -> int:
    """D-tracking: the arm with the fewest plays if that is below sqrt(t) - K/2, else the one that lags most."""
    ones, plays = tally.ones, tally.plays
    least = math.sqrt(t) - len(plays) / 2
    forced = False
    for a in range(len(plays)):
        forced |= plays[a] < least
        room[a] = -plays[a]
    if not forced:
        for a in range(len(plays)):
            shares.mean[a] = ones[a] / plays[a]
        optimal_shares(shares)
        for a in range(len(plays)):
            room[a] += t * shares.share[a]
    return largest(room, rng, APART)


@jit
def statistic(tally: Tally) -> float:
    """Chernoff's: min over b of N_a d(mean_a, mean_ab) + N_b d(mean_b, mean_ab), a the best and ab both together."""
    ones, plays = tally.ones, tally.plays
    best = 0
    for a in range(1, len(plays)):
        if ones[a] * plays[best] > ones[best] * plays[a]:
            best = a
    least = math.inf
    for b in range(len(plays)):
        if b != best:
            both = plays[best] + plays[b]
            apart = -both * negative_entropy((ones[best] + ones[b]) / both)
            for a in (best, b):
                apart += plays[a] * negative_entropy(ones[a] / plays[a])
            least = min(least, apart)
    return least


@jit
def optimal_shares(shares: Shares) -> None:
    """Put the shares w* for the means ``shares.mean`` in ``shares.share`` (Garivier & Kaufmann 2016, Theorem 5).

    Let a be the best arm, m = (mean_a + x mean_b) / (1 + x), and x_b the root of g_b(x) = d(mean_a, m) + x d(mean_b, m)
    = y. Then y is the root of F(y) = sum over b of d(mean_a, m) / d(mean_b, m) = 1, and w*_b is proportional to x_b,
    w*_a to 1. Newton in both: g_b is increasing and concave, F increasing and kept between its bounds. Where several
    arms are best, each has the same share and no other any.
    """
    mean, ratio, share = shares.mean, shares.ratio, shares.share
    best, tied = 0, 0
    for a in range(len(mean)):
        mean[a] = min(max(mean[a], CLIP), 1 - CLIP)
        shares.entropy[a] = negative_entropy(mean[a])
        if mean[a] > mean[best]:
            best = a
    second = -1.0
    for a in range(len(mean)):
        tied += mean[a] >= mean[best] - TIE
        if a != best:
            second = max(second, mean[a])
    if tied > 1:
        for a in range(len(mean)):
            share[a] = 1 / tied if mean[a] >= mean[best] - TIE else 0.0
        return
    top = negative_entropy(mean[best]) - mean[best] * math.log(second) - (1 - mean[best]) * math.log(1 - second)
    low, high, y = 0.0, top, min(max(shares.level[0], 0.01), 0.99) * top
    for _ in range(200):
        total, slope = _quotients(shares, best, y)
        if total > 1.0:
            high = y
        else:
            low = y
        step = (1.0 - total) / slope
        if abs(step) <= SOLVED * y or high - low <= SOLVED * y:
            break
        y = y + step if low < y + step < high else (low + high) / 2
    shares.level[0] = y / top
    ratio[best] = 1.0
    whole = ratio.sum()
    for a in range(len(mean)):
        share[a] = ratio[a] / whole


@jit
def _quotients(shares: Shares, best: int, y: float) -> tuple[float, float]:
    """F(y) and its slope; leaves x_b(y) in ``shares.ratio``."""
    mean, entropy, ratio = shares.mean, shares.entropy, shares.ratio
    p, total, slope = mean[best], 0.0, 0.0
    for b in range(len(mean)):
        if b == best:
            continue
        q, x = mean[b], ratio[b]
        for _ in range(100):
            m = (p + x * q) / (1 + x)
            log_m, log_1m = math.log(m), math.log(1 - m)
            above = entropy[best] - p * log_m - (1 - p) * log_1m
            below = entropy[b] - q * log_m - (1 - q) * log_1m
            # The tangent of a concave function lies above it: from anywhere the next x is at most the root.
            new = max(x + (y - above - x * below) / below, 0.0)
            if abs(new - x) <= SOLVED * x:
                break
            x = new
        ratio[b] = x
        total += above / below
        # x rises with y by 1 / below, m falls with x.
        by_m = ((m - p) * below - (m - q) * above) / (m * (1 - m) * below * below)
        slope += by_m * (q - p) / ((1 + x) * (1 + x) * below)
    return total, slope
