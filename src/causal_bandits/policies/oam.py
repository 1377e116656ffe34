"""Optimal allocation matching (Hao, Lattimore & Szepesvári 2020) and OAM-PCB, with causal bounds (huang2024, Alg. 5).

All arms share one theta, estimated by least squares; x = [context, arm, 1]. N counts the plays of each feature vector,
that is of each context and arm. Ledger L57 to L60 and E12 say where Algorithm 5 is read differently from its print.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from causal_bandits.compiled import jit
from causal_bandits.models.contextual import ContextualBandit, Rounds, play_round
from causal_bandits.policies import ridge
from causal_bandits.policies.allocation import allocate, extend, inverse, outside
from causal_bandits.policies.base import Run
from causal_bandits.policies.linear import TIE, feature_vectors, largest, prior_bounds

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class OAM:
    """Optimal allocation matching, for rewards with noise that is 1-sub-Gaussian; needs to know the horizon.

    Ties are broken at random (ledger L54). A run's extras count the rounds so far that were spent on ``exploitation``
    and on ``wasted`` and ``forced`` exploration; the others are unwasted exploration and the warm-up.

    Parameters
    ----------
    c : float
        > 0; the constant of f_{n,delta}, not published (ledger L57).
    epsilon : float
        > 0; eps_t = epsilon / log log t, the rate of forced exploration (ledger L57).
    intercept : bool
        Whether a constant 1 stands among the features (ledger L53).
    tolerance : float
        >= 0; the allocation program is solved again once a gap has moved by more than this, relatively (ledger L59).
    """

    plays: ClassVar[type] = ContextualBandit

    c: float = 1.0
    epsilon: float = 1.0
    intercept: bool = True
    tolerance: float = 0.02

    def __post_init__(self) -> None:
        if not (0 < self.c < math.inf and 0 < self.epsilon < math.inf):
            raise ValueError(f"c={self.c}, epsilon={self.epsilon}: both must be > 0 and finite")
        if not 0 <= self.tolerance < math.inf:
            raise ValueError(f"tolerance={self.tolerance}: must be >= 0 and finite")

    def run(
        self,
        problem: ContextualBandit,
        horizon: int,
        environment_rng: np.random.Generator,
        policy_rng: np.random.Generator,
    ) -> Run:
        """Play ``horizon`` rounds (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If the features of the contexts that occur do not span R^d: no warm-up makes G invertible.
        """
        lower, upper = self._bounds(problem)
        features = feature_vectors(problem, self.intercept)
        d = features.shape[-1]
        rank = np.linalg.matrix_rank(features[problem.context_probabilities > 0].reshape(-1, d))
        if rank < d:
            raise ValueError(f"features span {rank} of {d} dimensions; optimal allocation matching needs all")
        rounds = problem.rounds(horizon, environment_rng)
        arms, rewards, kinds = _play(
            rounds,
            features,
            lower,
            upper,
            float(self.c),
            float(self.epsilon),
            float(self.tolerance),
            policy_rng,
        )
        counted = {"exploitation": EXPLOITATION, "wasted": WASTED, "forced": FORCED}
        extras = {name: np.cumsum(kinds == kind, dtype=np.float64) for name, kind in counted.items()}
        return Run(arms, rewards, problem.regrets(arms, rounds.contexts), extras)

    def _bounds(self, problem: ContextualBandit) -> tuple[FloatArray, FloatArray]:
        shape = (len(problem.contexts), len(problem.arms))
        return np.full(shape, -np.inf), np.full(shape, np.inf)


@dataclass(frozen=True)
class OAMPCB(OAM):
    """OAM with the causal bounds ``lower`` and ``upper`` of the problem's prior (Alg. 5).

    Estimates are clipped to the bounds (line 7), and so are the gaps between them. An arm whose upper bound lies below
    the best estimate in the context is left out of everything for as long as that is so (ledger L58).
    """

    def _bounds(self, problem: ContextualBandit) -> tuple[FloatArray, FloatArray]:
        return prior_bounds(problem, "lower"), prior_bounds(problem, "upper")


#: Ratios of plays that agree relatively this closely tie: equal ones do so only as well as the allocation is solved.
TIE_OF_RATIOS = 1e-5

WARM_UP, EXPLOITATION, WASTED, FORCED, UNWASTED = 0, 1, 2, 3, 4


@jit
def confidence(n: int, log_inverse_delta: float, d: int, c: float) -> float:
    """f_{n,delta} = 2 (1 + 1/log n) log(1/delta) + c d log(d log n); a horizon n below 3 counts as 3."""
    log_n = math.log(max(n, 3))
    return 2 * (1 + 1 / log_n) * log_inverse_delta + c * d * math.log(d * log_n)


@jit
def clipped_gaps(
    features: FloatArray,
    theta: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    gaps: FloatArray,
    kept: NDArray[np.bool_],
) -> float:
    """What theta says of every context: gaps between clipped estimates, and the arms that may be best.

    Parameters
    ----------
    features : float64 array, shape (contexts, arms, d)
    theta : float64 array, shape (d,)
    lower, upper : float64 arrays, shape (contexts, arms)
    gaps : float64 array, shape (contexts, arms)
        Overwritten: the largest clipped estimate of the context minus the arm's; 0 if below `TIE`.
    kept : bool array, shape (contexts, arms)
        Overwritten: whether the arm's upper bound reaches the context's largest estimate.

    Returns
    -------
    float
        The smallest gap above zero of an arm that is kept, 0 if there is none.
    """
    smallest = math.inf
    for c in range(features.shape[0]):
        best = -math.inf
        for a in range(features.shape[1]):
            mean = 0.0
            for i in range(len(theta)):
                mean += theta[i] * features[c, a, i]
            gaps[c, a] = max(min(upper[c, a], mean), lower[c, a])  # Alg. 5, line 7
            best = max(best, gaps[c, a])
        for a in range(features.shape[1]):
            gaps[c, a] = best - gaps[c, a]
            if gaps[c, a] < TIE:
                gaps[c, a] = 0.0
            kept[c, a] = upper[c, a] >= best - TIE
            if kept[c, a] and gaps[c, a] > 0:
                smallest = min(smallest, gaps[c, a])
    return smallest if smallest < math.inf else 0.0


@jit
def moved(
    gaps: FloatArray, kept: NDArray[np.bool_], solved: FloatArray, known: NDArray[np.bool_], tolerance: float
) -> bool:
    """Whether a gap has moved relatively by more than ``tolerance``, or the arms kept or the best ones have changed."""
    for c in range(gaps.shape[0]):
        for a in range(gaps.shape[1]):
            if kept[c, a] != known[c, a] or (kept[c, a] and abs(gaps[c, a] - solved[c, a]) > tolerance * solved[c, a]):
                return True
    return False


@jit
def _play(
    rounds: Rounds,
    features: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    c: float,
    epsilon: float,
    tolerance: float,
    policy_rng: np.random.Generator,
) -> tuple[NDArray[np.int64], FloatArray, NDArray[np.int8]]:
    n, (n_contexts, n_arms, d) = len(rounds.contexts), features.shape
    arms, rewards, kinds = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n, dtype=np.int8)
    values, index = np.empty(rounds.uniforms.shape[1], dtype=np.int8), np.empty(n_arms)
    f_n = confidence(n, math.log(max(n, 3)), d, c)
    plays = np.zeros((n_contexts, n_arms))  # N
    gram, b = np.zeros((d, d)), np.zeros(d)  # of the warm-up
    basis, rest, rank = np.empty((d, d)), np.empty(d), 0
    state = ridge.start(1, d, 1.0)  # G^-1, b and theta, once G is invertible
    gaps, kept = np.zeros((n_contexts, n_arms)), np.ones((n_contexts, n_arms), dtype=np.bool_)
    solved, known = np.zeros((n_contexts, n_arms)), np.zeros((n_contexts, n_arms), dtype=np.bool_)
    allocation, needed, smallest, s = np.zeros((n_contexts, n_arms)), np.empty(n_arms), 0.0, 0
    for t in range(n):  # Alg. 5, line 2
        k = rounds.contexts[t]
        if rank < d:  # play what G does not span yet, if this context has it
            kinds[t] = WARM_UP
            for a in range(n_arms):
                index[a] = 1.0 if outside(basis, rank, features[k, a], rest) else 0.0
            arm = largest(index, policy_rng)
        else:
            enough = True  # line 4
            for a in range(n_arms):
                if kept[k, a]:
                    spread = ridge.squared_width(state, 0, features[k, a])
                    enough = enough and spread <= max(smallest, gaps[k, a]) ** 2 / f_n
            if enough:  # lines 5 to 9
                kinds[t] = EXPLOITATION
                for a in range(n_arms):
                    index[a] = -gaps[k, a]
                arm = largest(index, policy_rng)
            else:
                if moved(gaps, kept, solved, known, tolerance):  # line 3
                    solved[:], known[:] = gaps, kept
                    allocation[:] = f_n * allocate(
                        features.reshape(-1, d), gaps.ravel(), kept.ravel(), kept.ravel()
                    ).reshape(n_contexts, n_arms)
                matched = True
                for a in range(n_arms):
                    needed[a] = min(allocation[k, a], f_n / smallest**2 if smallest > 0 else math.inf)
                    matched = matched and (not kept[k, a] or plays[k, a] >= needed[a])
                if matched:  # lines 13 and 14, Eq. 16
                    kinds[t] = WASTED
                    f_s = confidence(n, 2 * math.log(s + 1), d, c)  # s is counted up on line 12
                    for a in range(n_arms):
                        if kept[k, a]:
                            x = features[k, a]
                            ucb = ridge.estimate(state, 0, x) + math.sqrt(f_s) * ridge.width(state, 0, x)
                            index[a] = min(ucb, upper[k, a])
                        else:
                            index[a] = -math.inf
                    arm = largest(index, policy_rng)
                else:  # line 16, Eq. 17
                    for a in range(n_arms):
                        index[a] = -plays[k, a] if kept[k, a] else -math.inf
                    arm = largest(index, policy_rng)  # b_2
                    kinds[t] = FORCED
                    if plays[k, arm] > epsilon / math.log(math.log(max(t + 1, 3))) * s:  # lines 17 to 22
                        for a in range(n_arms):
                            short = kept[k, a] and needed[a] > 0
                            index[a] = math.log(needed[a] / plays[k, a]) if short else -math.inf
                        arm = largest(index, policy_rng, TIE_OF_RATIOS)  # b_1
                        kinds[t] = UNWASTED
                s += 1
        arms[t], rewards[t] = arm, play_round(rounds, t, arm, values)
        x = features[k, arm]
        plays[k, arm] += 1
        if rank < d:
            for i in range(d):
                for j in range(d):
                    gram[i, j] += x[i] * x[j]
                b[i] += rewards[t] * x[i]
            rank = extend(basis, rank, x)
            if rank == d:
                state.inverse[0] = inverse(gram)
                state.b[0] = b
                for i in range(d):
                    state.theta[0, i] = (state.inverse[0, i] * b).sum()
        else:
            ridge.learn(state, 0, x, rewards[t])
        if rank == d:  # line 26
            smallest = clipped_gaps(features, state.theta[0], lower, upper, gaps, kept)
    return arms, rewards, kinds
