"""BLM-LR: BGLM-OFU with a growing radius and without rounds that only observe."""

from __future__ import annotations

import math
from dataclasses import dataclass

from causal_bandits.policies.glm.bglm_ofu import BGLMOFU, Radius


@dataclass(frozen=True)
class BLMLR(BGLMOFU):
    """Play BGLM-OFU with a growing radius and without rounds that only observe (BLM-LR).

    Use it in place of `BGLMOFU`, with the same knowledge, if no round should be spent only on observing.

    Only the abstract and the authors' code were available (L240). It has steps 2 to 4 of `BGLMOFU`:

    2. In every round compute each arm's index from causes to effects, with a radius rho_t that grows with the round.
    3. Play the arm with the largest index, or the first of those tied.
    4. Add the round to the regression of every observed variable that the arm did not set.

    Parameters
    ----------
    scale, watch, choose_null
        As for `BGLMOFU`; ``watch`` is 0 here.

    References
    ----------
    As for `BGLMOFU`.
    """

    watch: float = 0.0

    def _radius(self, n: int, horizon: int) -> Radius:
        """Return rho_t = sqrt(n log(1 + n t) + 2 log(1/delta)) + sqrt n with delta = 1/(n sqrt T)."""
        return Radius(self.scale, float(n), 0.0, 2 * math.log(n * math.sqrt(horizon)), math.sqrt(n))
