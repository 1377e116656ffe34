"""Optimal allocation matching (OAM), and the rounds of OAM-PCB."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import BoolArray, FloatArray, IntArray
from causal_bandits.checks import NOT_NEGATIVE, POSITIVE, Constraints, constrained
from causal_bandits.compiled import jit, kernel
from causal_bandits.estimation import ridge
from causal_bandits.estimation.allocation import allocate, extend, inverse, outside
from causal_bandits.models.contextual import ContextualBandit, ContextualWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.contextual.helpers.features import feature_vectors
from causal_bandits.policies.helpers.choice import TIE, largest


@dataclass(frozen=True)
@constrained
class OAM:
    """Play arms in the proportions that tell them apart with the least regret (OAM).

    Use it for long horizons if rewards are linear in context and arm, with one theta for all arms and 1-sub-Gaussian
    noise. It needs the horizon T. For short horizons, where it mostly explores, use `LinUCB`.

    Line numbers are those of huang2024, Algorithm 5, without bounds (departures: L57 to L60, E12):

    1. (line 2) In every round observe the context. As long as the features of the arms played so far do not span the
       whole space, play an arm that extends their span (L60).
    2. (line 4) Check whether the width of each estimate in this context is small compared with its gap.
    3. (lines 5 to 9) If so, exploit: play the arm with the largest estimate.
    4. (line 12) If not, explore, and add 1 to s.
    5. (line 3) Solve for the allocation again if a gap has changed by more than ``tolerance`` since it was last solved
       (L59).
    6. (lines 13 and 14) If every arm has been played as often as its allocation demands, play LinUCB's choice.
    7. (line 16) Otherwise find b_2, the arm played least in this context.
    8. (lines 17 to 22) If b_2 was played at most eps_t s times, play it. Otherwise play b_1, the arm that lags most
       behind its allocation.
    9. (line 26) Update the least-squares estimate and the gaps.

    Parameters
    ----------
    c : float
        The constant of f_{n,delta}; not published (L57).
    epsilon : float
        eps_t = epsilon / log log t, the rate of forced exploration (L57).
    intercept : bool
        Whether the features have a constant 1 (L53).
    tolerance : float
        Relative (L59).

    Notes
    -----
    Ties are broken at random (L54). Extras count the rounds so far of ``exploitation``, of ``wasted`` exploration (line
    14) and of ``forced`` exploration (line 18).

    References
    ----------
    Hao, Lattimore & Szepesvári 2020.

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import OAM
    >>> from causal_bandits.problems import make
    >>> run = play(OAM(), make("huang2024/synthetic"), 1000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 200)
    True
    """

    plays: ClassVar[type] = ContextualBandit
    extras: ClassVar[tuple[str, ...]] = ("exploitation", "wasted", "forced")
    constraints: ClassVar[Constraints] = {"c": POSITIVE, "epsilon": POSITIVE, "tolerance": NOT_NEGATIVE}

    c: float = 1.0
    epsilon: float = 1.0
    intercept: bool = True
    tolerance: float = 0.02

    def run(self, bandit: ContextualBandit, rounds: Rounds[ContextualWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If the features of the contexts that occur do not span R^d: then no warm-up can make G invertible.
        """
        features = feature_vectors(bandit, self.intercept)
        d = features.shape[-1]
        rank = np.linalg.matrix_rank(features[bandit.context_probabilities > 0].reshape(-1, d))
        if rank < d:
            raise ValueError(f"features span {rank} of {d} dimensions; optimal allocation matching needs all")
        known = Known(features, *self._bounds(bandit), rounds.horizon, *self._reach())
        tuning = Tuning(float(self.c), float(self.epsilon), float(self.tolerance))
        learnt = Learnt.nothing(*features.shape)
        for world in rounds:
            arms, rewards, kinds = _play(world, known, tuning, learnt, rng)
            ridge.check_condition(learnt.state, 1.0)
            rounds.record(
                arms,
                rewards,
                exploitation=kinds == EXPLOITATION,
                wasted=kinds == WASTED,
                forced=kinds == FORCED,
            )
        return {}

    def _bounds(self, bandit: ContextualBandit) -> tuple[FloatArray, FloatArray]:
        shape = (len(bandit.contexts), len(bandit.arms))
        return np.full(shape, -np.inf), np.full(shape, np.inf)

    def _reach(self) -> tuple[bool, bool]:
        """Return whether the bounds clip the gaps, and whether arms are left out."""
        return False, False


#: Ratios of pulls whose relative difference is below this are tied: the allocation is no more accurate than that.
TIE_OF_RATIOS = 1e-5

WARM_UP, EXPLOITATION, WASTED, FORCED, UNWASTED = 0, 1, 2, 3, 4


class Known(NamedTuple):
    """The knowledge that a run starts with.

    Attributes
    ----------
    features : float64 array, shape (contexts, arms, d)
    lower, upper : float64 arrays, shape (contexts, arms)
        Causal bounds; infinite if the policy uses none.
    horizon : int
        n.
    clips_gaps, leaves_out : bool
        Whether the bounds clip the gaps, and whether arms are left out (see `OAMPCB`).
    """

    features: FloatArray
    lower: FloatArray
    upper: FloatArray
    horizon: int
    clips_gaps: bool
    leaves_out: bool


class Tuning(NamedTuple):
    """The hyper-parameters of `OAM`."""

    c: float
    epsilon: float
    tolerance: float


class Gaps(NamedTuple):
    """Estimated suboptimality gaps, and which arms are kept; arrays of shape (contexts, arms)."""

    gaps: FloatArray
    kept: BoolArray


class Learnt(NamedTuple):
    """The state of a run.

    Attributes
    ----------
    state : Ridge
        G^-1, b and theta, once G is invertible.
    gram, b, basis : float64 arrays, shapes (d, d), (d,), (d, d)
        For the warm-up: G, b, and an orthonormal basis of the span of G.
    pulls : float64 array, shape (contexts, arms)
        N.
    now, solved : Gaps
        The current gaps, and those for which the allocation program was last solved.
    allocation : float64 array, shape (contexts, arms)
        T, the solution of the allocation program.
    smallest : float64 array, shape (1,)
        The smallest positive gap of an arm that is kept; 0 if there is none.
    counted : int64 array, shape (3,)
        The rank of G, s, and whether the program for `solved` still has to be solved.
    """

    state: ridge.Ridge
    gram: FloatArray
    b: FloatArray
    basis: FloatArray
    pulls: FloatArray
    now: Gaps
    solved: Gaps
    allocation: FloatArray
    smallest: FloatArray
    counted: IntArray

    @classmethod
    def nothing(cls, n_contexts: int, n_arms: int, d: int) -> Learnt:
        """Create the state before the first round."""
        shape = (n_contexts, n_arms)
        return cls(
            ridge.start(1, d, 1.0),
            np.zeros((d, d)),
            np.zeros(d),
            np.empty((d, d)),
            np.zeros(shape),
            now=Gaps(np.zeros(shape), np.ones(shape, dtype=np.bool_)),
            solved=Gaps(np.zeros(shape), np.zeros(shape, dtype=np.bool_)),
            allocation=np.zeros(shape),
            smallest=np.zeros(1),
            counted=np.zeros(3, dtype=np.int64),
        )


@kernel
def confidence(n: int, log_inverse_delta: float, d: int, c: float) -> float:
    """Return f_{n,delta} = 2 (1 + 1/log n) log(1/delta) + c d log(d log n); n counts as at least 3."""
    log_n = math.log(max(n, 3))
    return 2 * (1 + 1 / log_n) * log_inverse_delta + c * d * math.log(d * log_n)


@kernel
def estimate(theta: FloatArray, x: FloatArray) -> float:
    """Return the estimate theta' x."""
    mean = 0.0
    for i in range(len(theta)):
        mean += theta[i] * x[i]
    return mean


@kernel
def clipped(known: Known, c: int, a: int, mean: float) -> float:
    """Clip an estimate to the causal bounds of its context and arm (Alg. 5, line 7)."""
    return float(max(min(known.upper[c, a], mean), known.lower[c, a]))


@kernel
def estimated_gaps(known: Known, theta: FloatArray, now: Gaps) -> float:
    """Compute the gaps that theta implies in every context, and which arms are kept.

    Parameters
    ----------
    known : Known
    theta : float64 array, shape (d,)
    now : Gaps
        Overwritten. A gap is the context's largest estimate minus the arm's, clipped or not; 0 if below `TIE`. All arms
        are kept, or only those whose upper bound reaches the context's largest clipped estimate.

    Returns
    -------
    float
        The smallest positive gap of an arm that is kept; 0 if there is none.
    """
    features, gaps, kept = known.features, now.gaps, now.kept
    smallest = math.inf
    for c in range(features.shape[0]):
        best = -math.inf
        for a in range(features.shape[1]):
            gaps[c, a] = estimate(theta, features[c, a])
            if known.clips_gaps:
                gaps[c, a] = clipped(known, c, a, gaps[c, a])
            best = max(best, gaps[c, a])
        for a in range(features.shape[1]):
            gaps[c, a] = best - gaps[c, a]
            if gaps[c, a] < TIE:
                gaps[c, a] = 0.0
            kept[c, a] = not known.leaves_out or known.upper[c, a] >= best - TIE
            if kept[c, a] and gaps[c, a] > 0:
                smallest = min(smallest, gaps[c, a])
    return smallest if smallest < math.inf else 0.0


@kernel
def moved(now: Gaps, solved: Gaps, tolerance: float) -> bool:
    """Return whether a gap has changed by more than the relative ``tolerance``, or other arms are now kept or best."""
    gaps, kept, then, known = now.gaps, now.kept, solved.gaps, solved.kept
    for c in range(gaps.shape[0]):
        for a in range(gaps.shape[1]):
            if kept[c, a] != known[c, a] or (kept[c, a] and abs(gaps[c, a] - then[c, a]) > tolerance * then[c, a]):
                return True
    return False


@kernel
def _put_off(learnt: Learnt) -> None:
    """Store the current gaps; the program is solved for them when the allocation is needed (`_solve`)."""
    n_contexts, n_arms = learnt.now.gaps.shape
    for c in range(n_contexts):
        for a in range(n_arms):
            learnt.solved.gaps[c, a], learnt.solved.kept[c, a] = learnt.now.gaps[c, a], learnt.now.kept[c, a]
    learnt.counted[2] = 1


@jit
def _solve(known: Known, f_n: float, learnt: Learnt) -> None:
    """Solve the allocation program for the gaps stored last, unless this has been done: T = f_n w."""
    if not learnt.counted[2]:
        return
    learnt.counted[2] = 0
    gaps, kept = learnt.solved.gaps, learnt.solved.kept
    n_contexts, n_arms, d = known.features.shape
    w = allocate(known.features.reshape(-1, d), gaps.ravel(), kept.ravel(), kept.ravel())
    for c in range(n_contexts):
        for a in range(n_arms):
            learnt.allocation[c, a] = f_n * w[c * n_arms + a]


@jit
def _warmed_up(learnt: Learnt) -> None:
    """Start the regression from the warm-up's rounds, once their G is invertible."""
    state, inverted = learnt.state, inverse(learnt.gram)
    for p in range(len(learnt.b)):
        state.b[0, p] = learnt.b[p]
        for q in range(len(learnt.b)):
            state.inverse[0, p, q] = inverted[p, q]
            state.theta[0, p] += inverted[p, q] * learnt.b[q]


@kernel
def _is_enough(features: FloatArray, state: ridge.Ridge, now: Gaps, smallest: float, k: int, f_n: float) -> bool:
    """Return whether every kept arm is known well enough to exploit in context ``k`` (line 4)."""
    for a in range(features.shape[1]):
        if now.kept[k, a]:
            spread = ridge.squared_width(state, 0, features[k, a])
            if not spread <= max(smallest, now.gaps[k, a]) ** 2 / f_n:
                return False
    return True


@kernel
def _is_best_matched(pulls: FloatArray, now: Gaps, solved: Gaps, k: int, most: float) -> bool:
    """Return whether every best arm of context ``k`` has at least ``most`` pulls (the largest allocation).

    T is infinite where the gap is 0, so such an arm with fewer pulls has too few, whatever the other allocations are.
    """
    for a in range(pulls.shape[1]):
        if now.kept[k, a] and solved.kept[k, a] and solved.gaps[k, a] == 0.0 and pulls[k, a] < most:
            return False
    return True


@kernel
def _is_matched(pulls: FloatArray, kept: BoolArray, allocation: FloatArray, k: int, most: float) -> bool:
    """Return whether all arms of context ``k`` have been pulled as often as allocated (line 12)."""
    matched = True
    for a in range(pulls.shape[1]):
        matched = matched and (not kept[k, a] or pulls[k, a] >= min(allocation[k, a], most))
    return matched


@kernel
def _rank_by_span(
    features: FloatArray, basis: FloatArray, rank: int, k: int, index: FloatArray, rest: FloatArray
) -> None:
    """Give index 1 to the arms of context ``k`` whose features G does not span yet, and 0 to the others."""
    for a in range(len(index)):
        index[a] = 1.0 if outside(basis, rank, features[k, a], rest) else 0.0


@kernel
def _rank_by_estimate(known: Known, theta: FloatArray, k: int, index: FloatArray) -> None:
    """Rank the arms of context ``k`` by their clipped estimates (lines 5 to 9)."""
    for a in range(len(index)):
        index[a] = clipped(known, k, a, estimate(theta, known.features[k, a]))


@kernel
def _rank_by_optimism(known: Known, state: ridge.Ridge, kept: BoolArray, k: int, f_s: float, index: FloatArray) -> None:
    """Rank the arms of context ``k`` by their upper confidence bounds (lines 13 and 14, Eq. 16)."""
    for a in range(len(index)):
        if kept[k, a]:
            x = known.features[k, a]
            ucb = ridge.estimate(state, 0, x) + math.sqrt(f_s) * ridge.width(state, 0, x)
            index[a] = min(ucb, known.upper[k, a])
        else:
            index[a] = -math.inf


@kernel
def _rank_by_pulls(pulls: FloatArray, kept: BoolArray, k: int, index: FloatArray) -> None:
    """Rank the arms of context ``k`` by their pulls, fewest first (line 16, Eq. 17: b_2)."""
    for a in range(len(index)):
        index[a] = -pulls[k, a] if kept[k, a] else -math.inf


@kernel
def _rank_by_shortage(
    pulls: FloatArray, kept: BoolArray, allocation: FloatArray, k: int, most: float, index: FloatArray
) -> None:
    """Rank the arms of context ``k`` by how far they fall short of their allocation (lines 17 to 22: b_1)."""
    for a in range(len(index)):
        needed = min(allocation[k, a], most)
        index[a] = math.log(needed / pulls[k, a]) if kept[k, a] and needed > 0 else -math.inf


@jit
def _learn_before_the_inverse(learnt: Learnt, rank: int, x: FloatArray, reward: float) -> int:
    """Add a round to G and b while G is not invertible; return the rank of G."""
    for p in range(len(x)):
        for q in range(len(x)):
            learnt.gram[p, q] += x[p] * x[q]
        learnt.b[p] += reward * x[p]
    return extend(learnt.basis, rank, x)


@jit
def _play(
    world: ContextualWorld, known: Known, tuning: Tuning, learnt: Learnt, rng: np.random.Generator
) -> tuple[IntArray, FloatArray, NDArray[np.int8]]:
    features, n, (_, n_arms, d) = known.features, known.horizon, known.features.shape
    rounds, c = len(world.contexts), tuning.c
    arms, rewards, kinds = np.empty(rounds, dtype=np.int64), np.empty(rounds), np.empty(rounds, dtype=np.int8)
    f_n = confidence(n, math.log(max(n, 3)), d, c)
    state, now, solved, kept, pulls = learnt.state, learnt.now, learnt.solved, learnt.now.kept, learnt.pulls
    index, rest = np.empty(n_arms), np.empty(d)
    smallest, rank, s = learnt.smallest[0], learnt.counted[0], learnt.counted[1]
    for i in range(rounds):  # Alg. 5, line 2
        t, k = world.first + i, world.contexts[i]
        if rank < d:
            kinds[i] = WARM_UP
            _rank_by_span(features, learnt.basis, rank, k, index, rest)
            arm = largest(index, rng)
        elif _is_enough(features, state, now, smallest, k, f_n):  # line 4
            kinds[i] = EXPLOITATION
            _rank_by_estimate(known, state.theta[0], k, index)  # lines 5 to 9
            arm = largest(index, rng)
        else:
            if moved(now, solved, tuning.tolerance):  # line 3
                _put_off(learnt)
            most = f_n / smallest**2 if smallest > 0 else math.inf
            matched = _is_best_matched(pulls, now, solved, k, most)
            if matched:
                _solve(known, f_n, learnt)
                matched = _is_matched(pulls, kept, learnt.allocation, k, most)
            if matched:  # lines 13 and 14
                kinds[i] = WASTED
                f_s = confidence(n, 2 * math.log(s + 1), d, c)  # s is counted up on line 12
                _rank_by_optimism(known, state, kept, k, f_s, index)
                arm = largest(index, rng)
            else:  # line 16
                kinds[i] = FORCED
                _rank_by_pulls(pulls, kept, k, index)
                arm = largest(index, rng)
                if pulls[k, arm] > tuning.epsilon / math.log(math.log(max(t + 1, 3))) * s:  # lines 17 to 22
                    kinds[i] = UNWASTED
                    _solve(known, f_n, learnt)
                    _rank_by_shortage(pulls, kept, learnt.allocation, k, most, index)
                    arm = largest(index, rng, TIE_OF_RATIOS)
            s += 1
        arms[i], rewards[i] = arm, play_round(world, i, arm)
        pulls[k, arm] += 1
        if rank < d:
            rank = _learn_before_the_inverse(learnt, rank, features[k, arm], rewards[i])
            if rank == d:
                _warmed_up(learnt)
        else:
            ridge.learn(state, 0, features[k, arm], rewards[i])
        if rank == d:  # line 26
            smallest = estimated_gaps(known, state.theta[0], now)
    learnt.smallest[0], learnt.counted[0], learnt.counted[1] = smallest, rank, s
    return arms, rewards, kinds
