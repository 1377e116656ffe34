"""OAM-PCB: OAM with causal bounds (huang2024, Algorithm 5); its lines are in `oam`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from causal_bandits.arrays import FloatArray
from causal_bandits.checks import check_choice
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.policies.contextual.helpers.features import prior_bounds
from causal_bandits.policies.contextual.oam import OAM


@dataclass(frozen=True)
class OAMPCB(OAM):
    """OAM with the causal bounds ``lower`` and ``upper`` of the problem's prior (Alg. 5).

    Parameters
    ----------
    bounds_enter : {"choices", "gaps", "arms"}
        Where the bounds are used (ledger L58). "choices": as Algorithm 5 prints it, in the choice among clipped
        estimates (line 7) and in Eq. 16 (line 14). "gaps": also in the gaps, which are then differences of clipped
        estimates. "arms": besides, an arm is left out of everything while its upper bound is below the best clipped
        estimate of the context, as Theorem 7 leaves out the arms that the bounds rule out.
    """

    bounds_enter: Literal["choices", "gaps", "arms"] = "choices"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("bounds_enter", self.bounds_enter, ("choices", "gaps", "arms"))

    def _bounds(self, bandit: ContextualBandit) -> tuple[FloatArray, FloatArray]:
        return prior_bounds(bandit, "lower"), prior_bounds(bandit, "upper")

    def _reach(self) -> tuple[bool, bool]:
        return self.bounds_enter != "choices", self.bounds_enter == "arms"
