"""UCB+ for an unknown number of reward parents.

Its phases play ever fewer arms; earlier phases are kept as mixtures.

Source: Shahverdikondori, Etesami & Kiyavash 2026, "Graph Learning is Suboptimal in Causal Bandits" (arXiv 2510.16811),
in the steps of the authors' public code (L217); the paper's pseudo-code was not seen. The scheme is that of MOSS++ (Zhu
& Nowak 2020, "On Regret with Multiple Best Arms", arXiv 2006.14785): phase i plays a set S of q_i = 2^(r-i+1) arms for
T_i = 2^(r+i) ceil(v n / m) rounds, and each earlier phase is one more arm, its mixture, which plays an arm that was
played in a random round of that phase.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import check_choice, check_numbers
from causal_bandits.compiled import inlined, jit
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.scm.ucb_plus import UNPLAYED, largest_interventions

#: The arms of a phase after the first: those with the highest means so far, or fresh draws without their past samples.
NEXT = ("best", "fresh")


class Phase(NamedTuple):
    """One phase: the size of the set S, and how many rounds it lasts."""

    arms: int
    rounds: int


def phases(n: int, v: int, m: int, horizon: int) -> list[Phase]:
    """Return the phases of a run; their rounds sum up to the horizon.

    Parameters
    ----------
    n, v, m : int
        >= 1; see `causal_bandits.policies.scm.ucb_plus.Interventions`.
    horizon : int
        T >= 1.

    Examples
    --------
    >>> phases(8, 3, 3, 2000)
    [Phase(arms=64, rounds=1024), Phase(arms=32, rounds=976)]
    """
    r = math.ceil(math.log2(horizon) / 2)
    last = max(1, math.ceil(math.log2(horizon * m / (v * n)) / 2))  # i_f
    found, left = [], horizon
    for i in range(1, last + 1):
        rounds = min(left, 2 ** (r + i) * math.ceil(v * n / m))  # T_i
        found.append(Phase(2 ** (r - i + 1), rounds))  # q_i
        left -= rounds
    if left:  # after phase i_f, until T
        found.append(Phase(found[-1].arms, left))
    return [phase for phase in found if phase.rounds]


@dataclass(frozen=True)
class UCBPlusUnknown:
    """UCB in phases on random subsets of the interventions on m variables.

    The number of reward parents is not told.

    The index in round t of an arm, or of a mixture, with N samples is their mean + sqrt(alpha max(1, ln t) / N). The
    defaults are those of the authors' code. The arms taken into account are those of the bandit that set the most
    variables, m.

    Parameters
    ----------
    alpha : float
        > 0.
    divided : bool
        Whether alpha is divided by C(n, m), the number of sets of m variables.
    next_arms : {"best", "fresh"}
        See `NEXT`. The rounds after the last phase of the scheme play its best arms with ``best`` and keep its arms
        with ``fresh`` (L217).
    unplayed : {"one", "infinite"}
        The index of an arm, or a mixture, without a sample.
    """

    plays: ClassVar[type] = SCMBandit

    alpha: float = 0.1
    divided: bool = True
    next_arms: str = "best"
    unplayed: str = "one"

    def __post_init__(self) -> None:
        check_numbers(self, alpha="(0, inf)")
        check_choice("next_arms", self.next_arms, NEXT)
        check_choice("unplayed", self.unplayed, UNPLAYED)

    def run(self, bandit: SCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        own = largest_interventions(bandit)
        # step 1
        plan = phases(max(own.n, 1), own.v, max(own.m, 1), rounds.horizon)
        state = State.empty(len(own.arms), len(plan), rounds.horizon)
        index = Index(self.alpha / own.sets if self.divided else self.alpha, UNPLAYED[self.unplayed])
        chosen = rng.permutation(len(own.arms))[: plan[0].arms]  # step 2
        entered, t = list(chosen), 0
        for i, phase in enumerate(plan):
            if i and self.next_arms == "best":
                chosen = best(state.arms, entered, phase.arms, rng)  # step 6
                entered += [a for a in chosen if a not in set(entered)]
            elif i and phase.arms < plan[i - 1].arms:  # not after phase i_f
                chosen = rng.permutation(len(own.arms))[: phase.arms]
                state.arms.total[:], state.arms.samples[:] = 0, 0
            state.start[i] = t
            while t < state.start[i] + phase.rounds:
                world = rounds.take(int(state.start[i]) + phase.rounds - t)
                rounds.record(*_play(world, own.arms, chosen, state, i, t, index, rng))
                t += rounds.size
        return {}


class Sums(NamedTuple):
    """Sums of rewards, and numbers of samples; float64 arrays of one shape."""

    total: FloatArray
    samples: FloatArray


class Index(NamedTuple):
    """What the index is made of: alpha, and the value without a sample."""

    alpha: float
    unplayed: float


class State(NamedTuple):
    """What a run has seen.

    Attributes
    ----------
    arms, mixtures : Sums
        Of the arms, by position among those taken into account; of the mixtures, by phase.
    history : int64 array, shape (rounds,)
        The arm played in each round.
    start : int64 array, shape (phases,)
        The first round of each phase.
    """

    arms: Sums
    mixtures: Sums
    history: IntArray
    start: IntArray

    @classmethod
    def empty(cls, arms: int, phases: int, horizon: int) -> State:
        """Create the state before the first round."""
        of_arms, of_phases = (Sums(np.zeros(k), np.zeros(k)) for k in (arms, phases))
        return cls(of_arms, of_phases, np.zeros(horizon, dtype=np.int64), np.zeros(phases, dtype=np.int64))


def best(sums: Sums, entered: list[int], size: int, rng: np.random.Generator) -> IntArray:
    """Return the arms with the highest means.

    Of ties the one that entered earlier comes first. If the arms are too few, fresh draws fill them up.

    Parameters
    ----------
    sums : Sums
    entered : list of int
        The arms that were in a set S so far, in order.
    size : int
    rng : numpy.random.Generator
    """
    tried = [a for a in entered if sums.samples[a]]
    kept = sorted(tried, key=lambda a: -sums.total[a] / sums.samples[a])[:size]
    if len(kept) < size:
        new = np.setdiff1d(np.arange(len(sums.samples)), entered)
        kept += list(rng.permutation(new)[: size - len(kept)])
    return np.array(kept, dtype=np.int64)


@jit
def _play(
    world: SCMWorld,
    numbers: IntArray,
    chosen: IntArray,
    state: State,
    phase: int,
    t: int,
    index: Index,
    rng: np.random.Generator,
) -> tuple[IntArray, FloatArray]:
    n = len(world.uniforms)
    played, rewards = np.empty(n, dtype=np.int64), np.empty(n)
    for i in range(n):
        spread = index.alpha * max(1.0, math.log(t + i + 1))
        arm, mixture, highest = chosen[0], -1, -1.0
        for a in chosen:  # step 3
            value = _value(state.arms, a, spread, index.unplayed)
            if value > highest:
                arm, highest = a, value
        for j in range(phase):
            value = _value(state.mixtures, j, spread, index.unplayed)
            if value > highest:
                mixture, highest = j, value
        if mixture >= 0:  # step 4: the arm of a random round of that phase
            first, end = state.start[mixture], state.start[mixture + 1]
            arm = state.history[first + int(rng.random() * (end - first))]
        reward = play_round(world, i, numbers[arm])
        state.arms.total[arm] += reward  # step 5
        state.arms.samples[arm] += 1
        if mixture >= 0:
            state.mixtures.total[mixture] += reward
            state.mixtures.samples[mixture] += 1
        state.history[t + i] = arm
        played[i], rewards[i] = numbers[arm], reward
    return played, rewards


@inlined
def _value(sums: Sums, a: int, spread: float, unplayed: float) -> float:
    count = sums.samples[a]
    return sums.total[a] / count + math.sqrt(spread / count) if count else unplayed
