"""How figures of lu2021 call policies and graphs."""

from __future__ import annotations

from typing import Any

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
