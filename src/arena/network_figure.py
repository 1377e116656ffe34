"""The arena's figure of networks that people know and of random diagrams of two families."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from arena.network_tables import ALGORITHMS, ARMS, network_regrets
from arena.style import hues, plain_ticks
from causal_bandits.problems.arena import PROBLEMS
from causal_bandits.problems.construction.arena.networks import TASKS
from experiments.results import Results

#: The marker of arms, by what a learner is told (`network_tables.ARMS`), and whether it is filled.
MARKERS = {"single": ("o", False), "diagram": ("o", True), "nothing": ("s", False), "all_set": ("D", True)}
#: Names of the random families.
FAMILIES = {"erdos_renyi": "Erdős and Rényi", "scale_free": "scale-free"}


class Played(NamedTuple):
    """The regret of one algorithm on one problem.

    Attributes
    ----------
    problem : str
        The name of its row.
    algorithm, told : str
        A value of `network_tables.ALGORITHMS` and a key of `network_tables.ARMS`.
    arms : float
        How many; a mean where random problems differ.
    mean, low, high : float
        Of the final regret, with its 95 % interval.
    """

    problem: str
    algorithm: str
    told: str
    arms: float
    mean: float
    low: float
    high: float


def played(results: Results) -> list[Played]:
    """Return what was played on networks and random diagrams, in the order of the table."""
    found = []
    for row in network_regrets(results).to_dict("records"):
        settings = results.settings(row["experiment"], row["policy"])
        arms = _arms(results, settings, row["final"].index.tolist() if row["over"] == "problems" else [0])
        name = _said(row["experiment"], settings)
        found.append(Played(name, row["algorithm"], row["told"], arms, row["mean"], row["low"], row["high"]))
    return found


def _said(experiment: str, settings: Mapping[str, Any]) -> str:
    """Name a problem."""
    if experiment.startswith("network"):
        task = TASKS[str(settings["task"])]
        named = str(settings["task"]).replace("_", ", ")
        return f"{task.file}, {', '.join(sorted(task.hidden))} hidden" if task.hidden else named
    family = next(name for start, name in FAMILIES.items() if experiment.startswith(start))
    return f"{family}, {settings['nodes']} variables,\n{settings['confounders']} pairs confounded"


def _arms(results: Results, settings: Mapping[str, Any], draws: Sequence[int]) -> float:
    """Count the arms of a problem; of random ones, return the mean."""
    build = PROBLEMS[str(settings["problem"])]
    options = {name: settings[name] for name in inspect.signature(build).parameters if name in settings}
    if "task" in options:
        options["file"] = results.file(TASKS[str(options["task"])].file)
    return float(np.mean([len(build(**options, draw=draw).arms) for draw in draws]))


def networks_figure(results: Results) -> Figure:
    """Draw a row for each problem: regret by algorithm, hollow and filled by which arms it may play."""
    found = pd.DataFrame(played(results), columns=list(Played._fields))
    problems = found["problem"].drop_duplicates()
    algorithms = [name for name in ALGORITHMS.values() if name in set(found["algorithm"])]
    looks = hues(algorithms)
    lines = len(algorithms) + 1
    figure = plt.figure(figsize=(10.5, 1.6 + 0.145 * lines * len(problems)), layout="constrained")
    axes = figure.subplots()
    axes.set_xscale("log")
    least = 0.6 * float(found["mean"].min())
    for row, problem in enumerate(problems):
        here = found[found["problem"] == problem]  # UCB+ plays the same arms of both larger sets
        here = here.drop_duplicates(["algorithm", "mean", "low", "high"], keep="last")
        for i, algorithm in enumerate(algorithms):
            own = here[here["algorithm"] == algorithm]
            _draw(axes, own, row + (i + 1) / lines - 0.5, looks[algorithm][0], least)
    axes.set_xlim(left=least)
    plain_ticks(axes.xaxis)
    axes.set_xlabel("regret")
    _rows(axes, found, problems.tolist())
    handles = [Line2D([], [], color=looks[name][0], marker="o", label=name) for name in algorithms]
    handles += [
        Line2D(
            [], [], color="0.3", marker=marker, mfc="0.3" if filled else "white", linestyle="", label=f"arms: {text}"
        )
        for text, marker, filled in ((ARMS[told], *MARKERS[told]) for told in _told(found))
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 5))
    return figure


def _told(found: pd.DataFrame) -> list[str]:
    return [told for told in ARMS if told in set(found["told"])]


def _draw(axes: Axes, own: pd.DataFrame, y: float, colour: str, least: float) -> None:
    """Draw an algorithm's regrets on a problem with their intervals, and a line that joins them.

    An interval that goes below the axis, as it may to regrets below 0, ends there with a triangle.
    """
    axes.plot(own["mean"], [y] * len(own), "-", color=colour, linewidth=0.8, alpha=0.45, zorder=1)
    for _, point in own.iterrows():
        marker, filled = MARKERS[point["told"]]
        axes.plot([max(point["low"], least), point["high"]], [y, y], "-", color=colour, linewidth=2.4, zorder=2)
        if point["low"] < least:
            axes.plot(least, y, "<", color=colour, ms=5, clip_on=False, zorder=2)
        axes.plot(point["mean"], y, marker, color=colour, mfc=colour if filled else "white", ms=5.5, zorder=3)


def _rows(axes: Axes, found: pd.DataFrame, problems: Sequence[str]) -> None:
    """Name the rows, the first on top; write the numbers of arms at their right ends."""
    axes.set_yticks(range(len(problems)), problems)
    axes.set_ylim(len(problems) - 0.45, -0.55)
    for y in range(len(problems) - 1):
        axes.axhline(y + 0.5, color="0.9", linewidth=0.6, zorder=0)
    told = _told(found)
    counts = found.groupby(["problem", "told"], sort=False)["arms"].first()
    beside = axes.secondary_yaxis("right")
    beside.set_yticks(
        range(len(problems)),
        [" | ".join(f"{counts[p, t]:,.0f}" if (p, t) in counts.index else "–" for t in told) for p in problems],
    )
    beside.tick_params(length=0)
    axes.set_title("numbers of arms: " + " | ".join(ARMS[t] for t in told), loc="right", fontsize=8)
