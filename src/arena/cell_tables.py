"""Tables of C-UCB, C-TS and HAC-UCB, which share the mean reward of a state z among arms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from arena.wording import in_columns
from experiments.results import Results

#: Where arms may share cells, where they may not, and on random models.
EXPERIMENTS = ("cells_benign", "cells_worst", "cells_random")
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
    return "HAC-UCB, first of ties" if settings["ties"] == "first" else "HAC-UCB"


def cells(results: Results) -> pd.DataFrame:
    """Tabulate the regret where arms may share cells, and where they may not."""
    rows = []
    for experiment in EXPERIMENTS:
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
