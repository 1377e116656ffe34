"""UCB+ for an unknown number of reward parents, using the scheme of MOSS++."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import POSITIVE, Constraints, constrained
from causal_bandits.compiled import inlined, jit
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.scm.ucb_plus import UNPLAYED, largest_interventions

#: The arms of a phase after the first: those with the highest means so far, or newly drawn ones without past samples.
NEXT = ("best", "fresh")


class Phase(NamedTuple):
    """One phase: the size of the set S, and the number of rounds."""

    arms: int
    rounds: int


def phases(n: int, v: int, m: int, horizon: int) -> list[Phase]:
    """Return the phases of a run; their rounds add up to the horizon.

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
    found.append(Phase(found[-1].arms, left))  # after phase i_f, until T
    return [phase for phase in found if phase.rounds]


@dataclass(frozen=True)
@constrained
class UCBPlusUnknown:
    """Play UCB in phases on random subsets of the largest interventions, for an unknown number of causes (UCB+).

    Use it instead of `UCBPlus` if you do not know how many causes the reward has. Each earlier phase is kept as an
    extra arm, its mixture, which plays the arm from a random round of that phase.

    The paper's pseudo-code was not available; the steps are those of the authors' code (L217), with our numbering:

    1. Consider the arms that set the most variables, m of n. Plan phases: phase i has a set S of 2^(r-i+1) arms and
       lasts 2^(r+i) ceil(v n / m) rounds, for v states and r = ceil(log2(T) / 2). After the last phase, i = ceil(log2(T
       m / (v n)) / 2), the same number of arms is played until T.
    2. Draw the arms of the first phase at random.
    3. In every round give each arm of S and each mixture an index: the mean of its N samples plus sqrt(alpha max(1, ln
       t) / N). Choose the largest, or the first of those tied.
    4. If a mixture was chosen, draw a random round of its phase, and choose the arm that was played in that round.
    5. Play the arm, and count the reward for it and for the mixture, if one was chosen.
    6. At the end of a phase, select the arms with the highest means so far for the next phase.

    Parameters
    ----------
    alpha : float
        The factor of the logarithm in an index.
    divided : bool
        Whether alpha is divided by C(n, m), the number of sets of m variables.
    next_arms : str
        Step 6, or new random arms without past samples. After the last phase, ``best`` plays the arms with the highest
        means so far, and ``fresh`` keeps that phase's arms (L217).
    unplayed : str
        The index of an arm or a mixture without samples.

    References
    ----------
    As for `UCBPlus`; the scheme is MOSS++: Zhu & Nowak 2020 (arXiv 2006.14785).
    """

    plays: ClassVar[type] = SCMBandit
    constraints: ClassVar[Constraints] = {"alpha": POSITIVE, "next_arms": NEXT, "unplayed": tuple(UNPLAYED)}

    alpha: float = 0.1
    divided: bool = True
    next_arms: str = "best"
    unplayed: str = "one"

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
    """Sums of rewards, and numbers of samples; float64 arrays of the same shape."""

    total: FloatArray
    samples: FloatArray


class Index(NamedTuple):
    """The parameters of the index: alpha, and the value without samples."""

    alpha: float
    unplayed: float


class State(NamedTuple):
    """The state of a run.

    Attributes
    ----------
    arms, mixtures : Sums
        The sums of the arms, by position among those considered, and of the mixtures, by phase.
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

    Among tied arms, the one that entered earlier comes first. If there are too few arms, newly drawn ones make up the
    number.

    Parameters
    ----------
    sums : Sums
    entered : list of int
        The arms that have been in a set S so far, in order of entry.
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
