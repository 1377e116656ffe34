"""What several figures of lu2021 draw alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from experiments.aggregate import half_width


class Mean(NamedTuple):
    """A mean over seeds with its 95 % interval, which is not a number for a single seed."""

    value: float
    low: float
    high: float


def mean_of(values: np.ndarray) -> Mean:
    """Compute a mean with Student's t interval, as curves have it: pictures show one kind (L17)."""
    mean = float(values.mean())
    spread = float(values.std(ddof=1)) if len(values) > 1 else np.nan
    half = float(half_width(np.array([spread]), np.array([len(values)]))[0])
    return Mean(mean, mean - half, mean + half)


def points(axes: Axes, x: np.ndarray, finals: Sequence[np.ndarray] | np.ndarray, **look: Any) -> None:
    """Draw means with 95 % intervals over seeds."""
    at = [mean_of(values) for values in finals]
    means = np.array([estimate.value for estimate in at])
    low, high = np.array([e.low for e in at]), np.array([e.high for e in at])
    axes.errorbar(x, means, yerr=[means - low, high - means], fmt="o", ms=4, capsize=2, **look)
