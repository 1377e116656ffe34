"""The loop shared by UCB, UCB-PCB, C-UCB and D-UCB, which differ in the cells whose means they learn.

UCB_a(t) = sum over z of (mean_w + sqrt(2 log(1/delta) / (1 v N_w))) P(z | x_t, a) (huang2022, Eq. 5 and 6); the mean of
a cell without rewards counts as 0 (ledger L46). Ties are broken at random (ledger L54).

In the comments, Alg. 1 is huang2022's (D-UCB), Alg. 6 is huang2024's (UCB-PCB), and steps are those of UCB and C-UCB.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import kernel, loop
from causal_bandits.estimation.cells import CellMeans, learn, upper_bounds
from causal_bandits.models.contextual import ContextualBandit, ContextualWorld, play_round
from causal_bandits.policies.base import Outcome, Queries, Rounds, blank
from causal_bandits.policies.helpers.choice import largest

#: The confidence levels delta of the rounds t = 1, 2, ..., T by name.
CONFIDENCE = {
    "anytime": "1/t^2",  # huang2022, Section 4
    "horizon": "1/T^2",  # huang2024, Theorem 8
}


def reward_scale(confidence: str, horizon: int) -> FloatArray:
    """Return sqrt(2 log(1/delta)) of each round, shape (horizon,)."""
    known = np.arange(1, horizon + 1) if confidence == "anytime" else np.full(horizon, horizon)
    return np.sqrt(4 * np.log(known))  # type: ignore[no-any-return]


class Limits(NamedTuple):
    """The interval that each index is clipped to, float64 arrays of shape (contexts, arms)."""

    lower: FloatArray
    upper: FloatArray

    @classmethod
    def none(cls, means: CellMeans) -> Limits:
        """Create limits that clip nothing."""
        shape = means.cells.cell.shape[:2]
        return cls(np.full(shape, -np.inf), np.full(shape, np.inf))


def run(
    bandit: ContextualBandit,
    rounds: Rounds[ContextualWorld],
    rng: np.random.Generator,
    means: CellMeans,
    confidence: str,
    limits: Limits | None = None,
) -> Outcome:
    """Play one run, choosing the arm with the largest index in every round.

    Parameters
    ----------
    bandit : ContextualBandit
    rounds : Rounds
    rng : numpy.random.Generator
        For ties.
    means : CellMeans
        The state before the first round; changed in place.
    confidence : str
        A key of `CONFIDENCE`.
    limits : Limits, optional
    """
    scale, limits = reward_scale(confidence, rounds.horizon), limits or Limits.none(means)
    index = np.empty(len(bandit.arms))
    for world in rounds:
        (arms, rewards), queried = blank(rounds.size), rounds.queries.blank(rounds.size)
        _play(arms, rewards, queried, index, world, means, scale, limits, rounds.queries, rng)
        rounds.record(arms, rewards, queried_arms=queried)
    return {}


@loop
def _play(
    arms: IntArray,
    rewards: FloatArray,
    queried: IntArray,
    index: FloatArray,
    world: ContextualWorld,
    means: CellMeans,
    scale: FloatArray,
    limits: Limits,
    queries: Queries,
    rng: np.random.Generator,
) -> None:
    for i in range(len(arms)):  # Alg. 1, line 3; Alg. 6, line 3
        context, bonus = world.contexts[i], scale[world.first + i]
        for k in range(queried.shape[1]):
            queried[i, k] = _choose(means, limits, queries.contexts[context, k], bonus, index, queries.rng)
        arms[i] = _choose(means, limits, context, bonus, index, rng)
        rewards[i] = play_round(world, i, arms[i])  # step 2; Alg. 1, line 5; Alg. 6, line 8
        learn(means, world.values, rewards[i])  # step 3; Alg. 1, line 6; Alg. 6, line 9


@kernel
def _choose(
    means: CellMeans, limits: Limits, context: int, scale: float, index: FloatArray, rng: np.random.Generator
) -> int:
    """Choose the arm with the largest clipped index in ``context``; ``index`` is scratch memory."""
    upper_bounds(means, context, scale, index)  # step 1; Alg. 1, line 4; Alg. 6, lines 4 and 5
    for a in range(len(index)):  # Alg. 6, line 6
        index[a] = max(min(index[a], limits.upper[context, a]), limits.lower[context, a])
    return largest(index, rng)  # step 2; Alg. 1, line 4; Alg. 6, line 8
