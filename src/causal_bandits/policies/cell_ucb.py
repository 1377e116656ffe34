"""The loop that UCB, UCB-PCB, C-UCB and D-UCB share: they differ in the cells whose means they learn.

UCB_a(t) = sum over z of (mean_w + sqrt(2 log(1/delta) / (1 v N_w))) P(z | x_t, a) (huang2022, Eq. 5 and 6); the mean of
a cell without rewards counts as 0 (ledger L46). Ties are broken at random (ledger L54).
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from causal_bandits.compiled import jit
from causal_bandits.models.cells import Cells, learn, no_rewards, upper_bounds
from causal_bandits.models.contextual import ContextualBandit, Rounds, play_round
from causal_bandits.policies.base import Run
from causal_bandits.policies.linear import largest

FloatArray = NDArray[np.float64]

#: The confidence levels delta of the rounds t = 1, 2, ..., T by name.
CONFIDENCE = {
    "anytime": "1/t^2",  # huang2022, Section 4
    "horizon": "1/T^2",  # huang2024, Theorem 8
}


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Refuse a hyper-parameter that is none of its choices."""
    if value not in choices:
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(choices)}")


def reward_scale(confidence: str, horizon: int) -> FloatArray:
    """sqrt(2 log(1/delta)) of each round, shape (horizon,)."""
    known = np.arange(1, horizon + 1) if confidence == "anytime" else np.full(horizon, horizon)
    return np.sqrt(4 * np.log(known))  # type: ignore[no-any-return]


def run(
    problem: ContextualBandit,
    cells: Cells,
    confidence: str,
    horizon: int,
    environment_rng: np.random.Generator,
    policy_rng: np.random.Generator,
    unplayed: float = 0.0,
    lower: FloatArray | None = None,
    upper: FloatArray | None = None,
) -> Run:
    """Play ``horizon`` rounds of the arm with the largest index.

    Parameters
    ----------
    cells : Cells
    confidence : str
        A key of `CONFIDENCE`.
    unplayed : float
        What the mean of a cell without rewards counts as: 0, or infinity.
    lower, upper : float64 array, shape (contexts, arms), optional
        To these the indices are clipped.
    """
    shape = cells.cell.shape[:2]
    rounds = problem.rounds(horizon, environment_rng)
    arms, rewards = _play(
        rounds,
        cells,
        reward_scale(confidence, horizon),
        unplayed,
        np.full(shape, -np.inf) if lower is None else lower,
        np.full(shape, np.inf) if upper is None else upper,
        policy_rng,
    )
    return Run(arms, rewards, problem.regrets(arms, rounds.contexts))


@jit
def _play(
    rounds: Rounds,
    cells: Cells,
    scale: FloatArray,
    unplayed: float,
    lower: FloatArray,
    upper: FloatArray,
    policy_rng: np.random.Generator,
) -> tuple[NDArray[np.int64], FloatArray]:
    horizon, n_arms = len(scale), cells.cell.shape[1]
    arms, rewards = np.empty(horizon, dtype=np.int64), np.empty(horizon)
    means = no_rewards(cells.size, unplayed)
    index, values = np.empty(n_arms), np.empty(rounds.weights.size, dtype=np.int8)
    for t in range(horizon):
        context = rounds.contexts[t]
        upper_bounds(means, cells, context, scale[t], index)
        for a in range(n_arms):
            index[a] = max(min(index[a], upper[context, a]), lower[context, a])
        arm = largest(index, policy_rng)
        rewards[t] = play_round(rounds, t, arm, values)
        learn(means, cells, values, rewards[t])
        arms[t] = arm
    return arms, rewards
