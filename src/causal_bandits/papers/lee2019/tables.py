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
    """How near the calibrated instances' baselines come to Table 1, and whether the search finds them again."""
    rows = []
    for task in TASKS:
        found, committed = (
            json.loads(Path(results.files[f"{kind}_{task}"]).read_text()) for kind in ("found", "committed")
        )
        same = (found["family"], found["draw"]) == (committed["family"], committed["draw"])
        searched = found["searched"]["candidates_per_family"] * len(found["searched"]["families"])
        for label, baseline in committed["baselines"].items():
            rows.append(
                {
                    "task": task,
                    "family": committed["family"],
                    "draw": committed["draw"],
                    "baseline": label,
                    "published": f"{baseline['published']:.2f}",
                    "in the search": f"{baseline['simulated']:.2f}",
                    "deviation": f"{100 * (baseline['simulated'] / baseline['published'] - 1):+.1f} %",
                    "found again": f"{'yes' if same else 'no'} (among {searched} candidates)",
                }
            )
    return pd.DataFrame(rows)


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {"table1": table1, "calibration": calibration}
