"""Code shared by CCPE-General and CCPE-BGLM (xiong2023): LUCB with two intervals per action.

The algorithms are xiong2023's Algorithms 3 and 1; the line numbers below are those of both.

An iteration plays do() and learns about all actions from what it observes. Then it plays l and h, where h is the action
with the largest estimate and l the one with the largest upper bound among the others; ties are broken at random (ledger
L138). An action's interval is the intersection of two: one from the passive observations, one from its own plays. Its
estimate is the middle of that interval, and 0 before anything is known. If do() is played as h or l, the round counts
towards the mean of do() and not as a passive observation (ledger L139).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import POSITIVE, Constraints, Interval, constrained
from causal_bandits.compiled import inlined, kernel
from causal_bandits.models.glm_bandit import GLMBandit, GLMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.glm.helpers.best_arm import Exploring, Tally, capped, concluded
from causal_bandits.policies.helpers.choice import largest

#: The entries of ``Intervals.step``: what to do next, the iteration t, the actions h and l, and the numbers of actions
#: whose narrower interval comes from observations, and from plays.
NEXT, ITERATION, LEADER, CHALLENGER, BY_WATCHING, BY_PLAYING = range(6)
#: The values of ``NEXT``: choose h and l; observe; play l; play h; stop, because the run has ended.
CHOOSE, WATCH, CHALLENGE, LEAD, END = range(5)


class Rule(NamedTuple):
    """The hyper-parameters that compiled loops read.

    Attributes
    ----------
    epsilon : float
    delta : float
        The algorithm's delta, after division by ``divisor``.
    alpha : float
        alpha_I.
    """

    epsilon: float
    delta: float
    alpha: float


class Intervals(NamedTuple):
    """The estimates of all actions, and the state of the iteration; float64 arrays of shape (actions,).

    Attributes
    ----------
    played : Tally
        The plays of each action; those of do() include the passive observations.
    tried, tried_reach : arrays
        The estimate from plays, and the half-width of its interval (infinite before the first play).
    watched, watched_reach : arrays
        The estimate from passive observations, and the half-width of its interval.
    lower, upper, mean : arrays
        The intersection of both intervals, and its middle.
    width : array, shape (1,)
        U_l - L_h - epsilon at the last choice; at most 0 if h may be the answer.
    room : array
        Scratch memory for `choose`.
    step : int64 array, shape (6,)
    """

    played: Tally
    tried: FloatArray
    tried_reach: FloatArray
    watched: FloatArray
    watched_reach: FloatArray
    lower: FloatArray
    upper: FloatArray
    mean: FloatArray
    width: FloatArray
    room: FloatArray
    step: IntArray

    @classmethod
    def unknown(cls, actions: int) -> Intervals:
        """Create the state before the first round."""

        def filled(value: float) -> FloatArray:
            return np.full(actions, value)

        return cls(  # line 2
            Tally.empty(actions),
            tried=filled(0.0),
            tried_reach=filled(np.inf),
            watched=filled(0.0),
            watched_reach=filled(np.inf),
            lower=filled(-np.inf),
            upper=filled(np.inf),
            mean=filled(0.0),
            width=np.full(1, np.inf),
            room=filled(0.0),
            step=np.zeros(6, dtype=np.int64),
        )


#: Plays the rounds of a world, or fewer if the run ends; returns arms, rewards, and what each round adds to the extras.
Loop: TypeAlias = Callable[
    [GLMWorld, Intervals, Rule, np.random.Generator], tuple[IntArray, FloatArray, IntArray, IntArray]
]


@dataclass(frozen=True)
@constrained
class CCPE(Exploring, ABC):
    """Base class for both algorithms, which differ in their estimates from observations and in when they end.

    The extras of a run count the actions whose narrower interval comes from observations (``by_watching``) and from
    plays (``by_playing``).

    Parameters
    ----------
    epsilon, delta
        As in `Exploring`.
    divisor : float
        The algorithm works with delta / divisor.
    alpha_o, alpha_i : float
        The factors of the radii beta_O and beta_I.
    """

    extras: ClassVar[tuple[str, ...]] = ("by_watching", "by_playing")
    constraints: ClassVar[Constraints] = {
        "divisor": Interval(1, math.inf, "left"),
        "alpha_o": POSITIVE,
        "alpha_i": POSITIVE,
    }

    divisor: float = 1.0
    alpha_o: float = 1.0
    alpha_i: float = 2.0

    def run(self, bandit: GLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If do() is not among the actions, or the algorithm does not apply to this model.
        """
        known, rule = Intervals.unknown(len(bandit.arms)), Rule(self.epsilon, self._delta, self.alpha_i)
        loop = self._loop(bandit)
        for world in rounds:
            arms, rewards, by_watching, by_playing = loop(world, known, rule, rng)
            rounds.record(arms, rewards, by_watching=by_watching, by_playing=by_playing)
            if known.step[NEXT] == END:
                return concluded(bandit, self.epsilon, int(known.step[LEADER]), known.played.pulls)  # line 6
        return capped(float(known.width[0]), self._missing_observations(bandit, float(known.step[ITERATION])))

    @property
    def _delta(self) -> float:
        return self.delta / self.divisor

    @abstractmethod
    def _loop(self, bandit: GLMBandit) -> Loop:
        """Create the loop of one run, with its own counts of observations."""

    def _missing_observations(self, bandit: GLMBandit, t: float) -> float:
        """Return how many observations a run that is cut off in iteration ``t`` lacks."""
        return 0.0


@kernel
def choose(known: Intervals, epsilon: float, rng: np.random.Generator) -> bool:
    """Choose h and l of the next iteration; return whether U_l <= L_h + epsilon."""
    step, room = known.step, known.room
    step[ITERATION] += 1
    h = largest(known.mean, rng)  # line 4
    for a in range(len(room)):
        room[a] = known.upper[a]
    room[h] = -np.inf
    step[LEADER], step[CHALLENGER] = h, largest(room, rng)
    known.width[0] = room[step[CHALLENGER]] - known.lower[h] - epsilon
    return bool(known.width[0] <= 0.0)  # line 5


@inlined
def play_action(world: GLMWorld, i: int, action: int, known: Intervals, rule: Rule) -> float:
    """Play ``action`` in round ``i``, learn from it as a play, and return the reward."""
    reward = float(play_round(world, i, action))
    learn(known, action, reward, rule.alpha, rule.delta)
    return reward


@inlined
def play_one_of_the_pair(world: GLMWorld, i: int, known: Intervals, rule: Rule) -> tuple[int, float]:
    """Play l, or h after l; return the action and the reward."""
    step = known.step
    action = step[CHALLENGER] if step[NEXT] == CHALLENGE else step[LEADER]  # lines 13 to 17
    reward = play_action(world, i, action, known, rule)
    step[NEXT] = LEAD if step[NEXT] == CHALLENGE else CHOOSE
    return action, reward


@kernel
def learn(known: Intervals, action: int, reward: float, alpha: float, delta: float) -> None:
    """Count one play of an action; its interval is mean -+ beta_I(N_a).

    beta_I(N) = ``alpha_I sqrt(log(|A| log(2 N) / delta) / N)``, with the action's own N in the logarithm too (ledger
    L133).
    """
    ones, pulls = known.played.ones, known.played.pulls
    ones[action] += reward  # lines 14 to 16
    pulls[action] += 1
    known.tried[action] = ones[action] / pulls[action]
    level = math.log(len(pulls) * math.log(2 * pulls[action]) / delta)
    known.tried_reach[action] = alpha * math.sqrt(level / pulls[action])


@kernel
def end_round(known: Intervals) -> tuple[int, int]:
    """Merge the intervals if the iteration is over; return what the round adds to the two extras of `CCPE`."""
    step = known.step
    by_watching, by_playing = step[BY_WATCHING], step[BY_PLAYING]
    if step[NEXT] == CHOOSE:
        merge(known)
    return step[BY_WATCHING] - by_watching, step[BY_PLAYING] - by_playing


@kernel
def merge(known: Intervals) -> None:
    """Intersect the two intervals of every action.

    If they do not overlap, the middle of the gap becomes the estimate (L134).
    """
    step = known.step
    step[BY_WATCHING] = step[BY_PLAYING] = 0
    for a in range(len(known.mean)):  # Algorithm 1, line 18
        watched, tried = known.watched_reach[a], known.tried_reach[a]
        if tried < watched:
            step[BY_PLAYING] += 1
        elif watched < np.inf:
            step[BY_WATCHING] += 1
        else:
            continue
        known.lower[a] = max(known.watched[a] - watched, known.tried[a] - tried)
        known.upper[a] = min(known.watched[a] + watched, known.tried[a] + tried)
        known.mean[a] = (known.lower[a] + known.upper[a]) / 2
