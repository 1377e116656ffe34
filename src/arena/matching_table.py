"""The arena's table of SCM-AAM: regret on the three tasks of Wei et al. 2023, paired by seed."""

from __future__ import annotations

import pandas as pd

from arena.wording import in_columns, in_one_cell
from experiments.results import Results

EXPERIMENTS = ("matching_1", "matching_2", "matching_3")
PLAYERS = {
    "aam": "SCM-AAM: likelihood ratio, other arms, supremum",
    "aam_unforced": "the same, no arm is forced",
    "kl_ucb": "kl-UCB",
    "thompson": "Thompson sampling",
}
#: Those whose regret in the same worlds is taken off.
BESIDE = ("kl_ucb", "thompson")


def matching_table(results: Results) -> pd.DataFrame:
    """Make a row for each task and player: regret, differences in the same worlds, kinds of rounds."""
    rows = []
    for experiment in EXPERIMENTS:
        regrets = {label: results.final(experiment, policy=label) for label in PLAYERS}
        for label, name in PLAYERS.items():
            own = regrets[label]
            settings = results.settings(experiment, label)
            rounds = {
                said: f"{results.final(experiment, extra, policy=label).mean():.0f}" if label.startswith("aam") else ""
                for said, extra in (
                    ("rounds with an empty set", "empty"),
                    ("rounds of the leader", "exploits"),
                    ("forced rounds", "forced"),
                )
            }
            rows.append(
                {"task": settings["task"], "plays": name}
                | in_columns(own)
                | {f"difference to {PLAYERS[b]}": "" if b == label else in_one_cell(own - regrets[b]) for b in BESIDE}
                | rounds
                | {"rounds": results.horizon(experiment), "seeds": len(own)}
            )
    return pd.DataFrame(rows)
