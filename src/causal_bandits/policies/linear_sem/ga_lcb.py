"""GA-LCB: soft interventions on a linear structural equation model with an unknown graph."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import networkx as nx
import numpy as np

from causal_bandits.arrays import BoolArray, FloatArray, IntArray, States
from causal_bandits.checks import check_choice, check_numbers
from causal_bandits.compiled import jit
from causal_bandits.estimation.ridge import Ridge, check_condition, estimate, learn, start, width
from causal_bandits.models.linear_sem import CompiledLinearSEM, compile_structure
from causal_bandits.models.linear_sem_bandit import LinearSEMBandit, LinearWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.helpers.choice import largest
from causal_bandits.policies.linear_sem.linsem_ucb import largest_values

#: The matrix that every ridge regression starts from: m_n^2 I, or I, with m_n the bound on the reward.
PENALTIES = ("bound", "one")
#: Coordinate descent for the Lasso stops when no coefficient changes by more than the first number, or after the second
#: number of passes.
LASSO_CONVERGED, LASSO_PASSES = 1e-10, 1000

#: Parents of every variable, by name.
Parents = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class GALCB:
    """Find the graph of a linear model by interventions, then drop arms until one is left (GA-LCB).

    Finding the graph takes many rounds with regret: if you have it, use `LinSEMTS` or `LinSEMUCB`. GA-LCB needs the
    smallest effect of an intervention, the mean of every noise variable and the horizon T, and assumes that there are
    no hidden causes.

    Only the abstract and the authors' code were available (L238, L239); the steps are ours, based on that code:

    1. In each of ``cycles`` cycles intervene on every variable alone, and observe. Then observe for ``observations``
       more rounds.
    2. A variable is a descendant of v if the intervention on v changes its mean by more than half of ``effect``. Edges
       that close a cycle are dropped, starting with the weakest (L239).
    3. Find the parents of each variable among the variables upstream of it, using the Lasso on all rounds so far.
    4. In every later round give each remaining arm an index: its mean, computed by ridge regressions from causes to
       effects, plus a width.
    5. While the largest width is below a scale, drop the arms whose index is too far below the largest, and halve the
       scale.
    6. Play a random arm among those whose width is at least the scale; once all widths are below m / sqrt(T), where m
       is the bound on the reward, play the arm with the largest index.
    7. Add the round to the regressions.
    8. When only one arm is left, play it in all further rounds.

    Parameters
    ----------
    cycles, observations : int
        >= 1 and >= 0, T_1 and T_2 - T_1: the cycles and the further observations of step 1. A cycle also observes once,
        and once more for every variable that cannot be intervened on.
    known : bool
        Whether the graph is given (``bandit.believed``) and steps 1 to 3 are skipped.
    effect : float
        > 0, eta: the smallest effect that an intervention has on the mean of a descendant.
    lasso : float
        > 0, the weight of the l1 norm, which is added to half the mean squared error.
    alpha : float
        > 0, the confidence radius, in place of the theoretical one.
    penalty : {"bound", "one"}
        The matrix that every ridge regression starts from: m^2 I, or I (L238).
    restart : bool
        Whether, in every round, the search for the scale starts from 1, and an arm with a mechanism that has never been
        played has an infinite index.

    Notes
    -----
    Outcome: ``missing_edges`` and ``superfluous_edges`` of the graph found; ``dropped_edges``, those that closed a
    cycle; ``settled``, the round in which one arm was left.

    References
    ----------
    Yan & Tajer 2024, "Linear Causal Bandits: Unknown Graph and Soft Interventions".

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.models.linear_sem import LinearSEM
    >>> from causal_bandits.models.linear_sem_bandit import LinearSEMBandit
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import GALCB
    >>> plain = {"A": {}, "B": {}, "C": {"A": 1.0, "B": 0.5}, "Y": {"C": 1.0, "B": 0.5}}
    >>> changed = {"C": {"A": 0.5, "B": 1.0}}
    >>> bandit = LinearSEMBandit(LinearSEM(plain, changed, constants=({"A": 1.0, "B": 0.5}, {}), noise="uniform"))
    >>> run = play(GALCB(effect=0.2, lasso=0.02), bandit, 5000, generators(0, "example", seed=0))
    >>> int(run.outcome["missing_edges"])
    0
    """

    plays: ClassVar[type] = LinearSEMBandit
    outcomes: ClassVar[tuple[str, ...]] = ("missing_edges", "superfluous_edges", "dropped_edges", "settled")

    cycles: int = 500
    observations: int = 0
    known: bool = False
    effect: float = 0.5
    lasso: float = 0.1
    alpha: float = 0.1
    penalty: str = "bound"
    restart: bool = False

    def __post_init__(self) -> None:
        check_choice("penalty", self.penalty, PENALTIES)
        check_numbers(self, cycles="integer in [1, inf)", observations="integer in [0, inf)")
        check_numbers(self, effect="(0, inf)", lasso="(0, inf)", alpha="(0, inf)")

    def run(self, bandit: LinearSEMBandit, rounds: Rounds[LinearWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        The outcome counts the missing and the superfluous edges of the graph found, and the edges dropped because they
        closed a cycle; ``settled`` is the round in which one arm was left. If the horizon ends before the graph is
        estimated, there is no outcome.

        Raises
        ------
        ValueError
            If pure observation, or the intervention on some variable alone, is not among the arms.
        """
        variables = bandit.sem.variables
        noise = np.array([bandit.told_noise[v] for v in variables])
        arms = bandit.sweep.mechanism
        moments = Moments.empty(len(variables))
        outcome: dict[str, float] = {}
        if self.known:
            parents: Parents = {v: tuple(bandit.believed.parents(v)) for v in variables}
        else:
            if not _explore(self, bandit, rounds, moments):
                return {}
            parents, dropped = self._graph(bandit, moments, noise)
            found = {(p, v) for v, own in parents.items() for p in own}
            true = set(bandit.sem.graph.directed)
            outcome = {
                "missing_edges": len(true - found),
                "superfluous_edges": len(found - true),
                "dropped_edges": dropped,
            }
        design = self._design(bandit, parents, moments, noise, rounds.horizon)
        while rounds.left:
            world = rounds.take(rounds.left)
            rounds.record(*_play(world, arms, design, self.alpha, self.restart, rng))
            check_condition(design.ridge, design.bound**2 if self.penalty == "bound" else 1.0)
        if design.step[SETTLED] >= 0:
            outcome["settled"] = int(design.step[SETTLED])
        return outcome

    def _graph(self, bandit: LinearSEMBandit, moments: Moments, noise: FloatArray) -> tuple[Parents, int]:
        """Estimate the parents of every variable; return them, and how many edges were dropped to avoid cycles."""
        variables, number = bandit.sem.variables, {v: i for i, v in enumerate(bandit.sem.variables)}
        singles = _singles(bandit)
        mean = moments.total / np.maximum(moments.rounds, 1)[:, None]
        order: nx.DiGraph[str] = nx.DiGraph()
        order.add_nodes_from(variables)
        shifts = {
            (v, w): abs(mean[0, number[w]] - mean[1 + number[v], number[w]])
            for v in singles
            for w in variables
            if v not in (w, bandit.reward)
        }
        dropped = 0
        # step 2: the descendants of v are those whose means change; the strongest effects first, in case of a cycle.
        for (v, w), shift in sorted(shifts.items(), key=lambda item: (-item[1], item[0])):
            if shift > self.effect / 2:
                if nx.has_path(order, w, v):
                    dropped += 1
                else:
                    order.add_edge(v, w)
        roots = [v for v in variables if v not in singles and v != bandit.reward]
        squares, sums = moments.square.sum(axis=(0, 1)) / len(variables), moments.sum.sum(axis=(0, 1)) / len(variables)
        rounds = moments.rounds.sum()
        parents: dict[str, tuple[str, ...]] = dict.fromkeys(variables, ())
        for v in variables:
            if v in roots:
                continue
            # step 3
            candidates = sorted({*order.predecessors(v), *roots}, key=lambda p: number[p])
            at = [number[p] for p in candidates]
            gram = squares[np.ix_(at, at)] / rounds
            target = (squares[at, number[v]] - noise[number[v]] * sums[at]) / rounds
            weights = lasso(gram, target, self.lasso)
            parents[v] = tuple(p for p, w in zip(candidates, weights, strict=True) if w != 0)
        return parents, dropped

    def _design(
        self, bandit: LinearSEMBandit, parents: Parents, moments: Moments, noise: FloatArray, horizon: int
    ) -> Design:
        """Create the state of the second stage, with all rounds so far in its regressions."""
        variables = bandit.sem.variables
        n, number = len(variables), {v: i for i, v in enumerate(variables)}
        graph = nx.DiGraph([(p, v) for v, own in parents.items() for p in own])
        graph.add_nodes_from(variables)
        order = list(nx.lexicographical_topological_sort(graph, key=lambda v: number[v]))
        structure = compile_structure(variables, parents)
        degree = max(int(np.diff(structure.start).max()), 1)
        ordered = compile_structure(tuple(order), parents)
        bounds = np.empty(n)
        bounds[[number[v] for v in order]] = largest_values(ordered, degree)
        reward_bound = float(bounds[number[bandit.reward]])
        ridge = start(2 * n, degree, reward_bound**2 if self.penalty == "bound" else 1.0)
        first = np.linalg.inv(ridge.inverse[0])
        reach = np.zeros(n)
        for v in range(n):
            own = structure.parent[structure.start[v] : structure.start[v + 1]]
            if len(own):
                reach[v] = math.sqrt(degree) * bounds[own].max()
            for k in range(2):
                m, d = 2 * v + k, len(own)
                a = first.copy()
                a[:d, :d] += moments.square[k, v][np.ix_(own, own)]
                ridge.inverse[m] = np.linalg.inv(a)
                ridge.b[m, :d] = moments.square[k, v][own, v] - noise[v] * moments.sum[k, v][own]
                ridge.theta[m] = ridge.inverse[m] @ ridge.b[m]
        return Design(
            structure._replace(noise=noise),
            ridge,
            np.array([number[v] for v in order]),
            reach,
            moments.played.copy(),
            np.ones(len(bandit.arms), dtype=np.bool_),
            np.array([1, -1]),
            reward_bound,
            reward_bound / math.sqrt(horizon),
            number[bandit.reward],
        )


class Moments(NamedTuple):
    """The sums over its rounds that the first stage keeps.

    Attributes
    ----------
    total : float64 array, shape (n + 1, n)
        Sums of all variables' values: row 0 under observation, row 1 + v under an intervention on variable v alone.
    rounds : float64 array, shape (n + 1,)
        The number of rounds in each row.
    square : float64 array, shape (2, n, n, n)
        Entry (k, v): the sum of x x' over the rounds in which variable v had mechanism k, where x holds all variables'
        values.
    sum : float64 array, shape (2, n, n)
        Entry (k, v): the sum of x over these rounds.
    played : int64 array, shape (2, n)
        Entry (k, v): the number of these rounds.
    """

    total: FloatArray
    rounds: FloatArray
    square: FloatArray
    sum: FloatArray
    played: IntArray

    @classmethod
    def empty(cls, n: int) -> Moments:
        """Create the moments before the first round."""
        return cls(
            np.zeros((n + 1, n)),
            np.zeros(n + 1),
            np.zeros((2, n, n, n)),
            np.zeros((2, n, n)),
            np.zeros((2, n), dtype=np.int64),
        )


def _singles(bandit: LinearSEMBandit) -> dict[str, int]:
    """Map each variable that can be intervened on to the arm that intervenes on it alone."""
    arms = [frozenset(arm) for arm in bandit.arms]
    wanted = [frozenset(), *(frozenset([v]) for v in bandit.sem.intervenable)]
    if lacking := [sorted(arm) for arm in wanted if arm not in arms]:
        missing = f"intervenes on {lacking[0]} alone" if lacking[0] else "only observes"
        raise ValueError(f"no arm {missing}; expected observation and one arm per variable")
    return {v: arms.index(frozenset([v])) for v in bandit.sem.intervenable}


def _explore(policy: GALCB, bandit: LinearSEMBandit, rounds: Rounds[LinearWorld], moments: Moments) -> bool:
    """Play the cycles of the first stage and the further observations.

    Return whether the horizon was long enough.
    """
    singles, variables = _singles(bandit), bandit.sem.variables
    watching = [frozenset(arm) for arm in bandit.arms].index(frozenset())
    looks = 1 + len(variables) - len(singles)
    arms = [singles[v] for v in singles] + [watching] * looks  # step 1
    slots = [1 + variables.index(v) for v in singles] + [0] * looks
    schedule = np.concatenate([np.tile(arms, policy.cycles), np.full(policy.observations, watching)])
    slot = np.concatenate([np.tile(slots, policy.cycles), np.zeros(policy.observations, dtype=np.int64)])
    done = 0
    while done < len(schedule):
        if not rounds.left:
            return False
        world = rounds.take(len(schedule) - done)
        now = slice(done, done + rounds.size)
        rounds.record(schedule[now], _follow(world, bandit.sweep.mechanism, schedule[now], slot[now], moments))
        done += rounds.size
    return True


@jit
def _follow(world: LinearWorld, mechanism: States, schedule: IntArray, slot: IntArray, moments: Moments) -> FloatArray:
    """Play the arms of ``schedule``, add these rounds to the moments, and return the rewards."""
    rewards, values, n = np.empty(len(schedule)), world.values, len(world.values)
    for i in range(len(schedule)):
        rewards[i] = play_round(world, i, schedule[i])
        moments.rounds[slot[i]] += 1
        for v in range(n):
            k = mechanism[schedule[i], v]
            moments.total[slot[i], v] += values[v]
            moments.played[k, v] += 1
            for a in range(n):
                moments.sum[k, v, a] += values[a]
                for b in range(n):
                    moments.square[k, v, a, b] += values[a] * values[b]
    return rewards


def lasso(gram: FloatArray, target: FloatArray, penalty: float) -> FloatArray:
    """Minimise w' gram w / 2 - target' w + penalty |w|_1 by coordinate descent.

    With gram = X'X / N and target = X'y / N this is the Lasso in scikit-learn's scaling.

    Parameters
    ----------
    gram : float64 array, shape (d, d)
        Positive definite.
    target : float64 array, shape (d,)
    penalty : float

    Returns
    -------
    float64 array, shape (d,)
    """
    w = np.zeros(len(target))
    for _ in range(LASSO_PASSES):
        moved = 0.0
        for i in range(len(w)):
            rest = target[i] - gram[i] @ w + gram[i, i] * w[i]
            new = math.copysign(max(abs(rest) - penalty, 0.0), rest) / gram[i, i]
            moved, w[i] = max(moved, abs(new - w[i])), new
        if moved <= LASSO_CONVERGED:
            break
    return w


class Design(NamedTuple):
    """The state of the second stage; variables are numbered as in the world.

    Attributes
    ----------
    model : CompiledLinearSEM
        The structure found and the means of the noise; weights are not used.
    ridge : Ridge
        Regression ``2 v + k`` is for mechanism k of variable v.
    order : int64 array, shape (n,)
        The variables with causes before effects, by the structure found.
    reach : float64 array, shape (n,)
        M: sqrt(d) times the largest bound among the parents; 0 for roots.
    played : int64 array, shape (2, n)
        How often each mechanism was played.
    live : bool array, shape (arms,)
        Which arms are left.
    step : int64 array, shape (2,)
        The scale s, and the round in which one arm was left, or -1.
    bound : float
        m_n, the bound on the reward.
    narrow : float
        m_n / sqrt(T): once all widths are below this, the arm with the largest index is played.
    reward : int
    """

    model: CompiledLinearSEM
    ridge: Ridge
    order: IntArray
    reach: FloatArray
    played: IntArray
    live: BoolArray
    step: IntArray
    bound: float
    narrow: float
    reward: int


#: Entries of ``Design.step``.
SCALE, SETTLED = 0, 1


@jit
def _play(
    world: LinearWorld, arms: States, design: Design, alpha: float, restart: bool, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    n, live = len(world.noise), design.live
    played, rewards = np.empty(n, dtype=np.int64), np.empty(n)
    index, reach = np.empty((2, len(live))), np.empty(2 * len(design.order))
    memory = np.empty((2, len(design.order)))
    x = np.zeros(design.ridge.b.shape[1])
    for i in range(n):
        if np.sum(live) == 1:  # step 8
            if design.step[SETTLED] < 0:
                design.step[SETTLED] = world.first + i
            played[i] = np.argmax(live)
            rewards[i] = play_round(world, i, played[i])
            continue
        for m in range(len(reach)):  # alpha M / sqrt(lambda_min(V))
            d = design.model.start[m // 2 + 1] - design.model.start[m // 2]
            spread = math.sqrt(largest_eigenvalue(design.ridge.inverse[m, :d, :d])) if d else 0.0
            reach[m] = alpha * design.reach[m // 2] * spread
        for arm in range(len(live)):
            index[0, arm], index[1, arm] = -np.inf, -np.inf
            if live[arm]:
                _index(arms[arm], design, alpha, restart, reach, memory, x, index[:, arm])
        played[i] = _chosen(design, restart, index, rng)
        rewards[i] = play_round(world, i, played[i])
        _learn(world, arms[played[i]], design, x)  # step 7
    return played, rewards


@jit
def _index(
    mechanism: States,
    design: Design,
    alpha: float,
    restart: bool,
    reach: FloatArray,
    memory: FloatArray,
    x: FloatArray,
    found: FloatArray,
) -> None:
    """Write an arm's index mu_n + w_n and its width w_n into ``found``."""
    model, mu, w = design.model, memory[0], memory[1]
    for v in design.order:  # step 4
        first, k = model.start[v], mechanism[v]
        mu[v], w[v] = model.noise[v], 0.0
        d = model.start[v + 1] - first
        if d:
            x[:] = 0.0
            for i in range(d):
                x[i] = mu[model.parent[first + i]]
                w[v] += w[model.parent[first + i]]
            mu[v] += estimate(design.ridge, 2 * v + k, x)
            w[v] += alpha * width(design.ridge, 2 * v + k, x) + reach[2 * v + k]
            if restart and design.played[k, v] == 0:
                w[v] = np.inf
    found[0], found[1] = mu[design.reward] + w[design.reward], w[design.reward]


@jit
def _chosen(design: Design, restart: bool, index: FloatArray, rng: np.random.Generator) -> int:
    """Drop arms and choose the one to play; ``index`` holds indices and widths."""
    live, step, bound = design.live, design.step, design.bound
    if restart:
        step[SCALE] = 1
    widest = np.max(index[1])
    narrow = widest < design.narrow
    while widest < bound * 2.0 ** -step[SCALE]:  # step 5
        best = np.max(index[0])
        widest = 0.0
        for arm in range(len(live)):
            if live[arm] and index[0, arm] < best - bound * 2.0 ** (1 - step[SCALE]):
                live[arm] = False
                index[0, arm], index[1, arm] = -np.inf, -np.inf
            widest = max(widest, index[1, arm])
        step[SCALE] += 1
    if narrow:  # step 6
        return largest(index[0], rng)
    wide = 0
    for arm in range(len(live)):
        wide += live[arm] and index[1, arm] >= bound * 2.0 ** -step[SCALE]
    left = int(rng.random() * wide)
    for arm in range(len(live)):
        if live[arm] and index[1, arm] >= bound * 2.0 ** -step[SCALE]:
            if left == 0:
                return arm
            left -= 1
    return 0


@jit
def _learn(world: LinearWorld, mechanism: States, design: Design, x: FloatArray) -> None:
    """Add the last round played to the regression of every variable with parents, for its mechanism."""
    model = design.model
    for v in range(len(mechanism)):
        first, k = model.start[v], mechanism[v]
        d = model.start[v + 1] - first
        design.played[k, v] += 1
        if d:
            x[:] = 0.0
            for i in range(d):
                x[i] = world.values[model.parent[first + i]]
            learn(design.ridge, 2 * v + k, x, world.values[v] - model.noise[v])


@jit
def largest_eigenvalue(matrix: FloatArray) -> float:
    """Return the largest eigenvalue of a small symmetric matrix by Jacobi rotations."""
    a, d = matrix.copy(), len(matrix)
    for _ in range(50):
        off = 0.0
        for p in range(d):
            for q in range(p):
                off = max(off, abs(a[p, q]) / math.sqrt(a[p, p] * a[q, q]))
        if off < 1e-13:
            break
        for p in range(d):
            for q in range(p):
                if a[p, q] == 0.0:
                    continue
                ratio = (a[q, q] - a[p, p]) / (2.0 * a[p, q])
                t = 1.0 / (abs(ratio) + math.sqrt(ratio * ratio + 1.0))
                t = t if ratio >= 0.0 else -t
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for i in range(d):
                    left, right = a[i, p], a[i, q]
                    a[i, p], a[i, q] = c * left - s * right, s * left + c * right
                for i in range(d):
                    left, right = a[p, i], a[q, i]
                    a[p, i], a[q, i] = c * left - s * right, s * left + c * right
    largest = a[0, 0]
    for i in range(1, d):
        largest = max(largest, a[i, i])
    return largest  # type: ignore[no-any-return]
