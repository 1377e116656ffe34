"""What CCPE-General and CCPE-BGLM share (xiong2023, Algorithms 1 and 3): LUCB with two intervals per action.

An iteration plays do() and learns from it of all actions at once, then plays the action with the largest estimate, h,
and the one with the largest upper bound of the others, l; ties at random (ledger L138). An action's interval is the
intersection of what watching and what playing it say, its estimate the middle of that; 0 before anything is known.
Rounds of do() as h or l count for its own mean, not as observations (ledger L139).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import jit
from causal_bandits.policies.choice import largest
from causal_bandits.policies.exploration import Tally

#: What a round adds to: how many actions have their narrower interval from watching, and from playing.
EXTRAS = ("by_watching", "by_playing")

#: What ``step`` holds: what is to be played next, the number t of the iteration, its two actions, and how many actions
#: have their narrower interval from watching and from playing.
NEXT, ITERATION, LEADER, CHALLENGER, BY_WATCHING, BY_PLAYING = range(6)
#: What ``NEXT`` is: choose and watch; watch, chosen; play l; play h; nothing, the run has ended.
CHOOSE, WATCH, CHALLENGE, LEAD, END = range(5)


class Intervals(NamedTuple):
    """What is known of all actions, and what an iteration needs; float64 arrays of shape (actions,).

    Attributes
    ----------
    played : Tally
        Plays of an action as such, the passive observations among those of do().
    tried, tried_reach : arrays
        The estimate from playing, and the half width of its interval (infinite without plays).
    watched, watched_reach : arrays
        The same from watching.
    lower, upper, mean : arrays
        The intersection of both intervals and its middle.
    width : array, shape (1,)
        U_l - L_h - epsilon of the last choice: 0 or less where h may be the answer.
    room : array
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
        """Before the first round (line 2 of both algorithms)."""

        def filled(value: float) -> FloatArray:
            return np.full(actions, value)

        return cls(
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


@jit
def choose(known: Intervals, epsilon: float, rng: np.random.Generator) -> bool:
    """Lines 4 and 5: choose h and l for the next iteration; whether U_l <= L_h + epsilon, so that h may be right."""
    step, room = known.step, known.room
    step[ITERATION] += 1
    h = largest(known.mean, rng)
    for a in range(len(room)):
        room[a] = known.upper[a]
    room[h] = -np.inf
    step[LEADER], step[CHALLENGER] = h, largest(room, rng)
    known.width[0] = room[step[CHALLENGER]] - known.lower[h] - epsilon
    return bool(known.width[0] <= 0.0)


@jit
def learn(known: Intervals, action: int, reward: float, alpha: float, delta: float) -> None:
    """Lines 14 to 16: count one play of an action; its interval is mean -+ beta_I(N_a).

    beta_I(N) = ``alpha_I sqrt(log(|A| log(2 N) / delta) / N)``, with the action's own N in the logarithm too (ledger
    L133).
    """
    ones, plays = known.played.ones, known.played.plays
    ones[action] += reward
    plays[action] += 1
    known.tried[action] = ones[action] / plays[action]
    level = math.log(len(plays) * math.log(2 * plays[action]) / delta)
    known.tried_reach[action] = alpha * math.sqrt(level / plays[action])


@jit
def merge(known: Intervals) -> None:
    """Step 3: intersect what watching and what playing say; where they do not meet, the middle of the gap (L134)."""
    step = known.step
    step[BY_WATCHING] = step[BY_PLAYING] = 0
    for a in range(len(known.mean)):
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
