"""Track-and-Stop for Bernoulli rewards, a baseline that does not use observations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import Constraints, Interval, constrained
from causal_bandits.compiled import jit, kernel
from causal_bandits.models.glm_bandit import GLMBandit, GLMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.classical.kl_ucb import negative_entropy
from causal_bandits.policies.glm.helpers.best_arm import Exploring, Tally, capped, concluded
from causal_bandits.policies.helpers.choice import TIE, largest

#: Means are clipped to [CLIP, 1 - CLIP] before shares are computed: at 0 and 1 divergences are infinite.
CLIP = 1e-6
#: In both nested equations, Newton's method ends with a relative step below this; the error is about its square.
LAST = 1e-5
#: Arms whose lags, in rounds, differ by less than this are tied: the equations are not solved more accurately.
APART = 1e-6


@dataclass(frozen=True)
@constrained
class TrackAndStop(Exploring):
    """Identify the best action by playing in the proportions that need the fewest rounds (Track-and-Stop).

    Use it for rewards of 0 and 1 and a small delta: no algorithm that learns about an action only by playing it needs
    fewer rounds in the limit. If two actions may be equally good, use `LUCB`, which tolerates an error.

    It is D-tracking with Chernoff's stopping rule (L147); the steps are ours:

    1. Play every action once.
    2. Before each later round compare the best action so far with every other by a likelihood ratio. Stop if all ratios
       reach log(2 t (K - 1) / delta) after t rounds with K actions.
    3. If some action has been played fewer than sqrt(t) - K/2 times, play the one played least.
    4. Otherwise compute the shares of plays that would need the fewest rounds if the estimated means were the true
       ones, and play the action that lags most behind its share. Ties are broken at random.
    5. Update the action's mean with the reward.

    Parameters
    ----------
    epsilon : float
        The algorithm looks only for the best arm.
    delta : float
        The answer is wrong with at most this probability.

    Notes
    -----
    The outcome is that of `LUCB`.

    References
    ----------
    Garivier & Kaufmann 2016, Section 3.1 and Theorem 10.

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import TrackAndStop
    >>> from causal_bandits.problems import make
    >>> bandit = make("xiong2023/parallel", variables=2, effect=0.4)
    >>> run = play(TrackAndStop(), bandit, 20_000, generators(0, "example", seed=0))
    >>> bool(run.outcome["correct"])
    True
    """

    constraints: ClassVar[Constraints] = {"epsilon": Interval(0, 0, "both")}

    def run(self, bandit: GLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            For fewer than two arms.
        """
        if len(bandit.arms) < 2:
            raise ValueError("one arm: expected at least two")
        tally, shares = Tally.empty(len(bandit.arms)), Shares.unknown(len(bandit.arms))
        witness = np.zeros(1, dtype=np.int64)
        for world in rounds:
            rounds.record(*_play(world, tally, shares, witness, self.delta, rng))
            if witness[0] < 0:  # the best mean is not tied: the statistic of two equal means is 0
                return concluded(bandit, self.epsilon, _best(tally), tally.pulls)
        if not tally.pulls.all():
            return capped(math.inf)
        best = _best(tally)
        threshold = _threshold(rounds.horizon, len(bandit.arms), self.delta)
        return capped(threshold - apart(tally, best, least_apart(tally, best)))


class Shares(NamedTuple):
    """The shares w*, and the state of their solver; float64 arrays of shape (arms,).

    Attributes
    ----------
    share : array
        w*_a, each arm's share of all rounds.
    mean, entropy : arrays
        The means for which the shares are computed (see `learn`), and their `negative_entropy`.
    ratio, slope : arrays
        x_a = w*_a / w*_best, and the derivative of g_a there.
    level : array, shape (2,)
        The y of Garivier & Kaufmann's Theorem 5, as a fraction of its upper limit and in absolute terms.
    """

    share: FloatArray
    mean: FloatArray
    entropy: FloatArray
    ratio: FloatArray
    slope: FloatArray
    level: FloatArray

    @classmethod
    def unknown(cls, arms: int) -> Shares:
        """Create the state before the first solution."""
        room = (np.zeros(arms), np.zeros(arms), np.zeros(arms))
        return cls(*room, np.ones(arms), np.ones(arms), np.array([0.5, 0.0]))


@jit
def _play(
    world: GLMWorld, tally: Tally, shares: Shares, witness: IntArray, delta: float, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Play until the world or the run ends.

    ``witness`` is an arm that cannot yet be told apart from the best one; -1 once the run has ended. One such arm is
    enough to go on, and it usually remains one: all arms are compared only when it does not.
    """
    n, n_arms = len(world.uniforms), len(tally.pulls)
    arms, rewards, room = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n_arms)
    for i in range(n + 1):
        t = world.first + i  # rounds played so far
        if t >= n_arms:
            best, threshold = _best(tally), _threshold(t, n_arms, delta)  # step 2
            if witness[0] == best or apart(tally, best, witness[0]) >= threshold:
                witness[0] = least_apart(tally, best)
                if apart(tally, best, witness[0]) >= threshold:
                    witness[0] = -1
                    return arms[:i], rewards[:i]
        if i == n:
            break
        arm = t if t < n_arms else _next(tally, shares, t, room, rng)  # step 1
        arms[i], rewards[i] = arm, play_round(world, i, arm)
        tally.ones[arm] += rewards[i]
        tally.pulls[arm] += 1
        # step 5
        learn(shares, arm, tally.ones[arm] / tally.pulls[arm])
    return arms, rewards


@kernel
def _next(tally: Tally, shares: Shares, t: int, room: FloatArray, rng: np.random.Generator) -> int:
    """Choose the next arm by D-tracking.

    It is the arm with the fewest pulls if that number is below sqrt(t) - K/2, else the arm that lags most.
    """
    pulls = tally.pulls
    least = math.sqrt(t) - len(pulls) / 2
    forced = False
    for a in range(len(pulls)):
        forced |= pulls[a] < least  # step 3
        room[a] = -pulls[a]
    if not forced:
        optimal_shares(shares)  # step 4
        for a in range(len(pulls)):
            room[a] += t * shares.share[a]
    return largest(room, rng, APART)


@kernel
def _best(tally: Tally) -> int:
    """Return the first of the arms with the largest mean; which of them decides nothing, as the run then goes on."""
    best = 0
    for a in range(1, len(tally.pulls)):
        if tally.ones[a] * tally.pulls[best] > tally.ones[best] * tally.pulls[a]:
            best = a
    return best


@kernel
def _threshold(t: float, arms: int, delta: float) -> float:
    return math.log(2.0 * t * (arms - 1) / delta)


@kernel
def apart(tally: Tally, best: int, b: int) -> float:
    """Return the likelihood ratio statistic for the best arm a and ``b``.

    It is N_a d(mean_a, mean_ab) + N_b d(mean_b, mean_ab), where mean_ab is the mean of both arms' rewards together.
    """
    ones, pulls = tally.ones, tally.pulls
    both = pulls[best] + pulls[b]
    found = -both * negative_entropy((ones[best] + ones[b]) / both)
    for a in (best, b):
        found += pulls[a] * negative_entropy(ones[a] / pulls[a])
    return found  # type: ignore[no-any-return]


@kernel
def least_apart(tally: Tally, best: int) -> int:
    """Return the arm whose statistic `apart` from ``best`` is smallest; that statistic is Chernoff's."""
    found, least = -1, math.inf
    for b in range(len(tally.pulls)):
        if b != best:
            far = apart(tally, best, b)
            if far < least:
                found, least = b, far
    return found


@kernel
def learn(shares: Shares, arm: int, mean: float) -> None:
    """Set the mean of an arm, clipped away from 0 and 1."""
    shares.mean[arm] = min(max(mean, CLIP), 1 - CLIP)
    shares.entropy[arm] = negative_entropy(shares.mean[arm])


@kernel
def optimal_shares(shares: Shares) -> None:
    """Compute the optimal shares w* for the means ``shares.mean`` and write them into ``shares.share``.

    Source: Garivier & Kaufmann 2016, Theorem 5. Let a be the best arm, m = (mean_a + x mean_b) / (1 + x), and x_b the
    root of g_b(x) = d(mean_a, m) + x d(mean_b, m) = y. Then y is the root of F(y) = sum over b of d(mean_a, m) /
    d(mean_b, m) = 1, and w*_b is proportional to x_b, w*_a to 1. Newton's method solves both, starting from the
    previous solution: g_b is increasing and concave, F is increasing, and y is kept within a bracket. If several arms
    are best, they get equal shares and the others none.
    """
    mean, share, level = shares.mean, shares.share, shares.level
    best, tied = int(np.argmax(mean)), 0
    second = -1.0
    for a in range(len(mean)):
        tied += mean[a] >= mean[best] - TIE
        if a != best:
            second = max(second, mean[a])
    if tied > 1:
        for a in range(len(mean)):
            share[a] = 1 / tied if mean[a] >= mean[best] - TIE else 0.0
        return
    top = shares.entropy[best] - mean[best] * math.log(second) - (1 - mean[best]) * math.log(1 - second)
    low, high, y, step = 0.0, top, min(max(level[0], 0.01), 0.99) * top, 0.0
    for _ in range(200):
        total, slope = _quotients(shares, best, y)
        if total > 1.0:
            high = y
        else:
            low = y
        step = (1.0 - total) / slope
        if abs(step) <= LAST * y or high - low <= LAST * LAST * y:
            break
        y = y + step if low < y + step < high else (low + high) / 2
    level[0] = y / top
    whole = 1.0
    for a in range(len(mean)):
        share[a] = 1.0 if a == best else max(shares.ratio[a] + step / shares.slope[a], 0.0)
        whole += share[a] if a != best else 0.0
    for a in range(len(mean)):
        share[a] /= whole


@kernel
def _quotients(shares: Shares, best: int, y: float) -> tuple[float, float]:
    """Return F(y) and its slope; write x_b(y) to ``shares.ratio``, g_b's slope to ``shares.slope``."""
    mean, entropy, ratio = shares.mean, shares.entropy, shares.ratio
    p, total, slope = mean[best], 0.0, 0.0
    moved, shares.level[1] = y - shares.level[1], y
    for b in range(len(mean)):
        if b == best:
            ratio[b], shares.slope[b] = 1.0, 1.0
            continue
        q, x = mean[b], max(ratio[b] + moved / shares.slope[b], 0.0)
        for _ in range(100):
            m = (p + x * q) / (1 + x)
            log_m, log_1m = math.log(m), math.log(1 - m)
            above = entropy[best] - p * log_m - (1 - p) * log_1m
            below = entropy[b] - q * log_m - (1 - q) * log_1m
            # The tangent of a concave function lies above it: from anywhere the next x is at most the root.
            left = y - above - x * below
            if abs(left) <= LAST * x * below:
                break
            x = max(x + left / below, 0.0)
        # x increases with y at rate 1 / below, m decreases with x; the rest of y is included to first order.
        by_m = ((m - p) * below - (m - q) * above) / (m * (1 - m) * below * below)
        by_y = by_m * (q - p) / ((1 + x) * (1 + x) * below)
        ratio[b], shares.slope[b] = x + left / below, below
        total += above / below + by_y * left
        slope += by_y
    return total, slope
