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
from experiments.drawing.plotting import COLOURS, canvas, name_ends, plain
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
#: How far apart two marks of a row are.
APART = 0.2


def _logarithmic(axes: Axes, axis: Axis, ticks: Iterable[float]) -> None:
    """Make an axis of ratios logarithmic, with ticks at these values, and mark one."""
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


def _dot(axes: Axes, y: float, row: pd.Series, name: str, colour: str, hollow: bool = False, **look: Any) -> None:
    """Draw an estimate and its interval in a row."""
    axes.plot([row[f"{name}, low"], row[f"{name}, high"]], [y, y], color=colour, linewidth=1.4)
    face = "white" if hollow else colour
    axes.plot(row[name], y, "o", color=colour, markerfacecolor=face, markersize=5.5, linestyle="none", **look)


def worth(results: Results) -> Figure:
    """Draw what the diagram is worth: a panel per number of rounds, a row per size."""
    table = tables.worth(results)
    table = table[table["comparison"].isin(("best", "C-TS"))]
    rounds = sorted(table["rounds"].unique())
    sizes = sorted(set(zip(table["pairs"], table["variables"], strict=True)))
    figure, (panels,) = canvas(1, len(rounds), height=3.8, sharex=True, sharey=True)
    for axes, after in zip(panels, rounds, strict=True):
        for _, row in table[table["rounds"] == after].iterrows():
            y, best = sizes.index((row["pairs"], row["variables"])), row["comparison"] == "best"
            colour = COLOURS["blue"] if best else COLOURS["orange"]
            look = {"label": "the best learner" if best else "C-TS"} if y == 0 else {}
            _dot(axes, y - (APART if best else -APART), row, "ratio", colour, not best, **look)
        _rows(axes, [f"{n} variables, {pairs} pairs" for pairs, n in sizes])
        axes.set_title(f"{after:,} rounds", loc="left")
        axes.set_xlabel("regret with the diagram over regret without")
        _logarithmic(axes, axes.xaxis, (0.2, 0.5, 1, 2))
    panels[0].legend(*panels[-1].get_legend_handles_labels(), loc="lower left")
    return figure


def networks(results: Results) -> Figure:
    """Draw what the diagram is worth on networks: a row per task; the best learner, and C-TS."""
    table = tables.networks(results)
    tasks = list(dict.fromkeys(table["task"]))
    figure, (panels,) = canvas(1, 2, height=3.6, sharex=True, sharey=True)
    titles = {"best": "the best learner with the diagram", "C-TS": "C-TS, which is told more"}
    for axes, (comparison, title) in zip(panels, titles.items(), strict=True):
        for _, row in table[table["comparison"] == comparison].iterrows():
            y, colour = tasks.index(row["task"]), COLOURS["blue" if comparison == "best" else "orange"]
            shift, hollow = (-APART, False) if row["redrawn"] else (APART, True)
            _dot(axes, y + shift, row, "ratio", colour, hollow)
        _rows(axes, [task.replace("_", ", ") for task in tasks])
        axes.set_title(title, loc="left")
        axes.set_xlabel("regret with the diagram over regret without")
        _logarithmic(axes, axes.xaxis, (0.1, 0.2, 0.5, 1, 2))
    return figure


def wrong(results: Results) -> Figure:
    """Draw how wrong the diagram may be: lines by the number of wrong edges, and rows by the kind of one error."""
    table = tables.wrong(results)
    figure, ((left, right),) = canvas(1, 2, height=3.6, width_ratios=(1, 1))
    mixed, ends = table[(table["kind"] == MIXED) & (table["rounds"] == 10_000)], []
    for nodes, colour in {3: COLOURS["purple"], 5: COLOURS["blue"], 7: COLOURS["black"]}.items():
        curve = mixed[mixed["variables"] == nodes]
        edges = curve["wrong edges"]
        left.plot(edges, curve["ratio"], marker="o", markersize=4, color=colour)
        left.fill_between(edges, curve["ratio, low"], curve["ratio, high"], color=colour, alpha=0.15, linewidth=0)
        ends.append((f"{nodes} variables", float(curve["ratio"].iloc[-1]), colour))
    left.set_xlabel("wrong edges of any kind")
    left.set_ylabel("regret with the diagram over regret without")
    left.set_xticks(sorted(mixed["wrong edges"].unique()))
    _logarithmic(left, left.yaxis, (0.2, 0.5, 1, 2, 5, 10))
    single = table[table["kind"] != MIXED]
    for y, (_, row) in enumerate(single.iterrows()):
        _dot(right, y, row, "ratio", COLOURS["red"] if row["best intervention lost"] > 0 else COLOURS["green"])
    _rows(right, [ERRORS[kind] for kind in single["kind"]])
    _logarithmic(right, right.xaxis, (0.2, 0.5, 1, 2, 5))
    right.set_xlabel("regret with over regret without")
    right.set_title("one wrong edge, 5 variables", loc="left")
    left.set_title("10,000 rounds", loc="left")
    name_ends(left, ends)
    return figure


def best_arm(results: Results) -> Figure:
    """Draw rounds until sure, and the share of problems whose best arm is named in time."""
    table = tables.best_arm(results)
    figure, (panels,) = canvas(1, 3, height=3.2, sharey=True, width_ratios=(1.2, 1, 1))
    sizes = sorted(table["variables"].unique())
    colours = dict(zip(tables.UNTIL_SURE, (COLOURS["blue"], COLOURS["orange"]), strict=True))
    for number, (name, colour) in enumerate(colours.items()):
        for _, row in table[table["plays"] == name].iterrows():
            y, right = sizes.index(row["variables"]), row["wrong edges"] == 0
            shift = (number - 0.5) * 2 * APART + (-0.5 if right else 0.5) * APART
            look = {"label": name} if right and y == 0 else {}
            _dot(panels[0], y + shift, row, "ratio", colour, not right, **look)
    panels[0].axvline(1, color="0.3", linewidth=0.9, linestyle="--", zorder=0)
    panels[0].set_xlabel("rounds until sure over LUCB's")
    rejects = table[table["plays"].str.startswith(tables.REJECTS)]
    for axes, budget in zip(panels[1:], sorted(rejects["budget"].unique()), strict=True):
        for _, row in rejects[rejects["budget"] == budget].iterrows():
            y, watching = sizes.index(row["variables"]), row["plays"] != tables.REJECTS
            shift = {0.0: 0.0, 8.0: APART}[row["wrong edges"]] if watching else -APART
            colour, hollow = (COLOURS["blue"] if watching else "0.4"), row["wrong edges"] > 0
            look = {"label": "half watching" if watching else "never watching"} if y == 0 and not hollow else {}
            _dot(axes, y + shift, row, "right", colour, hollow, **look)
        axes.set_title(f"{budget:,.0f} rounds", loc="left")
        axes.set_xlabel("share named rightly")
        axes.set_xlim(0.4, 1.02)
    for axes in panels:
        _rows(axes, [f"{n} variables" for n in sizes])
    for axes in panels[:2]:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.1), borderaxespad=0)
    return figure


def limit(results: Results) -> Figure:
    """Draw regret over the least possible, a row per learner: medians, and lines between the quartiles."""
    table = tables.limit(results)
    figure, ((axes,),) = canvas(height=3.8, width=6.5)
    for y, (_, row) in enumerate(table.iterrows()):
        colour = COLOURS["blue"] if row["diagram"] else "0.4"
        ends = np.maximum([row["first quartile"], row["third quartile"]], 0.01)  # no zero on a logarithmic axis
        axes.plot(ends, [y, y], color=colour, linewidth=0.7)
        _dot(axes, y, row, "over", colour)
    _rows(axes, table["plays"])
    _logarithmic(axes, axes.xaxis, (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50))
    axes.set_xlabel("regret over C log T")
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "worth": worth,
    "wrong": wrong,
    "networks": networks,
    "best_arm": best_arm,
    "limit": limit,
}
