"""Tables of lee2019."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from causal_bandits.identification.estimators import reward_expressions
from causal_bandits.metrics import Results, half_width
from causal_bandits.papers.lee2019.labels import (
    ROBUSTNESS_FAMILIES,
    SOLVERS,
    STRATEGIES,
    TASKS,
    compact,
    table1_claim,
    written,
)
from causal_bandits.papers.lee2019.problems import GRAPHS, NON_MANIPULABLE
from causal_bandits.verdicts import relative_reduction


def table1(results: Results) -> pd.DataFrame:
    """Table 1: average cumulative regret at the horizon, published and replicated (mean and half its 95 % interval)."""
    rows = []
    for solver, solver_name in SOLVERS.items():
        for strategy, strategy_name in STRATEGIES.items():
            row = {"solver": solver_name, "strategy": strategy_name}
            for task, label in TASKS.items():
                published = results.value(table1_claim(task, solver, strategy))
                row[f"{label} published"] = f"{published:.2f}"
                regret = results.final(task, f"{solver}_{strategy}")
                half = half_width(np.array([regret.std()]), np.array([len(regret)]))[0]
                row[f"{label} replicated"] = f"{regret.mean():.2f} ± {half:.2f}"
                row[f"{label} deviation"] = f"{100 * (regret.mean() / published - 1):+.1f} %"
            rows.append(row)
    return pd.DataFrame(rows)


def reductions(results: Results) -> pd.DataFrame:
    """How far POMIS+ lies below POMIS on the calibrated instances: published and replicated, paired by seed."""
    rows = []
    for task, label in TASKS.items():
        for solver, solver_name in SOLVERS.items():
            pomis, plus = (results.final(task, f"{solver}_{strategy}") for strategy in ("pomis", "pomis_plus"))
            percent, low, high = relative_reduction(pomis, plus)
            difference = pomis - plus
            half = half_width(np.array([difference.std()]), np.array([len(difference)]))[0]
            rows.append(
                {
                    "task": label,
                    "solver": solver_name,
                    "published, %": results.published.at[f"lee2019.reduction.{task}.{solver}", "value"],
                    "replicated, %": f"{percent:.1f} ({low:.1f} to {high:.1f})",
                    "POMIS - POMIS+": f"{difference.mean():.2f} ± {half:.2f}",
                    "seeds": len(difference),
                }
            )
    return pd.DataFrame(rows)


def robustness(results: Results) -> pd.DataFrame:
    """How far POMIS+ lies below POMIS, and the baselines beside it, over random instances, none fitted."""
    rows = []
    for task, label in TASKS.items():
        for family in ROBUSTNESS_FAMILIES:
            for solver, solver_name in SOLVERS.items():
                experiment = f"{family}_{task}"
                regret = {s: results.final(experiment, f"{solver}_{s}", by="draw") for s in STRATEGIES}
                percent, low, high = relative_reduction(regret["pomis"], regret["pomis_plus"])
                rows.append(
                    {
                        "task": label,
                        "family": family,
                        "solver": solver_name,
                        **{STRATEGIES[s]: f"{values.mean():.1f}" for s, values in regret.items()},
                        "POMIS+ below POMIS, %": f"{percent:.1f} ({low:.1f} to {high:.1f})",
                        "instances": len(regret["pomis"]),
                        "of which POMIS+ lower": int((regret["pomis_plus"] < regret["pomis"]).sum()),
                    }
                )
    return pd.DataFrame(rows)


def expressions(task: str, results: Results) -> pd.DataFrame:
    """Every expression that z2ID finds for the possibly-optimal arms of a task, and the equation that prints it."""
    equations = results.published[results.published["kind"] == "expression"]
    printed = {compact(value): item for value, item in zip(equations["value"], equations["item"], strict=True)}
    rows = []
    for arm_set, alternatives in reward_expressions(GRAPHS[task], "Y", NON_MANIPULABLE[task]).items():
        for number, expression in enumerate(alternatives):
            rows.append(
                {
                    "arms": "do(" + ", ".join(sorted(arm_set)) + ")",
                    "no.": number,
                    "expression": str(expression),
                    "formula": f"${expression.to_latex()}$",
                    "data from": written(expression.experiments),
                    "free values": ", ".join(sorted(set(expression.arguments) - arm_set - {"Y"})).lower(),
                    "printed as": printed.get(compact(str(expression)), ""),
                }
            )
    frame = pd.DataFrame(rows)
    frame.attrs["math"] = ["formula"]
    return frame


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
    "reductions": reductions,
    "robustness": robustness,
    "expressions_frontdoor": partial(expressions, "frontdoor"),
    "expressions_fourvar": partial(expressions, "fourvar"),
    "expressions_sixvar": partial(expressions, "sixvar"),
    "calibration": calibration,
    "calibration_search": calibration_search,
}
