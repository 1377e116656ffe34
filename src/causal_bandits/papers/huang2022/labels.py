"""How the paper calls what the configuration plays, and the readings and definitions that the study adds."""

from __future__ import annotations

from typing import Any

#: Fig. 2b and Table 1, in the paper's order, by algorithm.
POLICIES = {"ucb": "UCB", "c_ucb": "C-UCB", "d_ucb": "D-UCB", "f_ucb": "F-UCB"}

#: Trials of the paper.
TRIALS = 5

#: Ways to count an unfair round (ledger L50): key in the runs' columns, and what it says.
DEFINITIONS = {
    "exact": "exact discrepancy of the arm (Definition 3)",
    "plugin": "estimated from the minimal separator's means (Eq. 10)",
    "plugin_parents": "estimated from the means of the reward's parents",
    "plugin_table": "estimated from the means of context and arm",
    "conservative": "upper bound UCB_Delta (Eq. 12)",
    "drawn": "difference of two drawn rewards",
}

#: Readings of F-UCB (ledger L48, L49), as the configuration has them: how tables call them, and its settings.
READINGS: dict[str, dict[str, Any]] = {
    "safest arm, scale 1": {"fallback": "safest", "alpha_r": 1.0},
    "best arm, scale 1": {"fallback": "best", "alpha_r": 1.0},
    "safest arm, Theorem 3's scale": {"fallback": "safest", "alpha_r": "theorem_3"},
    "best arm, Theorem 3's scale": {"fallback": "best", "alpha_r": "theorem_3"},
}


def settings_at(algorithm: str, tau: float) -> dict[str, Any]:
    """What selects the policy that stands in the paper's tables at a threshold: only F-UCB depends on it."""
    return {"algorithm": algorithm, **({"tau": tau} if algorithm == "f_ucb" else {})}
