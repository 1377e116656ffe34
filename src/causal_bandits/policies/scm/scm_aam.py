"""SCM-AAM: approximate allocation matching with hidden causes (Wei, Elahi, Ghasemi & Kocaoglu 2023).

Source: "Approximate Allocation Matching for Structural Causal Bandits with Unobserved Confounders" (NeurIPS 2023). The
abstract and the authors' program were at hand; the paper's text was not seen (ledger L263). The diagram is known, and
with it which families of distributions its interventions can have: those of a canonical SCM (`models.canonical`). An
arm's index is the largest mean reward among all models that the rounds of all arms admit.

    1  play each arm r times in turn; n = 0
    2  in round t: h is the arm with the largest empirical mean m_h; U_x is the index of arm x
    3  if m_h > max U_x: play h
    4  else if min N_x < epsilon n: play the arm played least; n += 1
    5  else play the arm with the largest U_x; n += 1
    6  count what was seen
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import BoolArray, FloatArray, IntArray
from causal_bandits.checks import check_choice, check_numbers
from causal_bandits.compiled import jit
from causal_bandits.estimation.canonical_bounds import (
    MIXED,
    MIXED_AGAIN,
    Counted,
    count,
    largest_within,
    mix,
    most_likely,
    nothing_counted,
    product_probability,
    row_probabilities,
    saturated,
    uniform,
)
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.models.canonical import CanonicalArms, Products, canonical_arms
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.helpers.choice import TIE

#: Which models the counts admit.
CONFIDENCE_SETS = ("relative", "printed")
#: Whose indices the empirical mean of the leader is compared with.
LEADERS = ("others", "counted")
#: What bounds an arm's mean.
INDICES = ("supremum", "cells")
#: A mean exceeds an index if it does so by more than this.
MARGIN = 1e-9


@dataclass(frozen=True)
class SCMAAM:
    """Play the arm of the largest mean that a canonical SCM in the confidence set gives, or the leader.

    With L(q) the log-likelihood ratio of the empirical distributions to the model q, and l_t = (1 + gamma) log t, the
    set is {q : L(q) <= l_t} (``printed``) or {q : L(q) - min L <= l_t} (``relative``). The published player is
    ``printed``, ``counted``, ``cells``. It reads the diagram and the numbers of states; the arms are the problem's.

    Parameters
    ----------
    confidence_set : {"relative", "printed"}
        ``printed`` may be empty (L264). Then every index is the mean at the most likely model.
    leader : {"others", "counted"}
        Whether the leader is compared with the indices of the other arms, or with its own too (L263).
    index : {"supremum", "cells"}
        The largest E[Y | do(x)] within the set; or the sum over all v with reward 1 of the largest P_x(v), each alone.
    gamma : float
        > 0.
    epsilon : float
        >= 0; the share of rounds of exploration in which an arm played rarely is forced, for each arm.
    initial : int
        >= 1, r: rounds of each arm at the beginning.
    every : int
        >= 1; the indices are computed anew every so many rounds (L265).

    Notes
    -----
    The extras of a round are ``empty``, whether the set was empty when the indices were last computed; ``exploits``,
    whether step 3 chose the arm; and ``forced``, whether step 4 did. Where E[Y | do(x)] is not linear in the model, the
    supremum is the largest local maximum from three starts.
    """

    plays: ClassVar[type] = SCMBandit
    extras: ClassVar[tuple[str, ...]] = ("empty", "exploits", "forced")

    confidence_set: str = "relative"
    leader: str = "others"
    index: str = "supremum"
    gamma: float = 0.1
    epsilon: float = 0.05
    initial: int = 4
    every: int = 1

    def __post_init__(self) -> None:
        check_choice("confidence_set", self.confidence_set, CONFIDENCE_SETS)
        check_choice("leader", self.leader, LEADERS)
        check_choice("index", self.index, INDICES)
        check_numbers(self, gamma="(0, inf)", epsilon="[0, inf)")
        check_numbers(self, initial="integer in [1, inf)", every="integer in [1, inf)")

    def run(self, bandit: SCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`); nothing is random.

        Raises
        ------
        ValueError
            If the diagram has a c-component, or the arms have more cells, than `canonical_arms` takes.
        """
        arms = canonical_arms(bandit)
        state = first_state(arms, self.index == "cells")
        settings = Settings(
            self.confidence_set == "printed",
            self.leader == "counted",
            self.gamma,
            self.epsilon,
            self.initial,
            self.every,
        )
        for world in rounds:
            chosen, rewards, empty, exploits, forced = _play(world, arms, state, settings)
            rounds.record(chosen, rewards, empty=empty, exploits=exploits, forced=forced)
        return {}


class Settings(NamedTuple):
    """What does not change in a run (see `SCMAAM`)."""

    printed: bool
    counted: bool
    gamma: float
    epsilon: float
    initial: int
    every: int


class Targets(NamedTuple):
    """What is maximised over the confidence set: each arm's mean, or each cell with reward 1.

    Attributes
    ----------
    arm : int64 array, shape (targets,)
    products : Products
    first, last : int64 arrays, shape (targets,)
        The events of ``products``.
    concave : bool array, shape (targets,)
        Whether one start suffices.
    logarithm : bool
        Whether the logarithm is maximised: of a single cell.
    log_kappa : float64 array, shape (targets,)
        Where the last search ended.
    q : float64 array, shape (targets, length of q)
        The last maximisers.
    """

    arm: IntArray
    products: Products
    first: IntArray
    last: IntArray
    concave: BoolArray
    logarithm: bool
    log_kappa: FloatArray
    q: FloatArray


class State(NamedTuple):
    """The state of a run.

    Attributes
    ----------
    counted : Counted
    targets : Targets
    q, trial, other : float64 arrays, shape (length of q,)
        The most likely model, and memory.
    bound, mean : float64 arrays, shape (arms,)
        U_x and m_x.
    explored, empty : int64 arrays, shape (1,)
        n, and whether the confidence set was empty.
    """

    counted: Counted
    targets: Targets
    q: FloatArray
    trial: FloatArray
    other: FloatArray
    bound: FloatArray
    mean: FloatArray
    explored: IntArray
    empty: IntArray


def first_state(arms: CanonicalArms, cells: bool) -> State:
    """Create the state before the first round."""
    k = len(arms.stride)
    if cells:
        first = np.flatnonzero(arms.rewarded)
        arm = np.searchsorted(arms.cells.arm_start, first, side="right") - 1
        products, last, concave = arms.cells, first + 1, np.ones(len(first), dtype=np.bool_)
    else:
        arm, products, concave = np.arange(k), arms.events, arms.concave
        first, last = products.arm_start[:-1].copy(), products.arm_start[1:].copy()
    q = np.empty(arms.size)
    uniform(arms, q)
    targets = Targets(arm, products, first, last, concave, cells, np.zeros(len(first)), np.tile(q, (len(first), 1)))
    return State(
        nothing_counted(arms),
        targets,
        q,
        q.copy(),
        q.copy(),
        np.zeros(k),
        np.zeros(k),
        np.zeros(1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


@jit
def _play(
    world: SCMWorld, arms: CanonicalArms, state: State, settings: Settings
) -> tuple[IntArray, FloatArray, IntArray, IntArray, IntArray]:
    n, k = len(world.uniforms), len(state.mean)
    chosen, rewards, empty = np.empty(n, dtype=np.int64), np.empty(n), np.zeros(n, dtype=np.int64)
    exploits, forced = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    plays, begin = state.counted.plays, settings.initial * k
    for i in range(n):
        t = world.first + i
        if t < begin:
            x = t % k  # step 1
        else:
            if (t - begin) % settings.every == 0:
                write_indices(arms, state, settings.printed, (1 + settings.gamma) * np.log(t + 1))
            empty[i] = state.empty[0]
            h, rival = first_largest(state.mean), -np.inf  # step 2
            for other in range(k):
                if settings.counted or other != h:
                    rival = max(rival, state.bound[other])
            if state.mean[h] > rival + MARGIN:
                x = h  # step 3
                exploits[i] = 1
            else:
                x = int(np.argmin(plays))
                if plays[x] < settings.epsilon * state.explored[0]:
                    forced[i] = 1  # step 4
                else:
                    x = first_largest(state.bound)  # step 5
                state.explored[0] += 1
        rewards[i], chosen[i] = play_round(world, i, x), x
        cell = arms.cells.arm_start[x]
        for v in range(len(world.values)):
            cell += arms.stride[x, v] * world.values[v]
        count(arms, state.counted, x, cell)  # step 6
        state.mean[x] += (rewards[i] - state.mean[x]) / plays[x]
    return chosen, rewards, empty, exploits, forced


@jit
def write_indices(arms: CanonicalArms, state: State, printed: bool, level: float) -> None:
    """Write U_x of every arm, and whether the confidence set is empty."""
    counted, targets = state.counted, state.targets
    best = most_likely(arms, counted, state.q)
    if printed:
        level -= saturated(arms, counted) - best
    state.empty[0] = level <= 0
    state.bound[:] = 0.0
    if level <= 0:  # the limit of the largest value as the set shrinks
        row_probabilities(arms, state.q, counted.probability)
        for g in range(len(targets.arm)):
            for k in range(targets.first[g], targets.last[g]):
                state.bound[targets.arm[g]] += product_probability(targets.products, k, counted.probability)
        return
    for g in range(len(targets.arm)):
        value = _largest(arms, state, g, best, level)
        state.bound[targets.arm[g]] += np.exp(value) if targets.logarithm else value


@jit
def _largest(arms: CanonicalArms, state: State, g: int, best: float, level: float) -> float:
    """Return the largest value of one target; its maximiser is kept for the next time."""
    targets, trial = state.targets, state.trial
    found, at = -np.inf, targets.log_kappa[g]
    for start in range(1 if targets.concave[g] else 3):
        if start == 0:
            trial[:] = targets.q[g]
            mix(arms, trial, MIXED_AGAIN)
        elif start == 1:
            trial[:] = state.q
            mix(arms, trial, MIXED)
        else:
            uniform(arms, trial)
        value, log_kappa = largest_within(
            arms,
            state.counted,
            targets.products,
            targets.first[g],
            targets.last[g],
            targets.logarithm,
            best,
            level,
            targets.log_kappa[g],
            trial,
        )
        if value > found:
            found, at = value, log_kappa
            state.other[:] = trial
    targets.log_kappa[g] = at
    targets.q[g] = state.other
    return found


@jit
def first_largest(values: FloatArray) -> int:
    """Return the number of the first entry that is the largest, within `TIE`."""
    bound = values.max() - TIE
    a = 0
    while values[a] < bound:
        a += 1
    return a
