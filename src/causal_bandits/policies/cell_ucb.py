"""The loop that UCB, UCB-PCB, C-UCB and D-UCB share: they differ in the cells whose means they learn.

UCB_a(t) = sum over z of (mean_w + sqrt(2 log(1/delta) / (1 v N_w))) P(z | x_t, a) (huang2022, Eq. 5 and 6); the mean of
a cell without rewards counts as 0 (ledger L46). Ties are broken at random (ledger L54).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_bandits.compiled import jit
from causal_bandits.estimation.cells import CellMeans, learn, upper_bounds
from causal_bandits.models.contextual import ContextualWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.choice import largest

FloatArray = NDArray[np.float64]

#: The confidence levels delta of the rounds t = 1, 2, ..., T by name.
CONFIDENCE = {
    "anytime": "1/t^2",  # huang2022, Section 4
    "horizon": "1/T^2",  # huang2024, Theorem 8
}


def reward_scale(confidence: str, horizon: int) -> FloatArray:
    """sqrt(2 log(1/delta)) of each round, shape (horizon,)."""
    known = np.arange(1, horizon + 1) if confidence == "anytime" else np.full(horizon, horizon)
    return np.sqrt(4 * np.log(known))  # type: ignore[no-any-return]


class Limits(NamedTuple):
    """What indices are clipped to, float64 arrays of shape (contexts, arms)."""

    lower: FloatArray
    upper: FloatArray

    @classmethod
    def none(cls, means: CellMeans) -> Limits:
        """No limits."""
        shape = means.cells.cell.shape[:2]
        return cls(np.full(shape, -np.inf), np.full(shape, np.inf))


def run(
    rounds: Rounds[ContextualWorld],
    rng: np.random.Generator,
    means: CellMeans,
    confidence: str,
    limits: Limits | None = None,
) -> Outcome:
    """Play one run of the arm with the largest index.

    Parameters
    ----------
    rounds : Rounds
    rng : numpy.random.Generator
        For ties.
    means : CellMeans
        Without rewards.
    confidence : str
        A key of `CONFIDENCE`.
    limits : Limits, optional
    """
    scale, limits = reward_scale(confidence, rounds.horizon), limits or Limits.none(means)
    for world in rounds:
        rounds.record(*_play(world, means, scale, limits, rng))
    return {}


@jit
def _play(
    world: ContextualWorld, means: CellMeans, scale: FloatArray, limits: Limits, rng: np.random.Generator
) -> tuple[NDArray[np.int64], FloatArray]:
    n, n_arms = len(world.contexts), limits.lower.shape[1]
    arms, rewards, index = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n_arms)
    for i in range(n):
        context = world.contexts[i]
        upper_bounds(means, context, scale[world.first + i], index)
        for a in range(n_arms):
            index[a] = max(min(index[a], limits.upper[context, a]), limits.lower[context, a])
        arms[i] = largest(index, rng)
        rewards[i] = play_round(world, i, arms[i])
        learn(means, world.values, rewards[i])
    return arms, rewards
