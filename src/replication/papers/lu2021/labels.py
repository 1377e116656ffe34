"""How figures of lu2021 call policies and graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from experiments.aggregate import half_width
from experiments.drawing.plotting import COLOURS

#: What a policy is called, and the settings that select it.
POLICIES: dict[str, dict[str, Any]] = {
    "CN-UCB": {"algorithm": "cn_ucb", "exponent": 2.0},
    "UCB": {"algorithm": "gaussian_ucb", "arms": "all", "exponent": 2.0},
    "UCB, $\\delta = 1/T$": {"algorithm": "gaussian_ucb", "arms": "all", "exponent": 1.0},
    "TS": {"algorithm": "gaussian_thompson"},
    "RAPS": {"algorithm": "raps"},
    "UCB on $X_R$": {"algorithm": "gaussian_ucb", "arms": "reward"},
}

POLICY_COLOURS = {
    "CN-UCB": COLOURS["red"],
    "UCB": COLOURS["blue"],
    "UCB, $\\delta = 1/T$": COLOURS["blue"],
    "TS": COLOURS["sky"],
    "RAPS": COLOURS["orange"],
    "UCB on $X_R$": COLOURS["blue"],
}

#: Lines of variants of an algorithm, where curves are drawn; all others are solid.
POLICY_LINES = {"UCB, $\\delta = 1/T$": "--", "UCB on $X_R$": "-."}

#: The kind of graphs that an experiment plays on; one that is not here is called by its name.
GRAPHS = {
    **dict.fromkeys(("nodes", "states", "degrees", "gaps", "effects", "shapes"), "trees"),
    **dict.fromkeys(("forests", "forests_nodes"), "forests"),
    **dict.fromkeys(("cliques_nodes", "cliques_width"), "cliques"),
    "theorem3": "chordal graphs, Theorem 3",
    "chordal": "several chain components",
}


# What several figures of lu2021 draw alike.


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
