"""LinSEM-UCB: optimism over the rows of a linear structural equation model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray, States
from causal_bandits.checks import check_choice, check_numbers
from causal_bandits.compiled import jit
from causal_bandits.estimation.ridge import check_condition, estimate, width
from causal_bandits.models.linear_sem import CompiledLinearSEM
from causal_bandits.models.linear_sem_bandit import LinearSEMBandit, LinearWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.helpers.choice import largest
from causal_bandits.policies.linear_sem.helpers.rows import Rows, gather, learn_round, start_rows

#: How to search for the largest mean over all rows in the confidence sets: see `LinSEMUCB`.
MAXIMA = ("forward", "ascent")

#: Block ascent stops when the relative change of the mean is at most the first number, or after the second number of
#: sweeps.
CONVERGED, SWEEPS = 1e-9, 50


@dataclass(frozen=True)
class LinSEMUCB:
    """Play the arm that is best under the most favourable weights of a linear model (LinSEM-UCB).

    Use it in place of `LinSEMTS`, with the same knowledge and the horizon T, if choices should not be random. The
    theoretical radius is wide if there are few rounds, and the search with ``maximum="ascent"`` is slow for very many
    arms.

    Only the abstract and code by later authors were available (L236, L237); the steps are ours:

    1. For each arm go from causes to effects: a variable's optimistic mean is its estimate from the parents' optimistic
       means, plus beta times the estimate's width. With ``maximum="forward"``, the reward's optimistic mean is the
       arm's index.
    2. With ``ascent``, search for the most favourable weights in the confidence sets ``|theta - theta_hat|_V <= beta``
       and ``|theta| <= m_B``: change one row at a time to the best one, starting from the weights of step 1 and from
       the estimates. The larger of the two means is the index.
    3. Play the arm with the largest index; ties are broken at random.
    4. Add the round to the regression of each variable, for the mechanism that it had.

    Parameters
    ----------
    maximum : {"ascent", "forward"}
        ``ascent`` gives a lower bound on the true maximum, for any weights; ``forward`` is a single pass that
        leaves out ``|theta| <= m_B``; without that bound it gives the maximum if no weight is negative (L237).
    scale : float
        > 0, a factor of the radius beta (L236).
    row_bound : float, optional
        m_B > 0; default: the largest number of weights in a row.
    constant : bool
        Whether every row has a constant, which is learnt too.

    References
    ----------
    As for `LinSEMTS`.
    """

    plays: ClassVar[type] = LinearSEMBandit

    maximum: str = "ascent"
    scale: float = 1.0
    row_bound: float | None = None
    constant: bool = True

    def __post_init__(self) -> None:
        check_choice("maximum", self.maximum, MAXIMA)
        check_numbers(self, scale="(0, inf)", row_bound="None or (0, inf)")

    def run(self, bandit: LinearSEMBandit, rounds: Rounds[LinearWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        rows = start_rows(bandit, 1.0, self.constant)
        largest_size = max(int(rows.size.max()), 1)
        bound = float(self.row_bound or largest_size)
        beta = self.scale * radius(rows.model, largest_size, bound, rounds.horizon)
        n = len(rows.values)
        room = Room(np.zeros((2, n, len(rows.x))), np.empty((3, n)), np.empty(len(rows.x)))
        for world in rounds:
            rounds.record(*_play(world, rows, beta, bound, self.maximum == "ascent", room, rng))
            check_condition(rows.ridge, 1.0)
        return {}


def radius(model: CompiledLinearSEM, d: int, bound: float, horizon: int) -> float:
    """Return beta = m_B + sqrt(2 log(1/delta) + d log(1 + m^2 T / d)), with delta = 1/(2 n T).

    Parameters
    ----------
    model : CompiledLinearSEM
        The structure that the learner assumes.
    d : int
        The largest number of coefficients of a row.
    bound : float
        m_B.
    horizon : int
        T.
    """
    n = len(model.noise)
    m = largest_values(model, d)
    return bound + math.sqrt(2 * math.log(2 * n * horizon) + d * math.log1p(float(m @ m) * horizon / d))


def largest_values(model: CompiledLinearSEM, d: int) -> FloatArray:
    """Return m, the assumed bound on the absolute value of each variable, shape (n,).

    It is 1 for roots, and 1 plus d times the largest bound among the parents for the others (ledger L236).
    """
    m = np.ones(len(model.noise))
    for v in range(len(m)):
        parents = model.parent[model.start[v] : model.start[v + 1]]
        if len(parents):
            m[v] = d * m[parents].max() + 1
    return m


class Room(NamedTuple):
    """Scratch memory for the search for the largest mean.

    Attributes
    ----------
    theta : float64 array, shape (2, n, most coefficients)
        The rows of the forward pass, and the rows that block ascent changes.
    values : float64 array, shape (3, n)
        Optimistic means, means under the current rows, and each variable's total effect on the reward.
    row : float64 array, shape (most coefficients,)
        A new row.
    """

    theta: FloatArray
    values: FloatArray
    row: FloatArray


@jit
def _play(
    world: LinearWorld, rows: Rows, beta: float, bound: float, ascend: bool, room: Room, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    n = len(world.noise)
    arms, rewards = np.empty(n, dtype=np.int64), np.empty(n)
    index = np.empty(len(rows.arms.order))
    for i in range(n):
        indices(rows, beta, bound, ascend, room, index)
        arm = largest(index, rng)  # step 3
        rewards[i] = play_round(world, i, arm)
        arms[i] = arm
        learn_round(rows, world, arm)  # step 4
    return arms, rewards


@jit
def indices(rows: Rows, beta: float, bound: float, ascend: bool, room: Room, index: FloatArray) -> None:
    """Write the optimistic mean of every arm into ``index``, shape (arms,)."""
    u = room.values[0]
    for j in range(len(rows.arms.order)):
        arm = rows.arms.order[j]
        for v in range(rows.arms.first[j], len(u)):
            u[v] = rows.model.noise[v]  # step 1
            k = rows.arms.mechanism[arm, v]
            if rows.size[v] and rows.learnt[v, k]:
                gather(rows, v, u)
                u[v] += estimate(rows.ridge, 2 * v + k, rows.x) + beta * width(rows.ridge, 2 * v + k, rows.x)
                if ascend:
                    _favourable(rows, v, k, beta, room.theta[0, v])
        index[arm] = u[rows.reward]
        if ascend:
            index[arm] = -np.inf
            for start in range(2):  # step 2
                index[arm] = max(index[arm], _ascended(rows, arm, beta, bound, room, start))


@jit
def _favourable(rows: Rows, v: int, k: int, beta: float, row: FloatArray) -> None:
    """Write theta_hat + beta V^-1 x / |x|_{V^-1} into ``row``, where x is the sample in ``rows.x``."""
    model, x = 2 * v + k, rows.x
    length = width(rows.ridge, model, x)
    for i in range(len(x)):
        step = 0.0
        for j in range(len(x)):
            step += rows.ridge.inverse[model, i, j] * x[j]
        row[i] = rows.ridge.theta[model, i] + (beta * step / length if length > 0.0 else 0.0)


@jit
def _ascended(rows: Rows, arm: int, beta: float, bound: float, room: Room, start: int) -> float:
    """Return the mean of ``arm`` that block ascent reaches.

    It starts from the weights of the forward pass if ``start`` is 0, and from the estimates if it is 1.
    """
    model, mechanism, theta = rows.model, rows.arms.mechanism[arm], room.theta[1]
    means, effect = room.values[1], room.values[2]
    for v in range(len(means)):
        estimated = rows.ridge.theta[2 * v + mechanism[v]]
        if start:
            theta[v] = estimated
        else:
            _into_ball(estimated, room.theta[0, v], bound, theta[v])
    value = _means(rows, mechanism, theta, means)
    for _ in range(SWEEPS):
        for v in range(len(means)):  # the total effects, from the reward backwards
            effect[v] = 1.0 if v == rows.reward else 0.0
        for v in range(len(means) - 1, -1, -1):
            for i in range(model.start[v], model.start[v + 1]):
                effect[model.parent[i]] += theta[v, i - model.start[v]] * effect[v]
        for v in range(len(means)):
            k = mechanism[v]
            if not (rows.size[v] and rows.learnt[v, k]):
                continue
            d, sign = gather(rows, v, means), 1.0 if effect[v] >= 0.0 else -1.0
            _favourable(rows, v, k, sign * beta, room.row)
            _into_ball(rows.ridge.theta[2 * v + k], room.row, bound, room.row)
            before, after = 0.0, 0.0
            for i in range(d):
                before += theta[v, i] * rows.x[i]
                after += room.row[i] * rows.x[i]
            if sign * after > sign * before:
                theta[v] = room.row
            means[v] = max(sign * before, sign * after) * sign + model.noise[v]
        before, value = value, means[rows.reward]
        if abs(value - before) <= CONVERGED * max(1.0, abs(value)):
            break
    return value


@jit
def _into_ball(inside: FloatArray, row: FloatArray, bound: float, result: FloatArray) -> None:
    """Write a point between ``inside`` and ``row`` with a norm of at most ``bound`` into ``result``.

    It is the last such point on the segment from ``inside`` to ``row``. If both ends exceed the bound, it is
    ``inside``.
    """
    own, along, step = 0.0, 0.0, 0.0
    for i in range(len(row)):
        difference = row[i] - inside[i]
        own += inside[i] * inside[i]
        along += inside[i] * difference
        step += difference * difference
    share = 1.0
    if own + 2.0 * along + step > bound * bound:
        root = along * along + step * (bound * bound - own)
        share = (math.sqrt(root) - along) / step if own <= bound * bound else 0.0
    for i in range(len(row)):
        result[i] = inside[i] + share * (row[i] - inside[i])


@jit
def _means(rows: Rows, mechanism: States, theta: FloatArray, means: FloatArray) -> float:
    """Write every variable's mean under the rows ``theta`` into ``means``; return the reward's."""
    for v in range(len(means)):
        means[v] = rows.model.noise[v]
        if rows.size[v] and rows.learnt[v, mechanism[v]]:
            for i in range(gather(rows, v, means)):
                means[v] += theta[v, i] * rows.x[i]
    return means[rows.reward]  # type: ignore[no-any-return]
