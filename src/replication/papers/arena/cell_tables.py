"""Tables of the algorithms that share the mean reward of a state z among arms.

They are C-UCB, C-TS and HAC-UCB.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from replication.pipeline.aggregate import half_width
from replication.pipeline.results import Results

#: Regret and the half-width of its 95 % interval by a second program, written independently of this one, for the same
#: problems and rounds; None where it was not said. 300 runs each; 30 for the last.
SECOND: dict[str, dict[str, tuple[float, float | None]]] = {
    "cells_benign": {
        "TS": (149.2, 3.6),
        "UCB": (373.0, 3.8),
        "C-UCB, sigma 1": (63.8, 1.2),
        "C-UCB, sigma 1/2": (22.2, 0.9),
        "C-TS": (8.0, 0.6),
        "HAC-UCB, first of ties": (24.5, 0.8),
        "HAC-UCB": (24.2, None),
    },
    "cells_worst": {
        "TS": (48.9, 0.8),
        "UCB": (113.9, 1.2),
        "C-UCB, sigma 1": (1267.9, 2.5),
        "C-UCB, sigma 1/2": (1345.1, 2.4),
        "C-TS": (1419.8, 2.5),
        "HAC-UCB, first of ties": (360.7, 4.0),
        "HAC-UCB": (789.0, 13.6),
        "HAC-UCB, the paper's slack": (1345.0, None),
    },
    "cells_random": {
        "TS": (229.0, 10.0),
        "UCB": (296.0, 2.0),
        "C-UCB, sigma 1": (42.0, 3.0),
        "C-UCB, sigma 1/2": (16.0, 2.0),
        "C-TS": (7.0, 2.0),
    },
}
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
    """Tabulate the regret of every player where arms may share cells, and where they may not.

    The regret that a second program measured stands beside it.
    """
    rows = []
    for experiment, second in SECOND.items():
        for label in results.policies(experiment):
            settings = results.settings(experiment, label)
            name = named(settings)
            regret = results.final(experiment, policy=label)
            switched = pd.Series(dtype=float)
            if settings["algorithm"] == "hac_ucb":
                switched = results.final(experiment, "switched", policy=label)
            other = second.get(name)
            rows.append(
                {
                    "problem": settings["problem"],
                    "rounds": results.horizon(experiment),
                    "plays": name,
                    **_regret(regret),
                    "by a second program": "" if other is None else _with_half(*other),
                    "gave up sharing, share of runs": f"{switched.notna().mean():.2f}" if len(switched) else "",
                    "after rounds, median": f"{switched.median():.0f}" if switched.notna().any() else "",
                    "runs": len(regret),
                }
            )
    return pd.DataFrame(rows)


def parents(results: Results) -> pd.DataFrame:
    """Tabulate the regret on random diagrams.

    Arms are the interventions that the diagram leaves. Known is the law of the reward's parents.
    """
    rows = []
    for label in results.policies("parents"):
        settings = results.settings("parents", label)
        rows.append(
            {
                "confounded pairs": settings["confounders"],
                "variables": settings["nodes"],
                "plays": named(settings),
                "arms share cells": {"checked": "where the diagram allows it", "all": "all"}.get(
                    str(settings.get("pool")), ""
                ),
                "rounds": results.horizon("parents"),
                **_regret(results.final("parents", by="draw", policy=label)),
                "problems": len(results.final("parents", by="draw", policy=label)),
            }
        )
    order = ["confounded pairs", "variables"]
    return pd.DataFrame(rows).sort_values(order, kind="stable", ignore_index=True)


def _regret(values: pd.Series) -> dict[str, str]:
    half = float(half_width(np.array([values.std()]), np.array([len(values)]))[0])
    return {"regret": f"{values.mean():.1f}", "95 %": f"{values.mean() - half:.1f} to {values.mean() + half:.1f}"}


def _with_half(mean: float, half: float | None) -> str:
    return f"{mean:.1f}" if half is None else f"{mean:.1f} +- {half:.1f}"
