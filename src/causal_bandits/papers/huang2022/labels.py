"""How the paper names what the configuration calls policies, thresholds and definitions."""

from __future__ import annotations

#: Thresholds tau as names of policies and claims end in them.
TAUS = {"01": 0.1, "02": 0.2, "03": 0.3, "04": 0.4, "05": 0.5}

#: Fig. 2b and Table 1, in the paper's order.
POLICIES = {"ucb": "UCB", "c_ucb": "C-UCB", "d_ucb": "D-UCB", "f_ucb": "F-UCB"}

#: Rounds and trials of the paper.
HORIZON = 5_000
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


#: Readings of F-UCB beside the default, by the middle of their policies' names (ledger L48, L49).
READINGS = {
    "": "safest arm, scale 1",
    "best_": "best arm, scale 1",
    "theorem_": "safest arm, Theorem 3's scale",
    "theorem_best_": "best arm, Theorem 3's scale",
}


def policy_at(policy: str, tau: str) -> str:
    """The label of a policy at a threshold: only F-UCB depends on it."""
    return f"{policy}_{tau}" if policy.startswith("f_ucb") else policy


def unfair(definition: str, tau: str) -> str:
    """The column of the runs that counts unfair rounds."""
    return f"unfair_{definition}_{TAUS[tau]:g}"
