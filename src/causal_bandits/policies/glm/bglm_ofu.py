"""BGLM-OFU: optimism over the equations of a binary linear model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import BoolArray, FloatArray, IntArray, States
from causal_bandits.checks import check_numbers
from causal_bandits.compiled import jit
from causal_bandits.estimation.ridge import Ridge, check_condition, estimate, learn, start, width
from causal_bandits.models.arms import force, release
from causal_bandits.models.glm_bandit import GLMBandit, GLMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.helpers.choice import TIE


@dataclass(frozen=True)
class BGLMOFU:
    """Play the set of variables that is best under optimistic linear equations (BGLM-OFU).

    Use it for low regret if arms set several variables of a binary linear model and you have the graph: each round
    teaches about all arms. Logistic links and hidden common causes are rejected. It needs the horizon T.

    Only the abstract and the authors' code were available (L240, L241); the steps are ours, based on that code:

    1. Play do() in the first rounds, a share ``watch`` of the horizon.
    2. In later rounds compute each arm's index by going from causes to effects: for a variable that the arm sets, u_V
       is the value set; for any other, u_V = theta_V u_pa + rho times the width of this ridge estimate. The reward's u
       is the index; it is not capped at 1.
    3. Play the arm with the largest index, or the first of those within 1e-10 of it.
    4. Add the round to the regression of every observed variable that the arm did not set.

    Parameters
    ----------
    scale : float
        > 0, a factor of the radius rho: 1 in theory, 0.1 in the authors' experiments (L240).
    watch : float
        In [0, 1), the share of the horizon, at its start, in which do() is played.
    choose_null : bool
        Whether do() may also be chosen by its index.

    References
    ----------
    Feng & Chen 2023, "Combinatorial Causal Bandits".

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import BGLMOFU
    >>> from causal_bandits.problems import make
    >>> bandit = make("xiong2023/parallel_bglm", causes=6, most=1)
    >>> run = play(BGLMOFU(), bandit, 1000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 100)
    True
    """

    plays: ClassVar[type] = GLMBandit

    scale: float = 0.1
    watch: float = 0.01
    choose_null: bool = True

    def __post_init__(self) -> None:
        check_numbers(self, scale="(0, inf)", watch="[0, 1)")

    def run(self, bandit: GLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If a link is not linear, a hidden variable has several effects, ``watch`` needs do() but it is not among the
            arms, or no arm may be chosen.
        """
        equations = start_equations(bandit)
        null = [a for a, arm in enumerate(bandit.arms) if not arm]
        watching = int(self.watch * rounds.horizon)  # T_0
        if watching and not null:
            raise ValueError(f"watch={self.watch}: none of the {len(bandit.arms)} arms is do(); expected it among them")
        open_ = np.ones(len(bandit.arms), dtype=np.bool_)
        open_[null] = self.choose_null
        if not open_.any():
            raise ValueError("choose_null=False: do() is the only arm; expected at least one other")
        n = len(bandit.glm.graph.nodes) + 1  # with X_1 = 1
        radius = self._radius(n, rounds.horizon)
        for world in rounds:
            rounds.record(*_play(world, equations, open_, radius, watching, null[0] if null else -1))
            check_condition(equations.ridge, 1.0)
        return {}

    def _radius(self, n: int, horizon: int) -> Radius:
        """Return rho = 3 sqrt(log(1/delta)) with delta = 1/(3 n sqrt T); kappa = 1, the slope of linear links."""
        return Radius(self.scale, 0.0, 3 * math.sqrt(math.log(3 * n * math.sqrt(horizon))), 0.0, 0.0)


class Radius(NamedTuple):
    """The radius rho_t of a confidence ellipsoid in round t = 1, 2, ...

    It is rho_t = scale (fixed + sqrt(growth log(1 + growth t) + level) + root).

    Attributes
    ----------
    scale, growth, fixed, level, root : float
    """

    scale: float
    growth: float
    fixed: float
    level: float
    root: float


class Equations(NamedTuple):
    """The learnt equations of a binary linear model; variables are numbered as in the world.

    Attributes
    ----------
    start, parent : int64 arrays
        The observed parents of variable ``v`` are ``parent[start[v]:start[v + 1]]``.
    constant : bool array, shape (n,)
        Whether the constant X_1 is a parent too.
    observed : bool array, shape (n,)
    ridge : Ridge
        One regression per variable: its parents, then the constant, then zeros.
    free, ones : float64 arrays, shape (n,)
        For variables without parents: the number of rounds in which they were not set, and the number of these in which
        they were 1.
    """

    start: IntArray
    parent: IntArray
    constant: BoolArray
    observed: BoolArray
    ridge: Ridge
    free: FloatArray
    ones: FloatArray


def start_equations(bandit: GLMBandit) -> Equations:
    """Create equations without samples.

    The constant is a parent of each variable whose base in the model is not 0; the source's graph shows this by edges
    from X_1. A hidden cause of a single variable only shifts that variable's base (ledger L241).

    Raises
    ------
    ValueError
        If a link is not linear, or a hidden variable has several effects.
    """
    glm = bandit.glm
    model, variables = glm.compiled, glm.variables
    if model.logistic.any():
        names = [v for v, logistic in zip(variables, model.logistic, strict=True) if logistic]
        raise ValueError(f"the links of {', '.join(names)} are logistic; expected linear ones")
    hidden = np.array([v in glm.hidden for v in variables])
    for h in glm.hidden:
        if len(effects := [v for v in variables if h in glm.parents(v)]) > 1:
            raise ValueError(f"{h!r} is a hidden common cause of {', '.join(effects)}; expected none")
    own = [[variables.index(p) for p in glm.parents(v) if p not in glm.hidden] for v in variables]
    moved = np.array([any(p in glm.hidden for p in glm.parents(v)) for v in variables])
    most = max(map(len, own)) + 1
    n = len(variables)
    return Equations(
        np.cumsum([0, *map(len, own)]),
        np.array([p for parents in own for p in parents], dtype=np.int64),
        (model.base != 0) | moved,
        ~hidden,
        start(n, most, 1.0),
        np.zeros(n),
        np.zeros(n),
    )


@jit
def _play(
    world: GLMWorld, equations: Equations, open_: BoolArray, radius: Radius, watching: int, null: int
) -> tuple[IntArray, FloatArray]:
    n, forced = len(world.uniforms), world.forced
    arms, rewards = np.empty(n, dtype=np.int64), np.empty(n)
    index, u, x = np.full(len(open_), -np.inf), np.empty(len(forced)), np.empty(equations.ridge.b.shape[1])
    for i in range(n):
        t = world.first + i + 1
        if t <= watching:  # step 1
            arms[i] = null
        else:
            grown = radius.growth * math.log(1.0 + radius.growth * t)
            rho = radius.scale * (radius.fixed + math.sqrt(grown + radius.level) + radius.root)
            for arm in range(len(open_)):  # step 2
                if open_[arm]:
                    force(world.arms, arm, forced)
                    index[arm] = _optimistic(equations, forced, world.reward, rho, u, x)
                    release(world.arms, arm, forced)
            arms[i] = _first(index)  # step 3
        rewards[i] = play_round(world, i, arms[i])
        force(world.arms, arms[i], forced)
        _learn(equations, forced, world.values, x)  # step 4
        release(world.arms, arms[i], forced)
    return arms, rewards


@jit
def _first(index: FloatArray) -> int:
    """Return the first arm whose index is within `TIE` of the largest."""
    best = np.max(index) - TIE
    for arm in range(len(index)):
        if index[arm] >= best:
            return arm
    return 0


@jit
def _optimistic(equations: Equations, forced: States, reward: int, rho: float, u: FloatArray, x: FloatArray) -> float:
    """Return an arm's index u_Y, computed from causes to effects."""
    start_ = equations.start
    for v in range(reward + 1):
        if forced[v] >= 0:
            u[v] = forced[v]
        elif start_[v + 1] == start_[v]:  # no parents: the average of rounds in which v was not set
            free = equations.free[v]
            u[v] = equations.ones[v] / free + rho / math.sqrt(free) if free > 0.0 else 1.0
        else:
            for i in range(len(x)):
                x[i] = 0.0
            for i in range(start_[v], start_[v + 1]):
                x[i - start_[v]] = u[equations.parent[i]]
            if equations.constant[v]:
                x[start_[v + 1] - start_[v]] = 1.0
            u[v] = estimate(equations.ridge, v, x) + rho * width(equations.ridge, v, x)
    return u[reward]  # type: ignore[no-any-return]


@jit
def _learn(equations: Equations, forced: States, values: States, x: FloatArray) -> None:
    """Add a round to the equation of every observed variable that the arm did not set."""
    start_ = equations.start
    for v in range(len(values)):
        if forced[v] >= 0 or not equations.observed[v]:
            continue
        if start_[v + 1] == start_[v]:
            equations.free[v] += 1
            equations.ones[v] += values[v]
        else:
            for i in range(len(x)):
                x[i] = 0.0
            for i in range(start_[v], start_[v + 1]):
                x[i - start_[v]] = values[equations.parent[i]]
            if equations.constant[v]:
                x[start_[v + 1] - start_[v]] = 1.0
            learn(equations.ridge, v, x, values[v])
