"""LinUCB-PCB: LinUCB clipped by causal bounds (huang2024, Algorithm 4); its lines are in `lin_ucb`."""

from __future__ import annotations

from dataclasses import dataclass

from causal_bandits.arrays import FloatArray
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.policies.contextual.helpers.features import prior_bounds
from causal_bandits.policies.contextual.lin_ucb import LinUCB


@dataclass(frozen=True)
class LinUCBPCB(LinUCB):
    """LinUCB whose index is clipped to the causal upper bound (Alg. 4, line 10).

    An arm that the bounds rule out is not played while the best arm's index is above the best arm's mean; with a fixed
    alpha that is not certain (ledger E14).

    Parameters
    ----------
    upper : str
        The name of the upper bounds in the problem's prior: ``upper`` (estimates), ``confident_upper`` (valid for a
        finite sample; ledger L93).
    """

    upper: str = "upper"

    def _upper(self, bandit: ContextualBandit) -> FloatArray:
        return prior_bounds(bandit, self.upper)
