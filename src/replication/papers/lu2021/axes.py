"""What several figures of lu2021 draw alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis

from replication.judging.judges.intervals import mean_interval


def thousands(*axes: Axis) -> None:
    """Write the numbers of an axis with commas: 300,000."""
    for axis in axes:
        axis.set_major_formatter("{x:,.0f}")


def points(axes: Axes, x: np.ndarray, finals: Sequence[np.ndarray] | np.ndarray, **look: Any) -> None:
    """Draw means with 95 % intervals over seeds."""
    at = [mean_interval(values) for values in finals]
    means = np.array([estimate.value for estimate in at])
    low, high = np.array([e.low for e in at]), np.array([e.high for e in at])
    axes.errorbar(x, means, yerr=[means - low, high - means], fmt="o", ms=4, capsize=2, **look)
