"""CCPE-General (xiong2023, Algorithm 3): best-arm identification on graphs with hidden variables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import constrained
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

#: Replaces ``Z_a = |Z_a|`` in the logarithm of Eq. 16 for an action that needs no covariates. With 0, as printed, the
#: radius would be the square root of minus infinity on every parallel graph (ledger E50).
LEAST_COVARIATES = 1

#: The value of ``watch_until`` in `_play` for which every iteration observes.
ALWAYS = -1


@dataclass(frozen=True)
@constrained
class CCPEGeneral(CCPE):
    """Identify the best action from plays and from observations, using admissible sequences (CCPE-General).

    Use it to reach a given confidence if you have the graph, including hidden causes: a round of do(), which must be
    among the actions, teaches about every action that has an admissible sequence (Definition 3). With the theoretical
    radii it needs very many rounds. `LUCB` does not use observations.

    Line numbers are those of xiong2023, Algorithm 3, except the last, which is from Algorithm 1:

    1. (line 2) Start with infinite intervals.
    2. (line 4) Choose h, the action with the largest estimate, and l, the one with the largest upper bound among the
       others; ties are broken at random (L138).
    3. (lines 5 and 6) Stop if the upper bound of l exceeds the lower bound of h by at most epsilon. The answer is h.
    4. (lines 8 to 12) Play do(), and update the estimates from observations, with the radius of Eq. 16 (L132).
    5. (lines 13 to 17) Play l, then h, and update the intervals from their own plays.
    6. (line 18) Intersect the two intervals of each action. Its estimate is the middle of the intersection, or of the
       gap if they do not overlap (L134).

    Parameters
    ----------
    epsilon : float
        How far below the best the mean of a correct answer may be.
    delta : float
        The answer is correct with probability at least 1 - delta.
    alpha_o, alpha_i : float
        Factors of the radii from observations and from plays: 8 and 2 in theory; smaller ones are "more
        aggressive" (L132).
    divisor : float
        The algorithm works with delta / divisor, 5 in Theorem 2.

    Notes
    -----
    If do() is played as h or l, the round counts towards the mean of do(), not as an observation (L139). The outcome is
    that of `LUCB`.

    References
    ----------
    Xiong & Chen 2023 (xiong2023).

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import CCPEGeneral
    >>> from causal_bandits.problems import make
    >>> bandit = make("xiong2023/parallel", variables=2, effect=0.4)
    >>> run = play(CCPEGeneral(epsilon=0.1, alpha_o=0.7, alpha_i=0.7), bandit, 20_000, generators(0, "example", seed=0))
    >>> bool(run.outcome["correct"])
    True
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
        The index of do().
    """

    sequences: Sequences
    counts: Counts
    scale: float
    level: FloatArray
    observing: int


def watching(bandit: GLMBandit, alpha: float, delta: float) -> Watcher:
    """Create the watcher for a bandit, with an admissible sequence for every action that has one.

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

    With ``watch_until`` >= 0, exactly the first ``watch_until`` rounds of the run observe; with `ALWAYS`, every
    iteration does.
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
    """Estimate every action that has observations, with the radius beta_O(T_a, t) of Eq. 16."""
    more = math.log(math.log(2.0 * watcher.counts.total[0]))
    for a in range(len(known.watched)):  # lines 10 to 12
        mean, seen = estimate(watcher.sequences, watcher.counts, a)
        if seen > 0:
            known.watched[a] = mean
            known.watched_reach[a] = watcher.scale * math.sqrt((watcher.level[a] + more) / seen)
