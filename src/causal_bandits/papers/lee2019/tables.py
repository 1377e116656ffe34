"""Tables of lee2019."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from causal_bandits.metrics import Results, half_width
from causal_bandits.papers.lee2019.labels import SOLVERS, STRATEGIES, TASKS, table1_claim


def table1(results: Results) -> pd.DataFrame:
    """Table 1: average cumulative regret at the horizon, published and replicated (mean and half its 95 % interval)."""
    rows = []
    for solver, solver_name in SOLVERS.items():
        for strategy, strategy_name in STRATEGIES.items():
            row = {"solver": solver_name, "strategy": strategy_name}
            for task, label in TASKS.items():
                published = results.value(table1_claim(task, solver, strategy))
                row[f"{label} published"] = f"{published:.2f}"
                replicated, deviation = "not built yet", ""
                if f"{solver}_{strategy}" in set(results.finals[task]["policy"]):
                    regret = results.final(task, f"{solver}_{strategy}")
                    half = half_width(np.array([regret.std()]), np.array([len(regret)]))[0]
                    replicated = f"{regret.mean():.2f} ± {half:.2f}"
                    deviation = f"{100 * (regret.mean() / published - 1):+.1f} %"
                row[f"{label} replicated"] = replicated
                row[f"{label} deviation"] = deviation
            rows.append(row)
    return pd.DataFrame(rows)


def calibration(results: Results) -> pd.DataFrame:
    """How near the committed instances' baselines come to Table 1."""
    rows = []
    for task in TASKS:
        committed = json.loads(Path(results.files[task]).read_text())
        for label, baseline in committed["baselines"].items():
            solver, _, strategy = label.rpartition("_")
            rows.append(
                {
                    "task": task,
                    "family": committed["family"],
                    "draw": committed["draw"],
                    "baseline": f"{SOLVERS[solver]} {STRATEGIES[strategy]}",
                    "published": f"{baseline['published']:.2f}",
                    "in the search": f"{baseline['simulated']:.2f}",
                    "deviation": f"{100 * (baseline['simulated'] / baseline['published'] - 1):+.1f} %",
                }
            )
    return pd.DataFrame(rows)


def calibration_search(results: Results) -> pd.DataFrame:
    """Whether the search, run again, finds the committed instances."""
    rows = []
    for task in TASKS:
        found, committed = (json.loads(Path(results.files[f"{k}_{task}"]).read_text()) for k in ("found", "committed"))
        row = {
            "task": task,
            "candidates": found["searched"]["candidates_per_family"] * len(found["searched"]["families"]),
        }
        for name, document in (("found", found), ("committed", committed)):
            row |= {name: f"{document['family']} {document['draw']}", f"distance {name}": document["distance"]}
        rows.append(row | {"same": "yes" if found["scm"] == committed["scm"] else "no"})
    return pd.DataFrame(rows)


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "table1": table1,
    "calibration": calibration,
    "calibration_search": calibration_search,
}
