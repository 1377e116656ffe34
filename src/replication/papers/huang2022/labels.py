"""Names: what the paper calls the policies that are played, and what the study calls its definitions."""

from __future__ import annotations

from typing import Any

#: Fig. 2b and Table 1, in the paper's order, by algorithm.
POLICIES = {"ucb": "UCB", "c_ucb": "C-UCB", "d_ucb": "D-UCB", "f_ucb": "F-UCB"}

#: All policies whose counts of unfair decisions the paper prints.
NAMES = {**POLICIES, "fair_lin_ucb": "Fair-LinUCB"}

#: Learners of graphs (ledger L39), with the table of the graphs that each learnt.
LEARNERS = {"PC": "discovery_pc", "GES": "discovery_ges"}

#: Trials of the paper.
TRIALS = 5

#: What the ways to count an unfair round (`causal_bandits.play.unfairness`) say (ledger L50).
DEFINITIONS = {
    "exact": "exact discrepancy, the arm held fixed (Eq. 8)",
    "answer": "exact discrepancy, the policy's own answer (Definition 3)",
    "plugin": "estimated from the minimal separator's means (Eq. 10)",
    "plugin_parents": "estimated from the means of the reward's parents",
    "plugin_table": "estimated from the means of context and arm",
    "conservative": "upper bound UCB_Delta (Eq. 12)",
    "drawn": "difference of two drawn rewards",
    "drawn_answer": "difference of two drawn rewards, the policy's own answer",
    "worst": "difference of the drawn reward from the worst arm's mean",
}

#: Those that were picked with the published counts in view (ledger L82).
PICKED = ("drawn_answer", "worst")


def settings_at(algorithm: str, tau: float) -> dict[str, Any]:
    """Return the settings that select a policy at a threshold; only F-UCB depends on it."""
    return {"algorithm": algorithm, **({"tau": tau} if algorithm == "f_ucb" else {})}
