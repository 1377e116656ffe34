"""The arena's figures by name; each draws the table of the same name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure

from arena import tables
from causal_bandits.problems.construction.arena.wrong_edges import MIXED
from experiments.drawing.plotting import COLOURS, TEXT, canvas, name_ends, plain
from experiments.results import Results

#: The kinds of errors, in words.
ERRORS = {
    "cause_lost": "cause of Y missing",
    "overlooked": "hidden cause overlooked",
    "turned": "edge between causes reversed",
    "missing": "edge between causes missing",
    "extra": "extra edge between causes",
    "cause_invented": "cause of Y invented",
    "invented": "hidden cause invented",
}
#: What all axes of ratios show.
RATIO = "regret with the diagram / regret without"
#: How far apart two marks of a row are.
APART = 0.2


def _logarithmic(axes: Axes, axis: Axis, ticks: Iterable[float]) -> None:
    """Make an axis of ratios logarithmic, with ticks at these values, and mark 1."""
    across = axis is axes.xaxis
    (axes.set_xscale if across else axes.set_yscale)("log")
    (axes.axvline if across else axes.axhline)(1, color="0.3", linewidth=0.9, linestyle="--", zorder=0)
    plain(axis, ticks)


def _rows(axes: Axes, names: Iterable[str]) -> None:
    """Name the rows of a panel from top to bottom."""
    labels = list(names)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(axis="x", color="0.9", linewidth=0.6)
    axes.tick_params(axis="y", length=0)


def _dot(
    axes: Axes,
    y: float,
    row: pd.Series,
    name: str,
    colour: str,
    hollow: bool = False,
    marker: str = "o",
    **look: Any,
) -> None:
    """Draw an estimate and its interval in a row."""
    axes.plot([row[f"{name}, low"], row[f"{name}, high"]], [y, y], color=colour, linewidth=1.4)
    face = "white" if hollow else colour
    axes.plot(row[name], y, marker, color=colour, markerfacecolor=face, markersize=5.5, **look)


#: What the figure `worth` shows, from top to bottom within a row: comparison, name, colour, and whether hollow.
WORTH = (
    ("best", "the best learner", COLOURS["blue"], False),
    ("best, uniform tables", "the same, uniform tables", COLOURS["sky"], False),
    ("best, exclusive ors", "the same, exclusive ors", COLOURS["black"], False),
    ("C-TS", "C-TS", COLOURS["orange"], True),
)


def worth(results: Results) -> Figure:
    """Draw what the diagram is worth: a panel per number of rounds, a row per size."""
    table = tables.worth(results)
    rounds = sorted(table["rounds"].unique())
    sizes = sorted(set(zip(table["pairs"], table["variables"], strict=True)))
    figure, (panels,) = canvas(1, len(rounds), height=5.8, sharex=True, sharey=True)
    for axes, after in zip(panels, rounds, strict=True):
        for place, (comparison, name, colour, hollow) in enumerate(WORTH):
            rows = table[(table["rounds"] == after) & (table["comparison"] == comparison)]
            for number, (_, row) in enumerate(rows.iterrows()):
                y = sizes.index((row["pairs"], row["variables"])) + (place - 1.5) * APART
                _dot(axes, y, row, "ratio", colour, hollow, label=None if number else name)
        _rows(axes, [f"{n} variables, {pairs} pairs" for pairs, n in sizes])
        axes.set_title(f"{after:,} rounds", loc="left")
        _logarithmic(axes, axes.xaxis, (0.1, 0.2, 0.5, 1, 2))
    figure.supxlabel(RATIO, fontsize=TEXT)
    figure.legend(*panels[-1].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure


def networks(results: Results) -> Figure:
    """Draw what the diagram is worth on networks: a row per task; the best learner, and C-TS."""
    table = tables.networks(results)
    tasks = list(dict.fromkeys(table["task"]))
    figure, (panels,) = canvas(1, 2, height=3.6, sharex=True, sharey=True)
    titles = {"best": "the best learner", "C-TS": "C-TS, which is told more"}
    for axes, (comparison, title) in zip(panels, titles.items(), strict=True):
        for _, row in table[table["comparison"] == comparison].iterrows():
            y, colour = tasks.index(row["task"]), COLOURS["blue" if comparison == "best" else "orange"]
            shift, hollow = (-APART, False) if row["redrawn"] else (APART, True)
            _dot(axes, y + shift, row, "ratio", colour, hollow)
        _rows(axes, [task.replace("_", ", ") for task in tasks])
        axes.set_title(title, loc="left")
        _logarithmic(axes, axes.xaxis, (0.1, 0.2, 0.5, 1, 2))
    figure.supxlabel(RATIO, fontsize=TEXT)
    for face, name in (("0.2", "probabilities drawn anew"), ("white", "the network's own")):
        panels[0].plot([], [], "o", color="0.2", markerfacecolor=face, markersize=5.5, label=name)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure


def wrong(results: Results) -> Figure:
    """Draw how wrong the diagram may be: lines by the number of wrong edges, and rows by the kind of a single error."""
    table = tables.wrong(results)
    figure, panels = canvas(2, 1, height=6)
    left, right = panels[:, 0]
    mixed, ends = table[(table["kind"] == MIXED) & (table["rounds"] == 10_000)], []
    for nodes, colour in {3: "0.65", 5: "0.4", 7: "0"}.items():
        curve = mixed[mixed["variables"] == nodes]
        edges = curve["wrong edges"]
        left.plot(edges, curve["ratio"], marker="o", markersize=4, color=colour)
        left.fill_between(edges, curve["ratio, low"], curve["ratio, high"], color=colour, alpha=0.15, linewidth=0)
        ends.append((f"{nodes} variables", float(curve["ratio"].iloc[-1]), colour))
    left.set_xlabel("wrong edges of any kind")
    left.set_ylabel(RATIO.replace(" / ", " /\n"))
    left.set_xticks(sorted(mixed["wrong edges"].unique()))
    _logarithmic(left, left.yaxis, (0.2, 0.5, 1, 2, 5, 10))
    single = table[table["kind"] != MIXED]
    for y, (_, row) in enumerate(single.iterrows()):
        _dot(right, y, row, "ratio", COLOURS["red"] if row["best intervention lost"] > 0 else COLOURS["green"])
    _rows(right, [ERRORS[kind] for kind in single["kind"]])
    _logarithmic(right, right.xaxis, (0.2, 0.5, 1, 2, 5))
    right.set_xlabel(RATIO)
    right.set_title("one wrong edge, 5 variables", loc="left")
    for colour, name in (("red", "may rule out the best intervention"), ("green", "cannot")):
        right.plot([], [], "o", color=COLOURS[colour], markersize=5.5, label=name)
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower right", ncols=2)
    left.set_title("10,000 rounds", loc="left")
    name_ends(left, ends)
    return figure


def best_arm(results: Results) -> Figure:
    """Draw the rounds until an algorithm is sure, divided by those of LUCB: a line per algorithm and diagram."""
    table = tables.best_arm(results)
    figure, ((axes,),) = canvas(height=3.4)
    ends = []
    for name, colour in zip(tables.UNTIL_SURE, (COLOURS["red"], COLOURS["blue"]), strict=True):
        for diagram, line in (("right", "-"), ("no edges", "--")):
            rows = table[(table["plays"] == name) & (table["diagram"] == diagram)].sort_values("variables")
            sizes, ratio = rows["variables"], rows["ratio"]
            axes.fill_between(sizes, rows["ratio, low"], rows["ratio, high"], color=colour, alpha=0.15, linewidth=0)
            axes.plot(sizes, ratio, color=colour, linestyle=line, marker="o", markersize=4)
            said = name.removeprefix("1,000 ") + (", no edges" if diagram == "no edges" else "")
            ends.append((said, float(ratio.iloc[-1]), colour))
    axes.set(xscale="log", xlabel="variables", ylabel="rounds until sure / rounds of LUCB")
    plain(axes.xaxis, sorted(table["variables"].unique()))
    axes.axhline(1, color="0.3", linewidth=0.9, linestyle="--", zorder=0)
    name_ends(axes, ends)
    return figure


def limit(results: Results) -> Figure:
    """Draw regret divided by the least possible, a row per learner: medians, lines between the quartiles, and means."""
    table = tables.limit(results)
    figure, ((axes,),) = canvas(height=4.4)
    for y, (_, row) in enumerate(table.iterrows()):
        colour = COLOURS["blue"] if row["diagram"] else "0.4"
        ends = np.maximum([row["first quartile"], row["third quartile"]], 0.01)  # no zero on a logarithmic axis
        axes.plot(ends, [y - APART / 2] * 2, color=colour, linewidth=0.7)
        _dot(axes, y - APART / 2, row, "over", colour, label=None if y else "median, and quartiles")
        _dot(axes, y + APART, row, "mean", colour, True, marker="D", label=None if y else "mean")
    _rows(axes, table["plays"])
    _logarithmic(axes, axes.xaxis, (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50))
    axes.set_xlabel("regret / (C log T)")
    for colour, name in ((COLOURS["blue"], "with the diagram"), ("0.4", "without")):
        axes.plot([], [], color=colour, linewidth=1.4, label=name)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.3, 1), borderaxespad=0, ncols=2)
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "worth": worth,
    "wrong": wrong,
    "networks": networks,
    "best_arm": best_arm,
    "limit": limit,
}
