"""BLM-LR: BGLM-OFU for linear links with a radius that grows, and without rounds that only watch.

Source: Feng & Chen 2023, "Combinatorial Causal Bandits", as played in the authors' program (ledger L240).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from causal_bandits.policies.glm.bglm_ofu import BGLMOFU, Radius


@dataclass(frozen=True)
class BLMLR(BGLMOFU):
    """Play the arm with the largest mean under optimistic linear equations, from the first round on.

    Parameters
    ----------
    scale, choose_null
        As in `BGLMOFU`.
    watch : float
        As in `BGLMOFU`; 0 here.
    """

    watch: float = 0.0

    def _radius(self, n: int, horizon: int) -> Radius:
        """Return rho_t = sqrt(n log(1 + n t) + 2 log(1/delta)) + sqrt n with delta = 1/(n sqrt T)."""
        return Radius(self.scale, float(n), 0.0, 2 * math.log(n * math.sqrt(horizon)), math.sqrt(n))
