"""Tables of C-UCB, C-TS and HAC-UCB, which share the mean reward of a state z among arms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from experiments.results import Results
from replication.papers.arena.elsewhere import elsewhere
from replication.papers.arena.wording import in_columns

#: What is said of the option ``width`` of C-UCB.
SIGMA = {"subgaussian": "sigma 1", "bounded": "sigma 1/2"}


def named(settings: Mapping[str, Any]) -> str:
    """Name a player by its algorithm and the hyper-parameters in which players differ."""
    algorithm = settings["algorithm"]
    if algorithm == "thompson":
        return "TS"
    if algorithm == "c_ts":
        return "C-TS"
    if algorithm == "c_ucb_arms":
        return "UCB" if settings["pool"] == "none" else f"C-UCB, {SIGMA[settings['width']]}"
    options = {"first": "first of ties"}.get(settings["ties"]), {"paper": "the paper's slack"}.get(settings["slack"])
    return ", ".join(["HAC-UCB", *filter(None, options)])


def cells(results: Results) -> pd.DataFrame:
    """Set the regret where arms may share cells, and where they may not, beside that of a second program.

    The second program was written independently of this one, and played the same problems for as many rounds. The
    columns of ``data/tables/arena_cells.csv`` beside experiment and settings (`elsewhere`): the player's name in the
    table, the mean regret, the half-width of its 95 % interval where that was said, and the number of runs.
    """
    second: dict[str, dict[str, str]] = {}
    for row in elsewhere(results, "second"):
        for label in results.policies(row["experiment"], **row["selected"]):
            half = "" if math.isnan(row["half_width"]) else f" +- {row['half_width']:.1f}"
            second.setdefault(row["experiment"], {})[label] = f"{row['regret']:.1f}{half}"
    rows = []
    for experiment, known in second.items():
        for label in results.policies(experiment):
            settings = results.settings(experiment, label)
            regret = results.final(experiment, policy=label)
            switched = pd.Series(dtype=float)
            if settings["algorithm"] == "hac_ucb":
                switched = results.final(experiment, "switched", policy=label)
            rows.append(
                {
                    "problem": settings["problem"],
                    "rounds": results.horizon(experiment),
                    "plays": named(settings),
                    **in_columns(regret),
                    "by a second program": known.get(label, ""),
                    "gave up sharing, share of runs": f"{switched.notna().mean():.2f}" if len(switched) else "",
                    "after rounds, median": f"{switched.median():.0f}" if switched.notna().any() else "",
                    "runs": len(regret),
                }
            )
    return pd.DataFrame(rows)


def parents(results: Results) -> pd.DataFrame:
    """Regret on the interventions that random diagrams leave, with the law of the reward's parents."""
    rows = []
    for label in results.policies("parents"):
        settings = results.settings("parents", label)
        regret = results.final("parents", by="draw", policy=label)
        rows.append(
            {
                "confounded pairs": settings["confounders"],
                "variables": settings["nodes"],
                "plays": named(settings),
                "arms share cells": {"checked": "where the diagram allows it", "all": "all"}.get(
                    str(settings.get("pool")), ""
                ),
                "rounds": results.horizon("parents"),
                **in_columns(regret),
                "problems": len(regret),
            }
        )
    order = ["confounded pairs", "variables"]
    return pd.DataFrame(rows).sort_values(order, kind="stable", ignore_index=True)
