"""Policies of lu2021 by name, and how figures draw them."""

from __future__ import annotations

from experiments.drawing.looks import COLOURS, Look

#: How figures draw a policy, by its name.
POLICIES = {
    "CN-UCB": Look({"algorithm": "cn_ucb", "exponent": 2.0}, COLOURS["red"]),
    "UCB": Look({"algorithm": "gaussian_ucb", "arms": "all", "exponent": 2.0}, COLOURS["blue"]),
    "UCB, $\\delta = 1/T$": Look({"algorithm": "gaussian_ucb", "arms": "all", "exponent": 1.0}, COLOURS["blue"], "--"),
    "TS": Look({"algorithm": "gaussian_thompson"}, COLOURS["sky"]),
    "RAPS": Look({"algorithm": "raps"}, COLOURS["orange"]),
    "UCB on $X_R$": Look({"algorithm": "gaussian_ucb", "arms": "reward"}, COLOURS["blue"], "-."),
}
