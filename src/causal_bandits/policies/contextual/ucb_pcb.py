"""UCB-PCB: UCB clipped by causal bounds (huang2024, Algorithm 6); its other lines stand in `ucb`."""

from __future__ import annotations

from dataclasses import dataclass

from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.policies.contextual.helpers import cell_ucb
from causal_bandits.policies.contextual.helpers.features import prior_bounds
from causal_bandits.policies.contextual.ucb import UCB


@dataclass(frozen=True)
class UCBPCB(UCB):
    """UCB clipped to prior causal bounds: max{min{U_a, UCB_a}, L_a} (huang2024, Algorithm 6, line 6).

    The bounds are the problem's ``prior["lower"]`` and ``prior["upper"]``, per context where there is one. Parameters
    are those of `UCB`. ``run`` raises a ValueError if the prior lacks a bound, or one of its entries is not a number.
    """

    confidence: str = "horizon"
    unplayed: str = "infinite"

    def _limits(self, bandit: ContextualBandit) -> cell_ucb.Limits:
        return cell_ucb.Limits(prior_bounds(bandit, "lower"), prior_bounds(bandit, "upper"))
