"""Which of the parameters that lee2019 leaves out decide how much POMIS+ gains."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import norm, spearmanr

from causal_bandits.arrays import FloatArray
from experiments.drawing.plotting import COLOURS
from experiments.results import Results
from replication.papers.lee2019.labels import TASKS
from replication.papers.lee2019.problems import build
from replication.papers.lee2019.strategies import SOLVERS, played

#: What is no parameter but follows from them.
IDLE = "doing nothing is best"

#: Fewer instances have no correlation that tells something.
FEWEST = 10


def strengths(path: str | Path) -> pd.DataFrame:
    """Compute how far each parameter of each instance is from a fair coin, abs(1 - 2 p).

    A last column says whether doing nothing is best.

    Parameters
    ----------
    path : path
        An ensemble of exclusive ors.

    Returns
    -------
    DataFrame
        One row per instance, one column per noise bit (by its variable) and confounder, then `IDLE` (0 or 1).
    """
    document = json.loads(Path(path).read_text())
    rows = []
    for draw, member in enumerate(document["members"]):
        flips = {name: float(np.ravel(table)[0]) for name, table in member["ones"].items()}
        means = build(document["problem"], ensemble=path, draw=draw).with_arms("possibly_optimal").means
        strong = {name: abs(1 - 2 * flip) for name, flip in flips.items()}
        rows.append(strong | {IDLE: float(means[0] >= means.max())})
    return pd.DataFrame(rows)


def shares(parameters: pd.DataFrame, gains: FloatArray) -> pd.Series:
    """Compute the share of the variance of the gains' ranks that each parameter explains alone.

    It is the squared correlation of the ranks.
    """
    found = {
        name: float(spearmanr(values, gains).statistic) ** 2 if values.nunique() > 1 else 0.0
        for name, values in parameters.items()
    }
    return pd.Series(found)


def _described(name: str) -> str:
    """A parameter in words; confounders are called U and the two variables that they join."""
    if name == IDLE:
        return name
    return f"confounder of {name[-2]} and {name[-1]}" if name.startswith("U_") else f"noise of {name}"


def chance(instances: int, parameters: int) -> float:
    """Compute what the largest share exceeds in 5 % of cases if no parameter matters.

    Method: Bonferroni, normal approximation.
    """
    return float(norm.isf(0.025 / parameters) ** 2 / (instances - 1))


def sensitivity(results: Results) -> Figure:
    """Draw how much of POMIS+'s gain each omitted parameter explains.

    The instances are those of the two unknown tasks.
    """
    tasks = [task for task in TASKS if f"ensemble_{task}" in results.plans]
    figure, panels = plt.subplots(1, len(tasks), figsize=(4.6 * len(tasks), 3.2), squeeze=False)
    for axes, task in zip(panels[0], tasks, strict=True):
        parameters = strengths(results.file(task))
        rows = np.arange(parameters.shape[1])
        for offset, (solver, colour) in enumerate(zip(SOLVERS, (COLOURS["blue"], COLOURS["orange"]), strict=True)):
            base, plus = (
                results.final(f"ensemble_{task}", by="draw", **played(solver, s)) for s in ("POMIS", "POMIS+")
            )
            gains = 1 - plus / base
            if len(gains) < FEWEST:
                continue  # a smaller study plays too few instances
            found = shares(parameters.iloc[gains.index.to_numpy()], gains.to_numpy())
            axes.barh(rows + 0.4 * offset - 0.2, 100 * found, height=0.38, color=colour, label=solver)
            axes.axvline(100 * chance(len(gains), len(found)), color=COLOURS["grey"], lw=0.8, ls="--")
        axes.set(yticks=rows, xlim=(0, 100), xlabel="of the variance of the gain's ranks, %", title=TASKS[task])
        axes.set_yticklabels([_described(str(name)) for name in parameters])
        axes.invert_yaxis()
    handles, labels = panels[0][0].get_legend_handles_labels()
    if handles:
        panels[0][-1].legend(handles, labels, loc="lower right")
    figure.tight_layout()
    return figure
