"""OAM-PCB (huang2024, Algorithm 5); the code for its lines is in `oam`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from causal_bandits.arrays import FloatArray
from causal_bandits.checks import Constraints, constrained
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.policies.contextual.helpers.features import prior_bounds
from causal_bandits.policies.contextual.oam import OAM


@dataclass(frozen=True)
@constrained
class OAMPCB(OAM):
    """Play OAM with causal bounds on each mean (OAM-PCB).

    Use it in place of `OAM` if offline data give lower and upper bounds on each mean, ``prior["lower"]`` and
    ``prior["upper"]``.

    Line numbers are those of huang2024, Algorithm 5. This is `OAM` with two changes:

    1. (lines 5 to 9) To exploit, play the arm with the largest estimate after clipping it to the arm's bounds (line 7).
    2. (lines 13 and 14) If every arm has been played as often as its allocation demands, play the arm with the largest
       index of LinUCB, clipped to its upper bound (Eq. 16).

    Parameters
    ----------
    bounds_enter : str
        Where the bounds are used (L58): in lines 7 and 14, as printed; also in the gaps, which are then differences of
        clipped estimates; or, in addition, to leave out arms while their upper bound is below the best clipped estimate
        of the context (Theorem 7).
    c, epsilon, intercept, tolerance
        As for `OAM`.

    Notes
    -----
    Two formulas in the source are misprinted (E12).

    References
    ----------
    Huang & Wu 2024 (huang2024).
    """

    constraints: ClassVar[Constraints] = {"bounds_enter": ("choices", "gaps", "arms")}

    bounds_enter: str = "choices"

    def _bounds(self, bandit: ContextualBandit) -> tuple[FloatArray, FloatArray]:
        return prior_bounds(bandit, "lower"), prior_bounds(bandit, "upper")

    def _reach(self) -> tuple[bool, bool]:
        return self.bounds_enter != "choices", self.bounds_enter == "arms"
