"""Observe, then LUCB: two stages, with xiong2023's estimates.

The two stages are those of earlier causal bandits (Lattimore et al. 2016). Estimates and radii are those of
CCPE-General. The difference is when to observe: the number of observations is fixed beforehand, instead of one per
iteration.
"""

from __future__ import annotations

from dataclasses import dataclass

from causal_bandits.checks import check_numbers
from causal_bandits.policies.glm.ccpe_general import CCPEGeneral


@dataclass(frozen=True)
class ObserveThenLUCB(CCPEGeneral):
    """Observe for a number of rounds, then play the two actions of LUCB in turn.

    The run ends as soon as the intervals allow.

    Parameters
    ----------
    epsilon, delta, divisor, alpha_o, alpha_i
        As in `CCPEGeneral`.
    observations : int
        >= 1, the rounds of the first stage.
    """

    observations: int = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        check_numbers(self, observations="integer in [1, inf)")

    @property
    def _watch_until(self) -> int:
        return self.observations
