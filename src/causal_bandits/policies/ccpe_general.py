"""CCPE-General (xiong2023, Algorithm 3): best-arm identification on graphs with hidden variables.

Watching estimates the actions that have an admissible sequence (Definition 3); the others, and those that are rarely
seen, have to be played.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import jit
from causal_bandits.estimation.sequential_adjustment import Counts, Sequences, compile_sequences, estimate, observe
from causal_bandits.models.glm_bandit import GLMBandit, GLMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.ccpe import (
    BY_PLAYING,
    BY_WATCHING,
    CHALLENGE,
    CHALLENGER,
    CHOOSE,
    END,
    EXTRAS,
    LEAD,
    LEADER,
    NEXT,
    WATCH,
    Intervals,
    choose,
    learn,
    merge,
)
from causal_bandits.policies.exploration import Exploring, capped, concluded, observing_arm

#: What stands for ``Z_a = |Z_a|`` in the logarithm of Eq. 16 where an action needs no covariates: with 0 as printed the
#: radius is the square root of minus infinity, on every parallel graph (ledger E50).
LEAST_COVARIATES = 1


@dataclass(frozen=True)
class CCPEGeneral(Exploring):
    """CCPE-General: watch, play two actions, intersect.

    Parameters
    ----------
    epsilon, delta
        As in `Exploring`.
    divisor : float
        >= 1; the algorithm is called with delta / divisor: 5 in Theorem 2.
    alpha_o, alpha_i : float
        > 0, of the radii of Eq. 16: 8 and 2 in theory; others are the paper's "more aggressive" ones (ledger L132).
    """

    extras: ClassVar[tuple[str, ...]] = EXTRAS

    divisor: float = 5.0
    alpha_o: float = 8.0
    alpha_i: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.divisor < 1 or self.alpha_o <= 0 or self.alpha_i <= 0:
            raise ValueError(
                f"divisor={self.divisor}, alpha_o={self.alpha_o}, alpha_i={self.alpha_i}: expected >= 1, > 0 and > 0"
            )

    def run(self, bandit: GLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        watcher = watching(bandit, self.alpha_o, self.delta / self.divisor)
        known = Intervals.unknown(len(bandit.arms))
        rule = Rule(self.epsilon, self.delta / self.divisor, self.alpha_i, watch_until=-1)
        return play_to_the_end(bandit, rounds, rng, watcher, known, rule)


class Rule(NamedTuple):
    """Hyper-parameters for compiled loops; the first ``watch_until`` rounds watch only, and no others; -1: all do."""

    epsilon: float
    delta: float
    alpha: float
    watch_until: int


class Watcher(NamedTuple):
    """What passive observations are counted in, and the constants of the radius beta_O of Eq. 16.

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
    """The watcher of a bandit, with an admissible sequence for every action that has one.

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


def play_to_the_end(
    bandit: GLMBandit,
    rounds: Rounds[GLMWorld],
    rng: np.random.Generator,
    watcher: Watcher,
    known: Intervals,
    rule: Rule,
) -> Outcome:
    """Play until the run ends or meets its cap."""
    for world in rounds:
        arms, rewards, by_watching, by_playing = _play(world, watcher, known, rule, rng)
        rounds.record(arms, rewards, by_watching=by_watching, by_playing=by_playing)
        if known.step[NEXT] == END:
            return concluded(bandit, rule.epsilon, int(known.step[LEADER]), known.played.plays)
    return capped(float(known.width[0]))


@jit
def _play(
    world: GLMWorld, watcher: Watcher, known: Intervals, rule: Rule, rng: np.random.Generator
) -> tuple[IntArray, FloatArray, IntArray, IntArray]:
    """Play until the world or the run ends.

    With arms and rewards: how many more actions are known better by watching, and by playing, after each round.
    """
    n, step = len(world.uniforms), known.step
    arms, rewards = np.empty(n, dtype=np.int64), np.empty(n)
    by_watching, by_playing = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for i in range(n + 1):
        if step[NEXT] == CHOOSE:
            if choose(known, rule.epsilon, rng):
                step[NEXT] = END
                return arms[:i], rewards[:i], by_watching[:i], by_playing[:i]
            step[NEXT] = WATCH if rule.watch_until < 0 or world.first + i < rule.watch_until else CHALLENGE
        if i == n:
            break
        known_before = step[BY_WATCHING], step[BY_PLAYING]
        if step[NEXT] == WATCH:  # lines 8 to 12
            arms[i] = watcher.observing
            rewards[i] = play_round(world, i, arms[i])
            observe(watcher.sequences, watcher.counts, world.values, rewards[i])
            learn(known, arms[i], rewards[i], rule.alpha, rule.delta)
            _look(watcher, known)
            step[NEXT] = CHALLENGE if rule.watch_until < 0 else CHOOSE
        else:  # lines 13 to 17
            arms[i] = step[CHALLENGER] if step[NEXT] == CHALLENGE else step[LEADER]
            rewards[i] = play_round(world, i, arms[i])
            learn(known, arms[i], rewards[i], rule.alpha, rule.delta)
            step[NEXT] = LEAD if step[NEXT] == CHALLENGE else CHOOSE
        if step[NEXT] == CHOOSE:
            merge(known)
        by_watching[i] = step[BY_WATCHING] - known_before[0]
        by_playing[i] = step[BY_PLAYING] - known_before[1]
    return arms, rewards, by_watching, by_playing


@jit
def _look(watcher: Watcher, known: Intervals) -> None:
    """Lines 10 to 12: estimate every action that has been seen, with the radius beta_O(T_a, t) of Eq. 16."""
    more = math.log(math.log(2.0 * watcher.counts.total[0]))
    for a in range(len(known.watched)):
        mean, seen = estimate(watcher.sequences, watcher.counts, a)
        if seen > 0:
            known.watched[a] = mean
            known.watched_reach[a] = watcher.scale * math.sqrt((watcher.level[a] + more) / seen)
