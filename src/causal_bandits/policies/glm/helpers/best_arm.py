"""Code shared by policies for best-arm identification: settings, the arm do(), and outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.checks import Constraints, Interval, constrained
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.policies.base import Outcome


@dataclass(frozen=True)
@constrained
class Exploring:
    """Base class for policies that answer with an arm.

    With probability at least 1 - delta, the answer's mean is within epsilon of the best.

    Parameters
    ----------
    epsilon : float
        How far below the best the mean of a correct answer may be.
    delta : float
        The probability that the answer may be wrong.
    """

    plays: ClassVar[type] = GLMBandit
    outcomes: ClassVar[tuple[str, ...]] = (
        "sample_complexity",
        "answer",
        "correct",
        "observed_share",
        "pulls_*",
        "unmet_width",
        "unmet_observations",
    )
    constraints: ClassVar[Constraints] = {"epsilon": Interval(0, 1, "left"), "delta": Interval(0, 1)}

    epsilon: float = 0.0
    delta: float = 0.1


class Tally(NamedTuple):
    """Sums of rewards and numbers of pulls per arm, float64 arrays of shape (arms,).

    Attributes
    ----------
    ones, pulls : arrays
    """

    ones: FloatArray
    pulls: FloatArray

    @classmethod
    def empty(cls, arms: int) -> Tally:
        """Create the tally before the first round."""
        return cls(np.zeros(arms), np.zeros(arms))


def observing_arm(bandit: GLMBandit) -> int:
    """Return the index of the arm do().

    Raises
    ------
    ValueError
        If do() is not among the actions (xiong2023, Section 2, requires it).
    """
    for number, action in enumerate(bandit.arms):
        if not action:
            return number
    raise ValueError(
        f"none of the {len(bandit.arms)} actions is do(); expected it among them, for passive observations"
    )


def concluded(bandit: GLMBandit, epsilon: float, answer: int, pulls: FloatArray) -> dict[str, float]:
    """Return the `Outcome` of a run that ended with an answer.

    Parameters
    ----------
    bandit : GLMBandit
    epsilon : float
    answer : int
    pulls : array, shape (arms,)
        How often each arm was played; the outcome lists these numbers as ``pulls_0``, ``pulls_1``, ...

    Returns
    -------
    dict
        ``sample_complexity`` (rounds), ``answer``, ``correct`` (1 if the answer's exact mean is within epsilon of the
        best, else 0), ``observed_share`` (the share of rounds that played do()), and the pulls.
    """
    below = float(bandit.means.max() - bandit.means[answer])
    watching = [a for a, action in enumerate(bandit.arms) if not action]
    return {
        "sample_complexity": float(pulls.sum()),
        "answer": float(answer),
        "correct": float(below <= epsilon + 1e-12),
        "observed_share": float(pulls[watching].sum() / pulls.sum()),
        **{f"pulls_{a}": float(n) for a, n in enumerate(pulls)},
    }


def capped(width: float, missing: float = 0.0) -> Outcome:
    """Return the `Outcome` of a run that the horizon cut off: the conditions not met (ledger L143).

    Parameters
    ----------
    width : float
        How far the challenger's upper bound exceeds the value at which the run would end, or 0.
    missing : float
        How many passive observations are missing, or 0.
    """
    return {"unmet_width": max(width, 0.0), "unmet_observations": max(missing, 0.0)}
