"""Up to how many wrong edges a causal graph pays: the break-even numbers alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby
from textwrap import fill
from typing import NamedTuple

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import Normal, Stroke

from arena.dose_curves import BreakEven, Curve, break_even, curves
from arena.dose_figure import KINDS, is_thompson, named
from arena.style import shades
from arena.wording import edges_text
from causal_bandits.problems.construction.arena.doses import MIXED
from experiments.results import Results

#: Height of a bar's line in inches, and the gaps before a row and a group and the height of a heading, in lines.
LINE, ROW_GAP, GROUP_GAP, HEADING = 0.19, 0.45, 0.7, 1.4
#: Names of rows are broken into lines of at most so many characters.
WIDTH = 24
#: The heading above algorithms that are compared by their rounds until they are sure of an answer.
SURE = "Rounds until sure of the best arm, errors of all kinds"
#: The colour of bars for numbers of variables that Thompson sampling is not played with.
OTHER = "#b8b8b8"


class Bar(NamedTuple):
    """One break-even number and where it is drawn.

    Attributes
    ----------
    group, row : str
        The heading that it stands under, and the name of its row there.
    nodes : int
        Variables.
    found : BreakEven
    largest : int
        The largest number of wrong edges that was tried.
    """

    group: str
    row: str
    nodes: int
    found: BreakEven
    largest: int


def bars(results: Results) -> list[Bar]:
    """Find all break-even numbers of wrong edges, in the order in which the figure shows them.

    The wrong answers of algorithms that end when they are sure have none (see `dose_curves.Dosed`).
    """
    found = [curve for curve in curves(results) if curve.learner.breaks_even]
    rounds = [results.horizon(curve.learner.experiment) for curve in found]
    order = list(KINDS)

    def place(i: int) -> tuple[int, int, int]:
        """Sort by group, then rounds or kind of error, then order of appearance."""
        curve = found[i]
        if not is_thompson(curve):
            return 2 + (curve.learner.metric == "sample_complexity"), 0, i
        return (0, rounds[i], i) if curve.kind == MIXED else (1, order.index(curve.kind), i)

    return [
        Bar(
            *_place(results, found[i]),
            int(found[i].situation["nodes"]),
            break_even(found[i]),
            max(found[i].doses),
        )
        for i in sorted(range(len(found)), key=place)
    ]


def _place(results: Results, curve: Curve) -> tuple[str, str]:
    """Return the heading and the name of the row."""
    rounds = results.horizon(curve.learner.experiment)
    if not is_thompson(curve):
        sure = curve.learner.metric == "sample_complexity"
        return SURE if sure else "Other algorithms, errors of all kinds", named(results, curve)
    if curve.kind == MIXED:
        return "Thompson sampling, errors of all kinds", f"{rounds:,} rounds"
    return f"Thompson sampling, one kind of error alone, {rounds:,} rounds", KINDS[curve.kind][0]


def breakeven_figure(results: Results) -> Figure:
    """Draw for each algorithm, size and kind of error up to how many wrong edges a graph pays."""
    found = bars(results)
    sizes = sorted({bar.nodes for bar in found if bar.group.startswith("Thompson")})
    colours = shades(sizes)
    heights, names, y = dict[int, float](), dict[float, str](), 0.0
    headings = dict[float, str]()
    for group, number_of in _grouped(found):
        headings[y + HEADING / 2] = group
        y += HEADING
        for row, numbers in number_of.items():
            lines = max(len(numbers), _lines(row))
            names[y + lines / 2] = row
            heights |= {number: y + (lines - len(numbers)) / 2 + i + 0.5 for i, number in enumerate(numbers)}
            y += lines + ROW_GAP
        y += GROUP_GAP
    figure = plt.figure(figsize=(9.6, 1.5 + LINE * y), layout="constrained")
    axes = figure.subplots()
    for number, at in heights.items():
        bar = found[number]
        _bar(axes, bar, at, colours.get(bar.nodes, OTHER))
    for at, heading in headings.items():
        axes.text(0, at, f" {heading}", weight="bold", fontsize=11, va="center")
    _axes(axes, found, heights, names, y)
    figure.suptitle("Up to how many wrong edges does a causal graph pay?", fontsize=15, weight="bold")
    figure.legend(
        handles=[
            Patch(color=colours[max(sizes)] if sizes else OTHER, label="the graph pays"),
            Line2D([], [], color="0.15", marker="o", linewidth=2, label="break-even number, 95 % interval"),
            Line2D([], [], color="0.15", marker=">", linestyle="", ms=9, label="pays at all numbers tried"),
        ],
        loc="outside lower center",
        ncols=3,
        fontsize=10,
    )
    return figure


def _grouped(found: list[Bar]) -> Iterator[tuple[str, dict[str, list[int]]]]:
    """Yield headings, each with its rows by name and the numbers of their bars."""
    for group, numbers in groupby(range(len(found)), key=lambda i: found[i].group):
        rows: dict[str, list[int]] = {}
        for i in numbers:
            rows.setdefault(found[i].row, []).append(i)
        yield group, rows


def _lines(row: str) -> int:
    return _filled(row).count("\n") + 1


def _filled(row: str) -> str:
    return fill(row, WIDTH, break_on_hyphens=False)


def _bar(axes: Axes, bar: Bar, at: float, colour: str) -> None:
    """Draw a bar up to the number, its interval, a mark or an arrow, and the number in words."""
    value, low, high = (min(number, bar.largest) for number in bar.found)
    axes.barh(at, value, height=0.72, color=colour, linewidth=0)
    edged = [Stroke(linewidth=3.4, foreground="white"), Normal()]  # else it would not be seen on a dark bar
    axes.plot([low, high], [at, at], "-", color="0.15", linewidth=2, solid_capstyle="butt", path_effects=edged)
    endless = math.isinf(bar.found.value)
    axes.plot(value, at, ">" if endless else "o", color="0.15", mec="white", mew=0.6, ms=9 if endless else 6, zorder=3)
    text, least, most = (edges_text(number, bar.largest, ">", "<") for number in bar.found)
    if bar.found.low < bar.found.high:
        text += f" ({least} to {most})"
    if bar.found.high == 0:
        text = "0: a right graph costs, too"
    axes.annotate(text, (max(value, high), at), (8, 0), textcoords="offset points", fontsize=9, va="center")


def _axes(axes: Axes, found: list[Bar], heights: dict[int, float], names: dict[float, str], end: float) -> None:
    """Name rows, and beside each bar its number of variables."""
    largest = max(bar.largest for bar in found)
    axes.set_xlim(0, largest * 1.25)
    axes.set_xticks(range(largest + 1))
    axes.set_xlabel("wrong edges", fontsize=12)
    axes.xaxis.grid(visible=True, color="0.9", linewidth=0.8)
    axes.set_ylim(end, 0)
    axes.yaxis.remove_overlapping_locs = False
    axes.set_yticks(list(heights.values()), [str(found[number].nodes) for number in heights], minor=True)
    axes.set_yticks(list(names), [_filled(name) for name in names.values()])
    axes.tick_params(axis="y", which="minor", length=0, labelsize=9, pad=3)
    axes.tick_params(axis="y", which="major", length=0, labelsize=11, pad=26)
    axes.tick_params(axis="x", labelsize=11)
    axes.annotate("variables", (0, 1), (-3, 2), xycoords="axes fraction", textcoords="offset points", ha="right")
