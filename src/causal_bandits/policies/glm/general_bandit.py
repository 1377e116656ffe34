"""The general bandit algorithm for a fixed budget.

It plays a design, and weighs every reward for all actions.

Source: Lattimore, Lattimore & Reid 2016, "Causal Bandits: Learning Good Interventions via Causal Inference" (arXiv
1606.03203), Algorithm 2, in the steps of the first author's public code (L221). Known is P_a(z), the law of the
reward's parents under every action a; unknown is the mean reward given z. Actions are drawn from a design eta, so that
z has the law Q = sum of eta_b P_b, and a reward in a round with z counts for a with the weight P_a(z) / Q(z).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.optimize import minimize

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import check_choice, check_numbers
from causal_bandits.compiled import jit
from causal_bandits.models.arms import Assignments
from causal_bandits.models.glm_bandit import GLMBandit, GLMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.glm.helpers.best_arm import Exploring, concluded, observing_arm
from causal_bandits.policies.glm.parallel_bandit import rare_actions
from causal_bandits.policies.helpers.agreeing_arms import shows
from causal_bandits.policies.helpers.choice import TIE, pick_largest

#: The most joint states that are tabulated.
MOST_CELLS = 2**14

#: What becomes of a weight above the threshold B.
TRUNCATION = ("clip", "zero", "none")
#: Where the design comes from: minimised, or by the rule for the parallel bandit.
DESIGNS = ("optimised", "parallel")
#: Which measure of difficulty the threshold B is made of.
DIFFICULTIES = ("design", "parallel")
#: Which of several largest weighted means is the answer.
TIES = ("random", "first")


@dataclass(frozen=True)
class GeneralBandit:
    """Importance weighting under a design; the answer has the largest weighted mean.

    Parameters
    ----------
    budget : int
        T >= 1.
    epsilon : float
        In [0, 1), how far below the best a correct answer may be.
    truncation : {"clip", "zero", "none"}
        A weight above B becomes B, becomes 0, or stays. With ``zero`` an action whose weights all exceed B is never the
        answer (L222).
    design : {"optimised", "parallel"}
        ``optimised`` minimises m(eta), the largest mean weight of an action; ``parallel`` plays do() half of the time
        and the rare actions equally often in the other half.
    difficulty : {"design", "parallel"}
        B = sqrt(m T / log(2 T K)) for K actions; m is m(eta), or the number of rare actions, at least 1 (L222).
    ties : {"random", "first"}
        Which of several actions with the largest weighted mean is the answer: any, or the first of them (L223).
    """

    plays: ClassVar[type] = GLMBandit
    outcomes: ClassVar[tuple[str, ...]] = Exploring.outcomes

    budget: int = 1000
    epsilon: float = 0.0
    truncation: str = "clip"
    design: str = "optimised"
    difficulty: str = "design"
    ties: str = "random"

    def __post_init__(self) -> None:
        check_numbers(self, budget="integer in [1, inf)", epsilon="[0, 1)")
        check_choice("truncation", self.truncation, TRUNCATION)
        check_choice("design", self.design, DESIGNS)
        check_choice("difficulty", self.difficulty, DIFFICULTIES)
        check_choice("ties", self.ties, TIES)

    def run(self, bandit: GLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        If the horizon is below the budget, the run has no outcome.

        Raises
        ------
        ValueError
            If what is asked for takes more than `MOST_CELLS` joint states: the laws of the reward's parents, unless
            these are independent causes and the design is ``parallel``; or m(eta) of such a design. If a parent of the
            reward is hidden. Or if the design is ``parallel`` and do() is not among the actions.
        """
        known = knowledge(bandit, tabulated=self.design == "optimised")
        by_rule = "parallel" in (self.design, self.difficulty)
        rare = rare_actions(known.chances, rng) if by_rule else np.arange(0)
        if isinstance(known, Tabulated) and self.design == "optimised":  # step 1
            eta = known.best_design
        else:
            eta = parallel_design(bandit, rare)
        most = above = math.inf
        if self.truncation != "none":  # step 2
            m = known.difficulty(eta) if self.difficulty == "design" else max(1, len(rare))
            most = math.sqrt(m * self.budget / math.log(2 * self.budget * len(eta)))
            above = most if self.truncation == "clip" else 0.0
        total, pulls, played = np.zeros(len(eta)), np.zeros(len(eta)), 0
        while played < self.budget:  # step 3
            if not rounds.left:
                return {}
            world = rounds.take(self.budget - played)
            rounds.record(*known.play(world, eta, Threshold(most, above), Tallies(total, pulls), rng))
            played += rounds.size
        means = total / self.budget
        first = int(np.flatnonzero(means >= means.max() - TIE)[0])
        answer = first if self.ties == "first" else int(pick_largest(means, rng))
        return concluded(bandit, self.epsilon, answer, pulls)  # step 4


def parallel_design(bandit: GLMBandit, rare: IntArray) -> FloatArray:
    """Return the design of the parallel bandit.

    It plays do() half of the time, and the actions ``rare`` equally often in the other half.

    Without rare actions it always plays do().
    """
    eta = np.zeros(len(bandit.arms))
    eta[rare] = 0.5 / max(1, len(rare))
    eta[observing_arm(bandit)] += 1 - eta.sum()
    return eta


class Threshold(NamedTuple):
    """The largest weight that stays as it is, and what a larger one becomes."""

    most: float
    above: float


class Tallies(NamedTuple):
    """Weighted sums of rewards, and numbers of pulls; float64 arrays of shape (actions,)."""

    total: FloatArray
    pulls: FloatArray


# ---------------------------------------------------------------------- what is known of the parents' laws


@dataclass(frozen=True)
class Tabulated:
    """The law of the reward's parents under every action, as a table.

    Attributes
    ----------
    laws : float64 array, shape (actions, cells)
        P_a(z); a cell is a joint state of the parents.
    chances : float64 array, shape (actions,)
        The probability of each action's values under do().
    parents : int64 array, shape (parents,)
        The parents' numbers among the variables; the last one's state moves the cell by 1.
    """

    laws: FloatArray
    chances: FloatArray
    parents: IntArray

    @cached_property
    def best_design(self) -> FloatArray:
        """The design with the least m(eta), shape (actions,)."""
        return optimised_design(self.laws)

    def difficulty(self, eta: FloatArray) -> float:
        """Return m(eta)."""
        return float(mean_weights(self.laws, eta).max())

    def play(
        self, world: GLMWorld, eta: FloatArray, threshold: Threshold, tallies: Tallies, rng: np.random.Generator
    ) -> tuple[IntArray, FloatArray]:
        """Play the rounds of ``world`` and return the arms and the rewards."""
        q = eta @ self.laws
        weights = np.divide(self.laws, q, out=np.zeros_like(self.laws), where=q > 0)
        weights[weights > threshold.most] = threshold.above
        return _play_tabulated(world, np.ascontiguousarray(weights.T), self.parents, cumulated(eta), tallies, rng)


@dataclass(frozen=True)
class Independent:
    """Independent causes of the reward, of which every action sets one at most: P_a(z) in product form.

    Attributes
    ----------
    chances : float64 array, shape (actions,)
        The probability of each action's value under do(), 1 for do() itself.
    assignments : Assignments
        What the actions set.
    """

    chances: FloatArray
    assignments: Assignments

    def difficulty(self, eta: FloatArray) -> float:
        """Return m(eta), summed over the joint values of the variables that the design sets.

        A design's action whose value do() never shows takes no sum, nor does one whose value do() always shows.
        """
        start, chances = self.assignments.start, self.chances
        variable = {a: int(self.assignments.variable[start[a]]) for a in range(len(eta)) if start[a + 1] > start[a]}
        state = {a: int(self.assignments.state[start[a]]) for a in variable}
        summed = sorted({variable[a] for a in variable if eta[a] > 0 and 0 < chances[a] < 1})
        if 2 ** len(summed) > MOST_CELLS:
            raise ValueError(
                f"difficulty='design': the design sets {len(summed)} random variables, and m(eta) sums over all their "
                f"joint values; expected at most {int(math.log2(MOST_CELLS))}, or difficulty='parallel'"
            )
        one = {x: chances[a] if state[a] else 1 - chances[a] for a, x in variable.items()}
        found = np.where(chances > 0, 0.0, np.divide(1, eta, out=np.full(len(eta), np.inf), where=eta > 0))
        for values in product((0, 1), repeat=len(summed)):
            z = dict(zip(summed, values, strict=True))
            chance = math.prod(one[x] if z[x] else 1 - one[x] for x in summed)
            shown = [
                a for a in range(len(eta)) if chances[a] > 0 and z.get(variable.get(a, -1)) in (None, state.get(a))
            ]
            fixed = [a for a in shown if a not in variable or variable[a] in z or chances[a] == 1]
            q = sum(eta[a] / chances[a] for a in fixed)
            for a in shown:
                own = chances[a] if a in variable and variable[a] in z else 1.0  # z has this value under a
                found[a] += chance / own / chances[a] / q if q else math.inf
        return float(found.max())

    def play(
        self, world: GLMWorld, eta: FloatArray, threshold: Threshold, tallies: Tallies, rng: np.random.Generator
    ) -> tuple[IntArray, FloatArray]:
        """Play the rounds of ``world`` and return the arms and the rewards."""
        return _play_independent(world, self.chances, eta, cumulated(eta), threshold, tallies, rng)


@lru_cache(maxsize=16)  # a bandit is played by many seeds
def knowledge(bandit: GLMBandit, *, tabulated: bool) -> Tabulated | Independent:
    """Return what is known of the reward's parents under the actions of ``bandit``.

    Parameters
    ----------
    bandit : GLMBandit
    tabulated : bool
        Whether a table is asked for even if the parents are independent causes.

    Raises
    ------
    ValueError
        If a parent of the reward is hidden, or a table is needed and would have more than `MOST_CELLS` cells.
    """
    glm, actions = bandit.glm, list(bandit.arms)
    parents = glm.parents(bandit.reward)
    if hidden := sorted(set(parents) & set(glm.hidden)):
        raise ValueError(
            f"{', '.join(hidden)}: expected no hidden parent of {bandit.reward}, since weights need its state"
        )
    roots = not any(glm.parents(x) for x in parents)
    single = all(len(action) <= 1 and set(action) <= set(parents) for action in actions)
    if roots and single and not tabulated:
        chances = [
            math.prod(glm.expectation(x) if s else 1 - glm.expectation(x) for x, s in a.items()) for a in actions
        ]
        return Independent(np.array(chances), bandit.arms.compiled)
    if 2 ** len(parents) > MOST_CELLS:
        raise ValueError(
            f"{len(parents)} parents of {bandit.reward}: expected at most {int(math.log2(MOST_CELLS))}, or independent "
            "causes, actions that set one of them, and design='parallel'"
        )
    scm = glm.ancestral({*parents, *(x for action in actions for x in action)}).to_scm()
    laws = np.array([scm.distribution(parents, do=action).ravel() for action in actions])
    chances = [float(scm.distribution(tuple(action))[tuple(action.values())]) for action in actions]
    numbers = np.array([glm.variables.index(x) for x in parents], dtype=np.int64)
    return Tabulated(laws, np.array(chances), numbers)


# ---------------------------------------------------------------------- designs


def mean_weights(laws: FloatArray, eta: FloatArray) -> FloatArray:
    """Return m_a(eta), the mean weight of each action.

    It is the sum over z of P_a(z)^2 / Q(z), with Q = sum of eta_b P_b.

    Parameters
    ----------
    laws : float64 array, shape (actions, cells)
    eta : float64 array, shape (actions,)

    Returns
    -------
    float64 array, shape (actions,)
        Infinite for an action with a cell that the design never reaches.
    """
    q = eta @ laws
    reached = np.divide(laws**2, q, out=np.zeros_like(laws), where=q > 0).sum(axis=1)
    return np.where((laws[:, q <= 0] > 0).any(axis=1), np.inf, reached)


def optimised_design(laws: FloatArray) -> FloatArray:
    """Return the design eta with the least m(eta) = max of m_a(eta).

    Every m_a is convex in eta. SLSQP minimises t subject to m_a(eta) <= t from three starts: the uniform design, and
    two random ones that are always the same.

    Parameters
    ----------
    laws : float64 array, shape (actions, cells)

    Returns
    -------
    float64 array, shape (actions,)
        At least 0, of sum 1; m(eta) is at most that of the uniform design, which is at most the number of actions.
    """
    k = len(laws)
    laws = laws[:, laws.any(axis=0)]
    uniform, rng = np.full(k, 1 / k), np.random.default_rng(0)

    def slack(x: FloatArray) -> FloatArray:
        return np.asarray(x[-1] - (laws**2 @ (1 / (x[:-1] @ laws))))

    def slopes(x: FloatArray) -> FloatArray:  # of the slack: d m_a / d eta_b = - sum of P_a^2 P_b / Q^2
        return np.column_stack([(laws**2 / (x[:-1] @ laws) ** 2) @ laws.T, np.ones(k)])

    last: FloatArray = np.zeros(k + 1)
    last[-1] = 1.0

    def highest(x: FloatArray) -> float:
        return float(x[-1])

    def slope(x: FloatArray) -> FloatArray:
        return last

    constraints: list[Any] = [
        {"type": "ineq", "fun": slack, "jac": slopes},
        {"type": "eq", "fun": lambda x: x[:-1].sum() - 1, "jac": lambda x: 1 - last},
    ]
    found = [uniform]
    for start in (uniform, *rng.dirichlet(np.ones(k), size=2)):
        result = minimize(
            highest,
            np.asarray([*start, mean_weights(laws, start).max()], dtype=np.float64),
            jac=slope,
            bounds=[*[(1e-9, 1.0)] * k, (1.0, 10.0 * k)],
            constraints=constraints,
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 500},
        )
        eta = np.clip(result.x[:-1], 0, None)
        if np.isfinite(eta).all() and eta.sum() > 0:
            found.append(eta / eta.sum())
    return min(found, key=lambda eta: float(mean_weights(laws, eta).max()))


def cumulated(eta: FloatArray) -> FloatArray:
    """Return the cumulative design, exactly 1 from the last action with a chance on."""
    sums = np.cumsum(eta)
    sums[np.flatnonzero(eta)[-1] :] = 1.0
    return sums


# ---------------------------------------------------------------------- step 3


@jit
def _play_tabulated(
    world: GLMWorld,
    weights: FloatArray,
    parents: IntArray,
    cumulative: FloatArray,
    tallies: Tallies,
    rng: np.random.Generator,
) -> tuple[IntArray, FloatArray]:
    n = len(world.uniforms)
    played, rewards = np.empty(n, dtype=np.int64), np.empty(n)
    for i in range(n):
        arm = int(np.searchsorted(cumulative, rng.random(), side="right"))
        played[i], rewards[i] = arm, play_round(world, i, arm)
        tallies.pulls[arm] += 1
        if rewards[i]:
            cell = 0
            for x in parents:
                cell = 2 * cell + world.values[x]
            for a in range(len(cumulative)):
                tallies.total[a] += weights[cell, a]
    return played, rewards


@jit
def _play_independent(
    world: GLMWorld,
    chances: FloatArray,
    eta: FloatArray,
    cumulative: FloatArray,
    threshold: Threshold,
    tallies: Tallies,
    rng: np.random.Generator,
) -> tuple[IntArray, FloatArray]:
    """Play with P_a(z) / P_do()(z) = 1 / p_a if z has the value that a sets, else 0.

    If do() never shows z, it has one value of probability 0, and only the action that sets this value reaches z.
    """
    n, k = len(world.uniforms), len(eta)
    played, rewards, shown = np.empty(n, dtype=np.int64), np.empty(n), np.empty(k, dtype=np.bool_)
    for i in range(n):
        arm = int(np.searchsorted(cumulative, rng.random(), side="right"))
        played[i], rewards[i] = arm, play_round(world, i, arm)
        tallies.pulls[arm] += 1
        if rewards[i]:
            never = False
            for a in range(k):
                shown[a] = shows(world, a)
                never = never or (shown[a] and chances[a] == 0)
            q = 0.0
            for a in range(k):
                shown[a] = shown[a] and (chances[a] == 0) == never
                if shown[a]:
                    q += eta[a] if never else eta[a] / chances[a]
            for a in range(k):
                if shown[a]:
                    weight = 1 / q if never else 1 / chances[a] / q
                    tallies.total[a] += weight if weight <= threshold.most else threshold.above
    return played, rewards
