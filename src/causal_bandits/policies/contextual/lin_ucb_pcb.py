"""LinUCB-PCB (huang2024, Algorithm 4); the code for its lines is in `lin_ucb`."""

from __future__ import annotations

from dataclasses import dataclass

from causal_bandits.arrays import FloatArray
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.policies.contextual.helpers.features import prior_bounds
from causal_bandits.policies.contextual.lin_ucb import LinUCB


@dataclass(frozen=True)
class LinUCBPCB(LinUCB):
    """Play LinUCB with indices clipped to causal upper bounds (LinUCB-PCB).

    Use it in place of `LinUCB` if offline data give upper bounds on each mean, for instance those of `Logs.prior`. With
    a fixed alpha, its guarantee may not hold (E14).

    This is huang2024's Algorithm 4, which is `LinUCB` with one more step:

    1. (line 10) Before choosing, clip the index of each arm to its upper bound in this context.

    Parameters
    ----------
    upper : str
        The name of the upper bounds in the bandit's prior: ``upper`` (estimates) or ``confident_upper`` (valid for a
        finite sample; L93).
    alpha, penalty, intercept, warm_start, warm_weight, shared, cells
        As for `LinUCB`.

    References
    ----------
    Huang & Wu 2024 (huang2024).
    """

    upper: str = "upper"

    def _upper(self, bandit: ContextualBandit) -> FloatArray:
        return prior_bounds(bandit, self.upper)
