"""How wrong a causal graph may be and still pay: regret over the number of wrong edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from replication.drawing.plotting import COLOURS
from replication.papers.arena.dose_curves import Curve, break_even, curves, points
from replication.papers.arena.doses import HARMLESS, MIXED
from replication.papers.arena.log_axes import plain_ticks
from replication.pipeline.results import Results

#: Names and colours of the kinds of errors; what cannot rule out the best intervention is dashed.
KINDS: dict[str, tuple[str, str]] = {
    MIXED: ("all kinds, mixed", "black"),
    "cause_lost": ("a cause of Y lost", COLOURS["red"]),
    "overlooked": ("a confounder overlooked", COLOURS["orange"]),
    "turned": ("an edge turned", COLOURS["purple"]),
    "missing": ("an edge missing", COLOURS["blue"]),
    "extra": ("an edge too many", COLOURS["sky"]),
    "cause_invented": ("a cause of Y invented", COLOURS["green"]),
    "invented": ("a confounder invented", "0.6"),
}
#: Heights of the bars of break-even numbers, one per number of rounds, as shares of the panel's height.
BARS = (0.02, 0.10, 0.18)


def dose(results: Results) -> Figure:
    """Draw regret over that without a graph, by the number of wrong edges.

    Further panels show whose best arm is lost, and other algorithms.
    """
    found = list(curves(results))
    by_size = [c for c in found if c.learner.experiment in ("dose", "dose_kinds")]
    sizes = sorted({c.situation["nodes"] for c in by_size})
    figure = plt.figure(figsize=(15, 10), layout="constrained")
    panels = np.asarray(figure.subplots(2, max(len(sizes), 3))).tolist()
    for axes, nodes in zip(panels[0], sizes, strict=False):
        here = [c for c in by_size if c.situation["nodes"] == nodes]
        for curve in here:
            _curve(axes, curve)
        times = ("dose_short", "dose", "dose_long")
        mixed = [c for e in times for c in found if (c.learner.experiment, c.kind) == (e, MIXED)]
        _bars(axes, results, [c for c in mixed if c.situation["nodes"] == nodes])
        rounds = results.horizon("dose")
        axes.set_title(f"TS, {nodes} variables, {rounds:,} rounds", loc="left")
        _ratios(axes)
    for axes in panels[0][len(sizes) :]:  # a small study has fewer sizes
        axes.set_visible(False)
    _lost(panels[1][0], [c for c in by_size if c.kind == MIXED])
    _others(panels[1][1], results, [c for c in found if c.learner.experiment in ("dose_solvers", "dose_tree")])
    _wrong_answers(panels[1][2], results, [c for c in found if c.learner.metric == "correct"])
    for axes in (axes for row in panels for axes in row):
        axes.set_xlabel("wrong edges")
    handles = [
        Line2D([], [], color=colour, linewidth=2.4 if kind == MIXED else 1.4, linestyle=_style(kind), label=name)
        for kind, (name, colour) in KINDS.items()
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=4,
        title="what is wrong with the diagram (dashed: the best intervention stays among the arms)",
    )
    return figure


def _style(kind: str) -> Literal["-", "--"]:
    return "--" if kind in HARMLESS else "-"


def _curve(axes: Axes, curve: Curve) -> None:
    """Draw a kind's ratios of means; for mixed errors the 95 % band, too."""
    rows, (_, colour) = points(curve), KINDS[curve.kind]
    if curve.kind == MIXED:
        axes.fill_between(rows["wrong"], rows["low"], rows["high"], color=colour, alpha=0.15, linewidth=0)
    width, size = (2.4, 5) if curve.kind == MIXED else (1.4, 3)
    axes.plot(rows["wrong"], rows["ratio"], f"{_style(curve.kind)}o", color=colour, linewidth=width, ms=size)


def _bars(axes: Axes, results: Results, mixed: Sequence[Curve]) -> None:
    """Draw the break-even number of wrong edges with its interval, one bar per number of rounds."""
    for curve, height in zip(mixed, BARS, strict=False):
        found, end = break_even(curve), max(curve.doses)
        value, low, high = (min(v, end) for v in found)
        transform = axes.get_xaxis_transform()
        axes.plot([low, high], [height] * 2, "-", color="0.35", linewidth=4, alpha=0.6, transform=transform)
        axes.plot(value, height, ">" if np.isinf(found.value) else "|", color="black", ms=9, transform=transform)
        text = f"pays up to here, {results.horizon(curve.learner.experiment):,} rounds"
        left = low < 0.5 * end
        axes.annotate(
            text,
            (low if left else high, height),
            xycoords=transform,
            xytext=(0, 3),
            textcoords="offset points",
            fontsize=8,
            ha="left" if left else "right",
            va="bottom",
        )


def _ratios(axes: Axes) -> None:
    axes.axhline(1, color="0.3", linewidth=0.9, linestyle=":")
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.set_ylim(low * (low / high) ** 0.36, high)  # room for the bars
    plain_ticks(axes.yaxis)
    axes.set_ylabel("regret, over that of the best learner without a graph")
    axes.set_xticks([0, 1, 2, 4, 8])


def _lost(axes: Axes, mixed: Sequence[Curve]) -> None:
    for curve, shade in zip(mixed, ("#a6cee3", "#1f78b4", "#08306b"), strict=False):
        rows = points(curve)
        axes.plot(rows["wrong"], rows["lost"], "-o", color=shade, ms=4, label=f"{curve.situation['nodes']} variables")
    axes.set_ylim(-0.02, 1.02)
    axes.set_ylabel("share of problems")
    axes.set_title("The best intervention is ruled out", loc="left")
    axes.set_xticks([0, 1, 2, 4, 8])
    axes.legend(loc="upper left")


def _others(axes: Axes, results: Results, found: Sequence[Curve]) -> None:
    """Draw other algorithms on mixed errors."""
    colours = [COLOURS[name] for name in ("blue", "orange", "green", "red")]
    for curve, colour in zip(found, colours, strict=False):
        rows = points(curve)
        rounds = results.horizon(curve.learner.experiment)
        label = f"{curve.learner.name}, {curve.situation['nodes']} variables, {rounds:,} rounds"
        axes.plot(rows["wrong"], rows["ratio"], "-o", color=colour, ms=4, label=label)
        axes.fill_between(rows["wrong"], rows["low"], rows["high"], color=colour, alpha=0.12, linewidth=0)
    axes.set_title("Other algorithms", loc="left")
    _ratios(axes)
    axes.legend(loc="lower right", fontsize=8)


def _wrong_answers(axes: Axes, results: Results, found: Sequence[Curve]) -> None:
    """Draw shares of wrong answers; a dotted line for the learner without a diagram."""
    colours = [COLOURS[name] for name in ("blue", "green", "orange")]
    losses = [points(curve)["loss"].tolist() for curve in found]
    for i, (curve, colour) in enumerate(zip(found, colours, strict=False)):
        width, size = (4.5, 8) if losses[i] in losses[i + 1 :] else (1.5, 4)  # else the later one would hide it
        axes.plot(curve.doses, losses[i], "-o", color=colour, linewidth=width, ms=size, label=curve.learner.name)
        if not curve.learner.ends:
            axes.axhline(curve.alone.mean(), color=colour, linestyle=":", linewidth=1.2, label=curve.against)
    axes.set_ylim(bottom=-0.02)
    axes.set_ylabel("share of wrong answers")
    nodes = sorted({c.situation["nodes"] for c in found})
    axes.set_title(f"Which arm is best, {', '.join(map(str, nodes))} variables", loc="left")
    axes.set_xticks([0, 1, 2, 4, 8])
    axes.legend(loc="best", fontsize=8)
