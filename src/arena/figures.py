"""The arena's figures by name; each draws the table of the same name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from arena import tables
from causal_bandits.problems.construction.arena.wrong_edges import MIXED
from experiments.drawing.plotting import COLOURS
from experiments.results import Results

#: In words, the kinds of errors.
ERRORS = {
    "cause_lost": "cause of Y missing",
    "overlooked": "hidden cause overlooked",
    "turned": "edge between causes turned",
    "missing": "edge between causes missing",
    "extra": "edge between causes too many",
    "cause_invented": "cause of Y invented",
    "invented": "hidden cause invented",
}
#: Multiples of powers of ten that are ticks, by the powers of ten that an axis is shorter than.
TICKS = {0.5: (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 3.0, 5.0, 8.0), 2.2: (1.0, 2.0, 5.0), math.inf: (1.0,)}
#: How far apart two marks of a row are.
APART = 0.2


def _logarithmic(axes: Axes, which: Literal["x", "y"]) -> None:
    """Label a logarithmic axis with plain numbers, and mark one; to be called when all else is drawn."""
    axis: Axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    (axes.axvline if which == "x" else axes.axhline)(1, color="0.3", linewidth=0.9, linestyle="--", zorder=0)
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=next(s for most, s in TICKS.items() if math.log10(high / low) < most)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axis.set_minor_formatter(NullFormatter())


def _rows(axes: Axes, names: Iterable[str]) -> None:
    """Name the rows of a panel from top to bottom."""
    labels = list(names)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(axis="x", color="0.9", linewidth=0.6)
    axes.tick_params(axis="y", length=0)


def _dot(axes: Axes, y: float, row: pd.Series, name: str, colour: str, hollow: bool = False, **look: Any) -> None:
    """Draw an estimate and its interval in a row."""
    axes.plot([row[f"{name}, low"], row[f"{name}, high"]], [y, y], color=colour, linewidth=1.4)
    face = "white" if hollow else colour
    axes.plot(row[name], y, "o", color=colour, markerfacecolor=face, markersize=5.5, linestyle="none", **look)


def worth(results: Results) -> Figure:
    """Draw what the diagram is worth: a panel per number of rounds, a row per size."""
    table = tables.worth(results)
    rounds = sorted(table["rounds"].unique())
    sizes = sorted({(pairs, n) for pairs, n in zip(table["pairs"], table["variables"], strict=True)})
    figure, panels = plt.subplots(1, len(rounds), figsize=(12, 4.2), sharey=True, squeeze=False, layout="constrained")
    for axes, after in zip(panels[0], rounds, strict=True):
        for _, row in table[(table["rounds"] == after) & (table["comparison"] != "TS")].iterrows():
            y, best = sizes.index((row["pairs"], row["variables"])), row["comparison"] == "best"
            colour = COLOURS["blue"] if best else COLOURS["orange"]
            _dot(axes, y - (APART if best else -APART), row, "ratio", colour, not best)
        _rows(axes, [f"{n} variables, {pairs} confounded pairs" for pairs, n in sizes])
        _logarithmic(axes, "x")
        axes.set_title(f"{after:,} rounds", loc="left")
        axes.set_xlabel("regret with the diagram over regret without")
    return figure


def networks(results: Results) -> Figure:
    """Draw what the diagram is worth on networks: a row per task; the best learner, and C-TS."""
    table = tables.networks(results)
    tasks = list(dict.fromkeys(table["task"]))
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.2), sharey=True, sharex=True, layout="constrained")
    for axes, (comparison, title) in zip(
        panels, {"best": "the best learner with the diagram", "C-TS": "C-TS, which is told more"}.items(), strict=True
    ):
        for _, row in table[table["comparison"] == comparison].iterrows():
            y, colour = tasks.index(row["task"]), COLOURS["blue" if comparison == "best" else "orange"]
            shift, hollow = (-APART, False) if row["redrawn"] else (APART, True)
            _dot(axes, y + shift, row, "ratio", colour, hollow)
        _rows(axes, [task.replace("_", ", ") for task in tasks])
        axes.set_title(title, loc="left")
        axes.set_xlabel("regret over that of the best learner without a diagram")
    for axes in panels:
        _logarithmic(axes, "x")
    return figure


def wrong(results: Results) -> Figure:
    """Draw how wrong the diagram may be: lines by the number of wrong edges, and rows by the kind of one error."""
    table = tables.wrong(results)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained", width_ratios=(1.2, 1))
    mixed = table[table["kind"] == MIXED]
    colours = {3: COLOURS["sky"], 5: COLOURS["blue"], 7: COLOURS["black"]}
    for nodes, rounds in sorted(set(zip(mixed["variables"], mixed["rounds"], strict=True))):
        curve = mixed[(mixed["variables"] == nodes) & (mixed["rounds"] == rounds)]
        style = {1000: ":", 10_000: "-"}[rounds]
        name = f"{nodes} variables, {rounds:,} rounds"
        left.plot(
            curve["wrong edges"], curve["ratio"], style, marker="o", markersize=4, color=colours[nodes], label=name
        )
        low, high = curve["ratio, low"], curve["ratio, high"]
        left.fill_between(curve["wrong edges"], low, high, color=colours[nodes], alpha=0.12, linewidth=0)
    left.set_xlabel("wrong edges")
    left.set_ylabel("regret with the diagram over regret without")
    left.set_xticks(sorted(mixed["wrong edges"].unique()))
    _logarithmic(left, "y")
    left.legend(fontsize=8)
    single = table[table["kind"] != MIXED]
    for y, (_, row) in enumerate(single.iterrows()):
        _dot(right, y, row, "ratio", COLOURS["red"] if row["best intervention lost"] > 0 else COLOURS["green"])
    _rows(right, [ERRORS[kind] for kind in single["kind"]])
    _logarithmic(right, "x")
    right.set_xlabel("regret with the diagram over regret without")
    right.set_title("one error; red: it can lose the best intervention", loc="left")
    return figure


def best_arm(results: Results) -> Figure:
    """Draw rounds until sure, and the share of problems whose best arm is named in time."""
    table = tables.best_arm(results)
    figure, panels = plt.subplots(1, 3, figsize=(12.5, 4), layout="constrained", width_ratios=(1.2, 1, 1))
    sizes = sorted(table["variables"].unique())
    colours = dict(zip(tables.UNTIL_SURE, (COLOURS["blue"], COLOURS["orange"]), strict=True))
    labels = [f"{n} variables" for n in sizes]
    for number, (name, colour) in enumerate(colours.items()):
        for _, row in table[table["plays"] == name].iterrows():
            y, right = sizes.index(row["variables"]), row["wrong edges"] == 0
            shift = (number - 0.5) * 2 * APART + (-0.5 if right else 0.5) * APART
            look = {"label": name} if right and y == 0 else {}
            _dot(panels[0], y + shift, row, "ratio", colour, not right, **look)
    _rows(panels[0], labels)
    _logarithmic(panels[0], "x")
    panels[0].set_xlabel("rounds until sure, over those of LUCB")
    rejects = table[table["plays"].str.startswith(tables.REJECTS)]
    for axes, budget in zip(panels[1:], sorted(rejects["budget"].unique()), strict=True):
        for _, row in rejects[rejects["budget"] == budget].iterrows():
            y, watching = sizes.index(row["variables"]), row["plays"] != tables.REJECTS
            shift = {0.0: 0.0, 8.0: APART}[row["wrong edges"]] if watching else -APART
            colour, hollow = (COLOURS["blue"] if watching else "0.4"), row["wrong edges"] > 0
            look = {"label": "half watching" if watching else "never watching"} if y == 0 and not hollow else {}
            _dot(axes, y + shift, row, "right", colour, hollow, **look)
        _rows(axes, labels if axes is panels[1] else [""] * len(labels))
        axes.set_title(f"{budget:,.0f} rounds", loc="left")
        axes.set_xlabel("share of problems named rightly")
    for axes in panels[:2]:
        axes.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0, 1.06), ncols=2)
    return figure


def limit(results: Results) -> Figure:
    """Draw regret over the least possible, a row per learner: medians, and lines between the quartiles."""
    table = tables.limit(results)
    figure, axes = plt.subplots(figsize=(7, 4.4), layout="constrained")
    for y, (_, row) in enumerate(table.iterrows()):
        colour = COLOURS["blue"] if row["plays"] in tables.TOLD else "0.4"
        ends = np.maximum([row["first quartile"], row["third quartile"]], 0.01)  # no zero on a logarithmic axis
        axes.plot(ends, [y, y], color=colour, linewidth=0.7)
        _dot(axes, y, row, "over", colour)
    _rows(axes, table["plays"])
    _logarithmic(axes, "x")
    axes.set_xlabel("regret over C log T")
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "worth": worth,
    "wrong": wrong,
    "networks": networks,
    "best_arm": best_arm,
    "limit": limit,
}
