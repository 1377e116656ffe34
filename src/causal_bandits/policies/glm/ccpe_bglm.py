"""CCPE-BGLM (xiong2023, Algorithms 1 and 2): best-arm identification on binary generalised linear models."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray, States
from causal_bandits.checks import NOT_NEGATIVE, Constraints, constrained
from causal_bandits.compiled import jit, kernel
from causal_bandits.estimation.maximum_likelihood import ParentCounts, fit, observe
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.arms import force, release
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.compiled_glm import CompiledGLM
from causal_bandits.models.elimination import Elimination, expected, order_of_elimination
from causal_bandits.models.glm_bandit import GLMBandit, GLMWorld
from causal_bandits.policies.glm.helpers.best_arm import observing_arm
from causal_bandits.policies.glm.helpers.ccpe import (
    CCPE,
    CHALLENGE,
    CHOOSE,
    END,
    ITERATION,
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

#: The factor of sqrt(log(3 n t^2 / delta) / t) in the radius beta_O, by name.
RADII = {
    "printed": "alpha_O M1 D^1.5 / (kappa sqrt(eta q_a)), Eq. 8",
    "bare": "alpha_O, the same for all actions: no theorem applies to it (ledger L140)",
}


@dataclass(frozen=True)
@constrained
class CCPEBGLM(CCPE):
    """Identify the best action from plays and from fits of a binary generalised linear model (CCPE-BGLM).

    Use it in place of `CCPEGeneral` if there are no hidden causes and many actions that set several variables: the
    observations are used to estimate the coefficients, and these to estimate all actions at once. It needs the graph,
    the links, the constants of the radii (L140), and do() among the actions. With the printed radii, observing yields
    no information until there are 2e9 observations (table ``bglm_constants``).

    Line numbers are those of xiong2023, Algorithm 1. It is `CCPEGeneral` except for these lines:

    1. (lines 4 to 6) Choose h and l, and stop only after enough observations.
    2. (lines 8 to 11) Play do(), fit the coefficients by maximum likelihood (Algorithm 2), and estimate every action
       from them, with the radius of Eq. 8.

    Parameters
    ----------
    epsilon, delta
        As for `CCPEGeneral`.
    divisor : float
        2 in Theorem 1.
    alpha_o, alpha_i : float
        Factors of the radii: 6 sqrt(2) and 2 in theory.
    radius : str
        The radius of Eq. 8, or one that has only the factor alpha_o and is equal for all actions; no theorem covers the
        latter (L140).
    c : float
        The constant of line 5, which the paper does not give (L140); 0 drops the condition.

    Notes
    -----
    The outcome is that of `LUCB`.

    References
    ----------
    Xiong & Chen 2023 (xiong2023).
    """

    constraints: ClassVar[Constraints] = {"radius": tuple(RADII), "c": NOT_NEGATIVE}

    divisor: float = 2.0
    alpha_o: float = 6 * math.sqrt(2)
    radius: str = "printed"
    c: float = 1.0

    def _loop(self, bandit: GLMBandit) -> Loop:
        watcher, line_5 = self._watcher(bandit), self._line_5(bandit)
        return lambda world, known, rule, rng: _play(world, watcher, line_5, known, rule, rng)

    def _missing_observations(self, bandit: GLMBandit, t: float) -> float:
        return _least_observations(self._line_5(bandit), t) - t

    def _watcher(self, bandit: GLMBandit) -> Watcher:
        glm = bandit.glm
        if glm.hidden:
            raise ValueError(f"hidden variables {', '.join(glm.hidden)}: a BGLM has none (xiong2023, Section 4)")
        model, constants = glm.compiled, constants_of(glm)
        factor = np.full(len(bandit.arms), self.alpha_o)
        if self.radius == "printed":
            scale = constants.slope * constants.parents**1.5 / (constants.least_slope * math.sqrt(constants.freedom))
            factor = factor * scale / np.sqrt(easiness(bandit))
        estimated = model._replace(base=np.zeros(len(model.base)), weight=np.zeros(len(model.weight)))
        plan = order_of_elimination(model, glm.variables.index(bandit.reward))
        free = np.full(len(glm.variables), -1, dtype=np.int8)
        return Watcher(ParentCounts.empty(model), estimated, plan, free, factor, observing_arm(bandit))

    def _line_5(self, bandit: GLMBandit) -> Line5:
        known = constants_of(bandit.glm)
        d, n = known.parents, len(bandit.glm.variables)  # n counts X_1 but not the reward
        first = self.c * d / known.freedom**2
        second = 1024 * known.curvature**2 * (4 * d**2 - 3) * d / (known.least_slope**4 * known.freedom)
        return Line5(self._delta, n, first, second if self.c else 0.0, d**2)


class Constants(NamedTuple):
    """The constants M1, M2, kappa, eta and D of Assumptions 1 to 3.

    Attributes
    ----------
    slope, curvature : float
        Bounds on the first two derivatives of the links.
    least_slope : float
        The smallest derivative of the links within distance 1 of the true coefficients.
    freedom : float
        The smallest probability of a parent's value given those of the other parents of the same variable.
    parents : float
        The largest number of parents of a variable, including the global X_1.
    """

    slope: float
    curvature: float
    least_slope: float
    freedom: float
    parents: float


@lru_cache(maxsize=1)  # every run of a job needs those of the same model
def constants_of(glm: BinaryGLM) -> Constants:
    """Return the best constants that a model without hidden variables allows."""
    logistic = glm.compiled.logistic
    most = max(len(glm.parents(v)) for v in glm.variables) + 1
    least = 1.0
    for v, is_logistic in zip(glm.variables, logistic, strict=True):
        if is_logistic:
            farthest = _largest_score(glm, v)
            least = min(least, math.exp(-farthest) / (1 + math.exp(-farthest)) ** 2)
    linear = not logistic.all()
    slope, curvature = (1.0 if linear else 0.25), (1 / (6 * math.sqrt(3)) if logistic.any() else 0.0)
    return Constants(slope, curvature, least, _freedom(glm), float(most))


def _largest_score(glm: BinaryGLM, variable: str) -> float:
    """Return the largest abs(theta . v) over all possible v and theta.

    Here v_1 = 1, the other entries of v lie in [0, 1], and theta lies within distance 1 of the variable's coefficients
    theta*. The result is the largest |theta* . v| + |v|. This is convex in v, so some v of zeros and ones attains it;
    among those with k ones, it is the v that selects the k largest or the k smallest weights.
    """
    model, i = glm.compiled, glm.variables.index(variable)
    weights = np.sort(model.weight[model.start[i] : model.start[i + 1]])
    length = np.sqrt(1 + np.arange(len(weights) + 1))
    least, most = (model.base[i] + np.append(0.0, np.cumsum(w)) for w in (weights, weights[::-1]))
    return float((np.maximum(np.abs(least), np.abs(most)) + length).max())


def _freedom(glm: BinaryGLM) -> float:
    least = 0.5
    for v in glm.variables:
        parents = list(glm.parents(v))
        if parents:
            joint = glm.ancestral(parents).to_scm().distribution(parents)
            for axis in range(joint.ndim):
                least = min(least, float((joint / joint.sum(axis=axis, keepdims=True)).min()))
    return least


@lru_cache(maxsize=1)
def easiness(bandit: GLMBandit) -> FloatArray:
    """Return q_a of Eq. 7, shape (actions,): 1 / (l_S^2 D^3), and 1 for do().

    l_S is the size of N_{S,Y}, see `on_paths`.
    """
    graph = bandit.glm.graph
    d = max(len(graph.parents(v)) for v in graph) + 1
    q = [1.0] * len(bandit.arms)
    for a, action in enumerate(bandit.arms):
        if action:
            q[a] = 1 / (len(on_paths(graph, action, bandit.reward)) ** 2 * d**3)
    return np.array(q)


def on_paths(graph: ADMG, treatment: Iterable[str], reward: str) -> frozenset[str]:
    """Return N_{S,Y}: the variables on paths from X_1 to Y that avoid S (ledger L141).

    X_1 is a parent of all variables; only variables with an equation count.
    """
    return frozenset(graph.subgraph(set(graph).difference(treatment)).ancestors(reward))


class Line5(NamedTuple):
    """The constants in line 5's condition on t and in the radius from observations.

    Attributes
    ----------
    delta : float
    variables : int
        n, including the global X_1.
    first, second, square : float
        c D / eta^2, 1024 M2^2 (4 D^2 - 3) D / (kappa^4 eta), and D^2.
    """

    delta: float
    variables: int
    first: float
    second: float
    square: float


class Watcher(NamedTuple):
    """The counts of passive observations, and what is needed to estimate from them.

    Attributes
    ----------
    counts : ParentCounts
    model : CompiledGLM
        The model with the estimated coefficients.
    plan : Elimination
        The plan for computing the expectation of the reward.
    free : int8 array, shape (variables,)
        Scratch memory: -1 everywhere between estimates.
    factor : float64 array, shape (actions,)
        The factor of the radius, see `RADII`.
    observing : int
        The index of do().
    """

    counts: ParentCounts
    model: CompiledGLM
    plan: Elimination
    free: States
    factor: FloatArray
    observing: int


@kernel
def _least_observations(line_5: Line5, t: float) -> float:
    """Return the right-hand side of line 5's condition on t."""
    n = line_5.variables
    first = line_5.first * math.log(n * t * t / line_5.delta)
    second = line_5.second * (line_5.square + math.log(3 * n * t * t / line_5.delta))
    return max(first, second)


@jit
def _play(
    world: GLMWorld, watcher: Watcher, line_5: Line5, known: Intervals, rule: Rule, rng: np.random.Generator
) -> tuple[IntArray, FloatArray, IntArray, IntArray]:
    """Play until the world or the run ends (see `Loop`)."""
    n, step = len(world.uniforms), known.step
    arms, rewards = np.empty(n, dtype=np.int64), np.empty(n)
    by_watching, by_playing = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(n + 1):
        if step[NEXT] == CHOOSE:
            enough = step[ITERATION] + 1 >= _least_observations(line_5, float(step[ITERATION] + 1))
            if choose(known, rule.epsilon, rng) and enough:  # lines 4 and 5
                step[NEXT] = END
                return arms[:i], rewards[:i], by_watching[:i], by_playing[:i]
            step[NEXT] = WATCH
        if i == n:
            break
        if step[NEXT] == WATCH:  # lines 8 to 11
            arms[i] = watcher.observing
            rewards[i] = play_action(world, i, arms[i], known, rule)
            observe(watcher.counts, watcher.model, world.values)
            _look(world, watcher, line_5, known)
            step[NEXT] = CHALLENGE
        else:
            arms[i], rewards[i] = play_one_of_the_pair(world, i, known, rule)
        by_watching[i], by_playing[i] = end_round(known)
    return arms, rewards, by_watching, by_playing


@kernel
def _look(world: GLMWorld, watcher: Watcher, line_5: Line5, known: Intervals) -> None:
    """Fit the model, and estimate every action with the radius beta_O(t)."""
    if not fit(watcher.counts, watcher.model):  # line 10; Algorithm 2
        return
    t = float(known.step[ITERATION])
    unit = math.sqrt(math.log(3 * line_5.variables * t * t / line_5.delta) / t)
    for a in range(len(known.watched)):  # line 11
        force(world.arms, a, watcher.free)
        known.watched[a] = expected(watcher.model, watcher.plan, watcher.free)
        release(world.arms, a, watcher.free)
        known.watched_reach[a] = watcher.factor[a] * unit
