"""Quantities of xiong2023: q_a, thresholds (Definitions 1, 2), H_r (Eq. 3), bounds (Theorems 1 to 3).

Throughout, ``q`` measures how easily an action's reward is learnt by observation (1 for ``do()``, 0 if it cannot be),
and ``gaps`` how much worse than the best action it is (for the best one, how much better than the next), each of shape
(actions,). The q_a of Eq. 15 is computed here; that of Eq. 7, which the radius of CCPE-BGLM uses, is computed in
`causal_bandits.policies.glm.ccpe_bglm`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.policies.glm import ccpe_bglm
from causal_bandits.policies.glm.ccpe_bglm import Constants
from causal_bandits.policies.glm.ccpe_general import watching
from causal_bandits.policies.glm.helpers.best_arm import observing_arm
from causal_bandits.problems.xiong2023 import PROBLEMS

#: Differences of means below this are rounding errors.
_ROUNDING = 1e-12
#: Values of at least this count as 1: products of round numbers lie exactly on the thresholds of both definitions.
_LESS = 1 - 1e-9


def easiness(bandit: GLMBandit) -> FloatArray:
    """Compute q_a of Eq. 15, shape (actions,): min over z of P(S=s, Z_a=z).

    It is 1 for do(), and 0 for an action without an admissible sequence.
    """
    glm = bandit.glm
    q = np.zeros(len(bandit.arms))
    for a, (action, sequence) in enumerate(zip(bandit.arms, bandit.sequences, strict=True)):
        if not action:
            q[a] = 1.0
        elif sequence is not None:
            covariates = sorted(frozenset().union(*sequence.covariates))
            joint = glm.ancestral([*action, *covariates]).to_scm().distribution([*action, *covariates])
            q[a] = joint[tuple(action.values())].min()
    return q


def gaps_of(means: ArrayLike) -> FloatArray:
    """Compute the gaps Delta_a (Section 2): mu* - mu_a, and for the best action mu* minus the next mean.

    Raises
    ------
    ValueError
        If there are fewer than two actions.
    """
    mu = np.asarray(means, dtype=np.float64)
    if mu.ndim != 1 or len(mu) < 2:
        raise ValueError(f"means of shape {mu.shape}: expected at least two actions")
    best = int(mu.argmax())
    gaps = mu[best] - mu
    gaps[best] = mu[best] - np.delete(mu, best).max()
    return np.asarray(np.where(gaps < _ROUNDING, 0.0, gaps))


def observation_threshold(q: ArrayLike) -> int:
    """Compute the m of Definition 1: the smallest tau >= 1 such that at most tau actions have q_a < 1/tau.

    >>> observation_threshold([0.5] * 100 + [1.0])  # the parallel graph with fair coins (Section 3)
    2
    """
    q = _shares(q)
    return next(tau for tau in range(1, len(q) + 1) if (q * tau < _LESS).sum() <= tau)


def hardness(q: ArrayLike, gaps: ArrayLike, epsilon: float, r: int) -> float:
    """Compute the H_r of Eq. 3: the sum of 1/max{Delta_a, epsilon/2}^2 over r actions.

    The r actions are those with the smallest q_a max{Delta_a, epsilon/2}^2.

    Parameters
    ----------
    q, gaps : array, shape (actions,)
    epsilon : float
        >= 0.
    r : int
        0 to the number of actions.

    Returns
    -------
    float
        ``inf`` if one of the r actions has no gap and epsilon is 0.
    """
    terms = hard_terms(q, gaps, epsilon)
    if not 0 <= r <= len(terms):
        raise ValueError(f"r={r}: expected 0 to {len(terms)}")
    return float(terms[:r].sum())


def hard_terms(q: ArrayLike, gaps: ArrayLike, epsilon: float) -> FloatArray:
    """Return the terms 1/max{Delta_a, epsilon/2}^2 of Eq. 3, by increasing q_a max{Delta_a, epsilon/2}^2.

    If products are equal, the larger term comes first; the paper does not say how to break such ties, on which H_r and
    the threshold can depend (ledger L130).
    """
    q, squares = _shares(q), _squares(gaps, epsilon)
    with np.errstate(divide="ignore"):
        return np.asarray(1 / squares[np.lexsort((squares, q * squares))])


def gap_dependent_threshold(q: ArrayLike, gaps: ArrayLike, epsilon: float) -> int:
    """Compute the m_{epsilon, Delta} of Definition 2.

    It is the smallest tau such that at most tau actions have q_a max{Delta_a, epsilon/2}^2 < 1/H_tau.

    >>> n, actions = 10, 50  # the second example of Section 3: m is n, this is 2
    >>> q, gaps = [1 / n] * (actions - 1) + [1.0], [1 / n, 1 / n] + [0.5] * (actions - 2)
    >>> observation_threshold(q), gap_dependent_threshold(q, gaps, 0.0)
    (10, 2)
    """
    q, squares = _shares(q), _squares(gaps, epsilon)
    total = np.cumsum(hard_terms(q, gaps, epsilon))
    return next(tau for tau in range(1, len(q) + 1) if (q * squares * total[tau - 1] < _LESS).sum() <= tau)


def sample_complexity_bound(q: ArrayLike, gaps: ArrayLike, epsilon: float, delta: float) -> float:
    """Compute H_m log(|A| H_m / delta), m = m_{epsilon, Delta}: the order of Theorems 1 and 2."""
    h = hardness(q, gaps, epsilon, gap_dependent_threshold(q, gaps, epsilon))
    return h * math.log(len(np.asarray(q)) * h / delta)


def bandit_bound(gaps: ArrayLike, epsilon: float, delta: float) -> float:
    """Compute the order of LUCB1's rounds, H log(|A| H / delta), where H sums over all actions (after Theorem 1)."""
    squares = _squares(gaps, epsilon)
    h = float((1 / squares).sum())
    return h * math.log(len(squares) * h / delta)


def lower_bound(q: ArrayLike, gaps: ArrayLike, epsilon: float, delta: float, observing: int) -> float:
    """Compute Theorem 3's order, without its constant.

    It is (H_{m-1} - 1/min_{i<m} max{Delta_i, eps/2}^2 - 1/max{Delta_do(), eps/2}^2) log(1/delta).

    Parameters
    ----------
    q, gaps : array, shape (actions,)
    epsilon, delta : float
    observing : int
        The index of ``do()``.

    Returns
    -------
    float
        0 or less if the theorem says nothing, as always for m <= 2 (ledger E53).
    """
    m = gap_dependent_threshold(q, gaps, epsilon)
    terms = hard_terms(q, gaps, epsilon)[: m - 1]
    largest = float(terms.max()) if len(terms) else 0.0
    return (float(terms.sum()) - largest - 1 / float(_squares(gaps, epsilon)[observing])) * -math.log(delta)


def radius_of_equation_16(
    n: int, t: int, *, treated: int, actions: int, covariates: int, delta: float, alpha_o: float = 8.0
) -> float:
    """Compute the radius beta_O of Eq. 16 as printed.

    CCPE-General uses a different one if an action needs no covariates (`causal_bandits.policies.CCPEGeneral`).

    Parameters
    ----------
    n, t : int
        How often the rarest cell of the action was seen, and the round; both >= 1.
    treated, actions, covariates : int
        k, |A| and Z_a.
    delta, alpha_o : float

    Returns
    -------
    float
        NaN without covariates, because the formula is then the square root of the logarithm of zero (ledger E50).
    """
    inside = 20 * treated * actions * covariates * 2**covariates * math.log(2 * t) / delta
    return alpha_o * math.sqrt(math.log(inside) / n) if inside > 0 else math.nan


@dataclass(frozen=True)
class ObservationsNeeded:
    """Number of passive observations that Algorithm 1 needs with its constants as printed.

    Parameters
    ----------
    constants : Constants
        M1, M2, kappa, eta and D of the model.
    variables : int
        n, including the global X_1.
    delta : float
        The delta given to the algorithm.
    """

    constants: Constants
    variables: int
    delta: float

    def radius(self, q: float, width: float) -> float:
        """Count observations until beta_O of Eq. 8, with alpha_O = 6 sqrt(2), is at most ``width`` at ``q``."""
        k = self.constants
        scale = 6 * math.sqrt(2) * k.slope * k.parents**1.5 / (k.least_slope * math.sqrt(k.freedom * q))
        return self._first(lambda t: scale**2 * math.log(3 * self.variables * t * t / self.delta) / width**2)

    def condition(self, c: float) -> float:
        """Count observations until line 5's condition on t holds."""
        k, n = self.constants, self.variables
        first = c * k.parents / k.freedom**2
        second = 1024 * k.curvature**2 * (4 * k.parents**2 - 3) * k.parents / (k.least_slope**4 * k.freedom)
        return self._first(
            lambda t: max(
                first * math.log(n * t * t / self.delta),
                second * (k.parents**2 + math.log(3 * n * t * t / self.delta)),
            )
        )

    def _first(self, least: Callable[[float], float]) -> float:
        """Solve t = least(t) by iteration; least grows like log t."""
        t = 1.0
        for _ in range(200):
            t = max(least(t), 1.0)
        return t


@dataclass(frozen=True)
class TwoStages:
    """A plan of fixed size: observe, then play the actions that were seen too rarely, all equally often.

    Attributes
    ----------
    observations : int
        Passive observations in the first stage.
    plays : int
        Plays of each action in the second stage.
    played : int
        Number of actions that the second stage plays.
    """

    observations: int
    plays: int
    played: int

    @property
    def rounds(self) -> int:
        """Rounds of both stages."""
        return self.observations + self.plays * self.played


def two_stages(bandit: GLMBandit, width: float, delta: float, alpha_o: float, alpha_i: float) -> TwoStages:
    """Compute the shortest plan of fixed size after which every interval of Eq. 16 is narrow enough.

    Earlier algorithms for causal bandits plan like this (Lattimore et al. 2016, Algorithm 1): the sizes depend on q_a
    but not on what is seen. The plan here is the best of its kind: it knows every q_a, and each T_a is replaced by its
    mean q_a t.

    Parameters
    ----------
    bandit : GLMBandit
    width : float
        > 0; the largest allowed half-width.
    delta : float
        The delta of the radii.
    alpha_o, alpha_i : float
        Factors of the radii.
    """
    q, actions = easiness(bandit), len(bandit.arms)
    watcher = watching(bandit, alpha_o, delta)

    def least(factor: float, level: Callable[[float], float]) -> int:
        n = 2.0
        for _ in range(200):
            n = max(factor**2 * level(n) / width**2, 2.0)
        return math.ceil(n)

    def observations(a: int) -> float:
        if a == watcher.observing or q[a] == 0:
            return math.inf
        level = float(watcher.level[a])
        return least(alpha_o / math.sqrt(q[a]), lambda n: level + math.log(math.log(2 * n)))

    plays = least(alpha_i, lambda n: math.log(actions * math.log(2 * n) / delta))
    needed = [observations(a) for a in range(actions)]
    plans = []
    for first in [0, *(int(n) for n in needed if n < math.inf)]:
        # Observations are plays of do(); only the other actions have to be learnt from them through the model.
        known = sum(n <= first for n in needed) + (first >= plays)
        plans.append(TwoStages(first, plays, actions - known))
    return min(plans, key=lambda plan: plan.rounds)


def in_class_of_theorem_3(least: float, most: float, gaps: ArrayLike, epsilon: float) -> bool:
    """Return whether the means of a parallel bandit are within Theorem 3's limits.

    Parameters
    ----------
    least, most : float
        p_min and p_max, the extreme values of P(Y=1 | X=x).
    gaps : array, shape (actions,)
    epsilon : float
    """
    gaps = np.asarray(gaps, dtype=np.float64)
    return bool(most + 2 * gaps.max() + 2 * epsilon <= 0.9 and least + gaps.min() >= 0.1)


def _shares(q: ArrayLike) -> FloatArray:
    q = np.asarray(q, dtype=np.float64)
    if q.ndim != 1 or not len(q) or not ((q >= 0) & (q <= 1)).all() or q.max() < 1:
        raise ValueError("q: expected one number from 0 to 1 per action, 1 for do()")
    return q


def _squares(gaps: ArrayLike, epsilon: float) -> FloatArray:
    """Return max{Delta_a, epsilon/2}^2."""
    gaps = np.asarray(gaps, dtype=np.float64)
    if epsilon < 0 or (gaps < 0).any():
        raise ValueError(f"epsilon={epsilon} or a gap is negative")
    return np.asarray(np.maximum(gaps, epsilon / 2) ** 2)


@dataclass(frozen=True)
class Profile:
    """A bandit as the theorems see it.

    Parameters
    ----------
    bandit : GLMBandit
    epsilon, delta : float
        The required guarantee; Theorem 2 calls CCPE-General with delta / 5, which its order leaves out.
    equation : 7 or 15
        The equation that defines q_a: 7 for CCPE-BGLM, 15 for CCPE-General.
    """

    bandit: GLMBandit
    epsilon: float = 0.0
    delta: float = 0.1
    equation: Literal[7, 15] = 15

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Profile:
        """Build the profile of the problem that a policy plays, from all its settings."""
        known = PROBLEMS[str(settings["problem"])].__annotations__
        options = {name: settings[name] for name in known if name in settings}
        return cls(
            PROBLEMS[str(settings["problem"])](**options),
            float(settings["epsilon"]),
            float(settings["delta"]),
            equation=7 if settings.get("algorithm") == "ccpe_bglm" else 15,
        )

    @cached_property
    def q(self) -> FloatArray:
        """q_a of Eq. 7 or of Eq. 15."""
        return ccpe_bglm.easiness(self.bandit) if self.equation == 7 else easiness(self.bandit)

    @cached_property
    def gaps(self) -> FloatArray:
        """Delta_a."""
        return gaps_of(self.bandit.means)

    @property
    def threshold(self) -> int:
        """The m of Definition 1."""
        return observation_threshold(self.q)

    @property
    def gap_dependent(self) -> int:
        """The m_{epsilon, Delta} of Definition 2."""
        return gap_dependent_threshold(self.q, self.gaps, self.epsilon)

    @property
    def hard(self) -> float:
        """H_m of Theorem 2."""
        return hardness(self.q, self.gaps, self.epsilon, self.gap_dependent)

    @property
    def all_hard(self) -> float:
        """H, the sum over all actions, as for LUCB1."""
        return hardness(self.q, self.gaps, self.epsilon, len(self.q))

    @property
    def upper(self) -> float:
        """Theorem 2's order."""
        return sample_complexity_bound(self.q, self.gaps, self.epsilon, self.delta)

    @property
    def bandit_upper(self) -> float:
        """LUCB1's order."""
        return bandit_bound(self.gaps, self.epsilon, self.delta)

    @property
    def lower(self) -> float:
        """Theorem 3's order; 0 or less if it says nothing."""
        return lower_bound(self.q, self.gaps, self.epsilon, self.delta, observing_arm(self.bandit))

    @property
    def in_class(self) -> bool:
        """Whether Theorem 3 covers this bandit: parallel, atomic actions on all values, means within its limits."""
        glm = self.bandit.glm
        causes = glm.parents(self.bandit.reward)
        atomic = {frozenset(action.items()) for action in self.bandit.arms}
        wanted = {frozenset[tuple[str, int]]()} | {frozenset({(x, s)}) for x in causes for s in (0, 1)}
        if glm.hidden or len(glm.graph.directed) != len(causes) or len(glm.variables) != len(causes) + 1:
            return False
        least, most = glm.range_of(self.bandit.reward)
        return atomic == wanted and in_class_of_theorem_3(least, most, self.gaps, self.epsilon)
