"""CCPE-General (xiong2023, Algorithm 3): best-arm identification on graphs with hidden variables.

Passive observations estimate the actions that have an admissible sequence (Definition 3). The other actions, and those
that are rarely observed, have to be played.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import jit, kernel
from causal_bandits.estimation.sequential_adjustment import Counts, Sequences, compile_sequences, estimate, observe
from causal_bandits.models.glm_bandit import GLMBandit, GLMWorld
from causal_bandits.policies.glm.helpers.best_arm import observing_arm
from causal_bandits.policies.glm.helpers.ccpe import (
    CCPE,
    CHALLENGE,
    CHOOSE,
    END,
    NEXT,
    WATCH,
    Intervals,
    Loop,
    Rule,
    choose,
    end_round,
    play_action,
    play_one_of_the_pair,
)

#: Stands for ``Z_a = |Z_a|`` in the logarithm of Eq. 16 where an action needs no covariates. With the 0 as printed the
#: radius is the square root of minus infinity, on every parallel graph (ledger E50).
LEAST_COVARIATES = 1

#: For `_play`: every iteration observes.
ALWAYS = -1


@dataclass(frozen=True)
class CCPEGeneral(CCPE):
    """CCPE-General: observe, play two actions, intersect their intervals.

    Parameters
    ----------
    epsilon, delta
        As in `Exploring`.
    divisor : float
        As in `CCPE`; 5 in Theorem 2.
    alpha_o, alpha_i : float
        As in `CCPE`, with the radii of Eq. 16: 8 and 2 in theory; others are the paper's "more aggressive" ones (ledger
        L132).
    """

    divisor: float = 5.0
    alpha_o: float = 8.0

    def _loop(self, bandit: GLMBandit) -> Loop:
        watcher, watch_until = watching(bandit, self.alpha_o, self._delta), self._watch_until
        return lambda world, known, rule, rng: _play(world, watcher, watch_until, known, rule, rng)

    @property
    def _watch_until(self) -> int:
        return ALWAYS


class Watcher(NamedTuple):
    """The counts of passive observations, and the constants of the radius beta_O of Eq. 16.

    Attributes
    ----------
    sequences : Sequences
    counts : Counts
    scale : float
        alpha_O.
    level : float64 array, shape (actions,)
        ``log(20 k |A| Z_a I_a / delta)``, to which log log(2t) is added.
    observing : int
        The number of do().
    """

    sequences: Sequences
    counts: Counts
    scale: float
    level: FloatArray
    observing: int


def watching(bandit: GLMBandit, alpha: float, delta: float) -> Watcher:
    """Create the watcher of a bandit, with an admissible sequence for every action that has one.

    Raises
    ------
    ValueError
        If do() is not among the actions.
    """
    observing, sequences = observing_arm(bandit), bandit.sequences
    level = np.zeros(len(sequences))
    for a, sequence in enumerate(sequences):
        if sequence is not None:
            covariates = sum(map(len, sequence.covariates))
            factor = 20 * len(sequence.treatment) * len(sequences) * max(covariates, LEAST_COVARIATES) * 2**covariates
            level[a] = math.log(factor / delta)
    compiled = compile_sequences(bandit.glm.variables, list(bandit.arms), sequences)
    return Watcher(*compiled, alpha, level, observing)


@jit
def _play(
    world: GLMWorld, watcher: Watcher, watch_until: int, known: Intervals, rule: Rule, rng: np.random.Generator
) -> tuple[IntArray, FloatArray, IntArray, IntArray]:
    """Play until the world or the run ends (see `Loop`).

    With ``watch_until`` >= 0 the first so many rounds of the run observe, and no others; with `ALWAYS` every iteration
    does.
    """
    n, step = len(world.uniforms), known.step
    arms, rewards = np.empty(n, dtype=np.int64), np.empty(n)
    by_watching, by_playing = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(n + 1):
        if step[NEXT] == CHOOSE:
            if choose(known, rule.epsilon, rng):  # lines 4 and 5
                step[NEXT] = END
                return arms[:i], rewards[:i], by_watching[:i], by_playing[:i]
            step[NEXT] = WATCH if watch_until < 0 or world.first + i < watch_until else CHALLENGE
        if i == n:
            break
        if step[NEXT] == WATCH:  # lines 8 to 12
            arms[i] = watcher.observing
            rewards[i] = play_action(world, i, arms[i], known, rule)
            observe(watcher.sequences, watcher.counts, world.values, rewards[i])
            _look(watcher, known)
            step[NEXT] = CHALLENGE if watch_until < 0 else CHOOSE
        else:
            arms[i], rewards[i] = play_one_of_the_pair(world, i, known, rule)
        by_watching[i], by_playing[i] = end_round(known)
    return arms, rewards, by_watching, by_playing


@kernel
def _look(watcher: Watcher, known: Intervals) -> None:
    """Estimate every action observed, with the radius beta_O(T_a, t) of Eq. 16."""
    more = math.log(math.log(2.0 * watcher.counts.total[0]))
    for a in range(len(known.watched)):  # lines 10 to 12
        mean, seen = estimate(watcher.sequences, watcher.counts, a)
        if seen > 0:
            known.watched[a] = mean
            known.watched_reach[a] = watcher.scale * math.sqrt((watcher.level[a] + more) / seen)
