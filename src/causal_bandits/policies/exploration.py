"""What policies share that look for the best arm: settings, the arm that watches, and what a run says at its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.policies.base import Outcome


@dataclass(frozen=True)
class Exploring:
    """Base of policies that answer with an arm: with probability 1 - delta its mean is within epsilon of the best.

    Parameters
    ----------
    epsilon : float
        In [0, 1).
    delta : float
        In (0, 1).
    """

    plays: ClassVar[type] = GLMBandit
    outcomes: ClassVar[tuple[str, ...]] = (
        "sample_complexity",
        "answer",
        "correct",
        "excess",
        "observed_share",
        "unmet_width",
        "unmet_observations",
    )

    epsilon: float = 0.0
    delta: float = 0.1

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon < 1 or not 0 < self.delta < 1:
            raise ValueError(f"epsilon={self.epsilon}, delta={self.delta}: expected in [0, 1) and (0, 1)")


class Tally(NamedTuple):
    """What was seen of arms that were played, float64 arrays of shape (arms,).

    Attributes
    ----------
    ones, pulls : arrays
    """

    ones: FloatArray
    pulls: FloatArray

    @classmethod
    def empty(cls, arms: int) -> Tally:
        """Before the first play."""
        return cls(np.zeros(arms), np.zeros(arms))


def observing_arm(bandit: GLMBandit) -> int:
    """The number of do().

    Raises
    ------
    ValueError
        If the action set does not hold it, as xiong2023, Section 2, asks for.
    """
    for number, action in enumerate(bandit.arms):
        if not action:
            return number
    raise ValueError(f"none of the {len(bandit.arms)} actions is do(): without it nothing is observed passively")


def concluded(bandit: GLMBandit, epsilon: float, answer: int, pulls: FloatArray) -> dict[str, float]:
    """The `Outcome` of a run that gave an answer.

    Parameters
    ----------
    bandit : GLMBandit
    epsilon : float
    answer : int
    pulls : array, shape (arms,)
        How often each arm was played, by number: ``pulls_0``, ``pulls_1``, ...

    Returns
    -------
    dict
        ``sample_complexity`` (rounds), ``answer``, ``correct`` (1 if its exact mean is within epsilon of the best, else
        0), ``excess`` (by how much it lies below the best), ``observed_share`` of the rounds and the pulls.
    """
    below = float(bandit.means.max() - bandit.means[answer])
    watching = [a for a, action in enumerate(bandit.arms) if not action]
    return {
        "sample_complexity": float(pulls.sum()),
        "answer": float(answer),
        "correct": float(below <= epsilon + 1e-12),
        "excess": max(below, 0.0),
        "observed_share": float(pulls[watching].sum() / pulls.sum()),
        **{f"pulls_{a}": float(n) for a, n in enumerate(pulls)},
    }


def capped(width: float, missing: float = 0.0) -> Outcome:
    """The `Outcome` of a run that met its cap of rounds: no answer, and which condition was not met (ledger L143).

    Parameters
    ----------
    width : float
        How far the challenger's upper bound lies above what would have ended the run, or 0.
    missing : float
        How many passive observations are missing, or 0.
    """
    return {"unmet_width": max(width, 0.0), "unmet_observations": max(missing, 0.0)}
