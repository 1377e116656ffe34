"""Observe, then LUCB: two stages, with the estimates of CCPE-General."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from causal_bandits.checks import COUNT, Constraints, constrained
from causal_bandits.policies.glm.ccpe_general import CCPEGeneral


@dataclass(frozen=True)
@constrained
class ObserveThenLUCB(CCPEGeneral):
    """Observe for a fixed number of rounds, then play LUCB with the estimates of CCPE-General.

    It shows what `CCPEGeneral` gains by observing in every iteration: the estimates and radii are the same, but the
    number of observations is fixed in advance, as in earlier causal bandit algorithms.

    It takes the steps of `CCPEGeneral` in a different order:

    1. (lines 8 to 12) In each of the first ``observations`` rounds play do(), and update the estimates from
       observations.
    2. (lines 4 to 6 and 13 to 17) Then choose h and l, and play l and h, as `CCPEGeneral` does, until the intervals
       allow stopping.

    Parameters
    ----------
    observations : int
        The rounds of the first stage.
    epsilon, delta, divisor, alpha_o, alpha_i
        As for `CCPEGeneral`.

    Notes
    -----
    The run can also end in the first stage, as soon as the intervals allow it.

    References
    ----------
    The two stages: Lattimore, Lattimore & Reid 2016. The estimates: Xiong & Chen 2023 (xiong2023).
    """

    constraints: ClassVar[Constraints] = {"observations": COUNT}

    observations: int = 1000

    @property
    def _watch_until(self) -> int:
        return self.observations
