"""How the arena's tables write numbers, intervals and situations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from experiments.aggregate import half_width


def mean_interval(values: pd.Series) -> tuple[float, float, float]:
    """Return a mean and the ends of its 95 % interval by Student's t; NaN for the ends of one value."""
    half = float(half_width(np.array([values.std()]), np.array([len(values)]))[0])
    mean = float(values.mean())
    return mean, mean - half, mean + half


def in_columns(values: pd.Series) -> dict[str, str]:
    """Write a mean regret and its 95 % interval in two columns."""
    mean, low, high = mean_interval(values)
    return {"regret": f"{mean:.1f}", "95 %": f"{low:.1f} to {high:.1f}"}


def in_one_cell(values: pd.Series) -> str:
    """Write a mean regret with its 95 % interval behind it."""
    mean, low, high = mean_interval(values)
    return f"{mean:.1f} ({low:.1f} to {high:.1f})"


def situation_text(situation: Mapping[str, Any]) -> str:
    """Write the options that tell a situation apart from others."""
    return ", ".join(f"{name} {value}" for name, value in situation.items())


def ratio_text(ratio: float, low: float, high: float) -> str:
    """Write a ratio with its interval behind it; NaN as nothing."""
    return "" if math.isnan(ratio) else f"{ratio:.3g} ({low:.3g} to {high:.3g})"


def rounds_text(rounds: float) -> str:
    """Write a number of rounds to an answer, infinite where there is none."""
    return "no answer" if math.isinf(rounds) else f"{rounds:,.0f}"


def edges_text(value: float, largest: int, more: str = "more than", less: str = "less than") -> str:
    """Write a break-even number of wrong edges, of which at most ``largest`` were tried.

    A number that rounds to 0 is written as less than 0.1: 0 itself says that a right graph costs.
    """
    if 0 < value < 0.05:
        return f"{less} 0.1"
    return f"{more} {largest}" if math.isinf(value) else f"{value:.1f}"
