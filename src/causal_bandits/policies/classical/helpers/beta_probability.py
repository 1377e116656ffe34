"""The probability with which Thompson sampling plays an arm."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, betaincinv

from causal_bandits.arrays import FloatArray

#: Nodes in (0, 1), dense at both ends, and weights for an integral over (0, 1).
_LINE, _WEIGHT = np.polynomial.legendre.leggauss(256)
_UNIT = (_LINE + 1) / 2
_NODES, _WEIGHTS = _UNIT**2 * (3 - 2 * _UNIT), 3 * _WEIGHT * _UNIT * (1 - _UNIT)


def largest_of_betas(ones: FloatArray, zeros: FloatArray, arm: int) -> float:
    """Integrate the probability that the arm's draw from its Beta distribution is the largest."""
    draw = betaincinv(ones[arm], zeros[arm], _NODES)
    others = [betainc(ones[x], zeros[x], draw) for x in range(len(ones)) if x != arm]
    return float(np.clip(np.prod(others, axis=0) @ _WEIGHTS, 0.0, 1.0)) if others else 1.0
