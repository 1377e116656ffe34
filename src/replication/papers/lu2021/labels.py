"""How figures and tables of lu2021 call policies and stages."""

from __future__ import annotations

from typing import Any

from replication.drawing.plotting import COLOURS

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
    "UCB, $\\delta = 1/T$": COLOURS["purple"],
    "TS": COLOURS["sky"],
    "RAPS": COLOURS["orange"],
    "UCB on $X_R$": COLOURS["green"],
}

#: What a run's rounds are counted in, by the metric.
STAGES = {
    "rounds_observing": "do()",
    "rounds_stage_1": "stage 1",
    "rounds_stage_2": "stage 2",
}

STAGE_COLOURS = {
    "rounds_observing": COLOURS["black"],
    "rounds_stage_1": COLOURS["orange"],
    "rounds_stage_2": COLOURS["purple"],
}
