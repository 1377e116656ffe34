"""How wrong a causal graph may be and still pay: regret over the number of wrong edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any, Literal

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from arena.dose_curves import Curve, curves, points
from arena.style import hues, plain_ticks, shades
from causal_bandits.problems.construction.arena.doses import HARMLESS, MIXED
from experiments.drawing.plotting import COLOURS
from experiments.results import Results

#: Names and colours of the kinds of errors; what cannot rule out the best intervention is dashed.
KINDS: dict[str, tuple[str, str]] = {
    MIXED: ("all kinds, mixed", "black"),
    "cause_lost": ("a cause of the reward left out", COLOURS["red"]),
    "overlooked": ("a hidden common cause overlooked", COLOURS["orange"]),
    "turned": ("an edge turned round", COLOURS["purple"]),
    "missing": ("an edge between causes left out", COLOURS["blue"]),
    "extra": ("an edge between causes too many", COLOURS["sky"]),
    "cause_invented": ("a cause of the reward invented", COLOURS["green"]),
    "invented": ("a hidden common cause invented", "0.6"),
}


def is_thompson(curve: Curve) -> bool:
    """Say whether a curve is that of Thompson sampling, which plays with every kind of error."""
    return dict(curve.learner.algorithm) == {"algorithm": "thompson"}


def dose(results: Results) -> Figure:
    """Draw regret over that without a graph, by the number of wrong edges.

    Further panels show whose best arm is lost, and other algorithms.
    """
    found = list(curves(results))
    by_size = [c for c in found if c.learner.experiment in ("dose", "dose_kinds") and is_thompson(c)]
    sizes = sorted({c.situation["nodes"] for c in by_size})
    figure = plt.figure(figsize=(14, 10), layout="constrained")
    grid = figure.add_gridspec(2, 12)
    above = [figure.add_subplot(grid[0, 4 * i : 4 * i + 4]) for i in range(len(sizes))]
    below = [figure.add_subplot(grid[1, 3 * i : 3 * i + 3]) for i in range(4)]
    for axes, nodes in zip(above, sizes, strict=True):
        for curve in by_size:
            if curve.situation["nodes"] == nodes:
                _curve(axes, curve)
        axes.set_title(f"TS, {nodes} variables, {results.horizon('dose'):,} rounds", loc="left")
        _ratios(axes)
    _lost(below[0], [c for c in by_size if c.kind == MIXED])
    _others(below[1], results, [c for c in found if not is_thompson(c) and c.learner.metric == "cumulative_regret"])
    _wrong_answers(below[2], [c for c in found if c.learner.metric == "correct"])
    _rounds(below[3], [c for c in found if c.learner.metric == "sample_complexity"])
    for axes in (*above, *below):
        axes.set_xlabel("wrong edges")
        axes.set_xticks([0, 1, 2, 4, 8])
    handles = [
        Line2D([], [], color=colour, linewidth=2.4 if kind == MIXED else 1.4, linestyle=_style(kind), label=name)
        for kind, (name, colour) in KINDS.items()
    ]
    figure.legend(
        handles=handles,
        loc="outside upper center",
        ncols=4,
        title="above: what is wrong with the diagram (dashed: the best intervention stays among the arms)",
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


def named(results: Results, curve: Curve) -> str:
    """Name an algorithm with the kind of errors, if they are of one kind, and its rounds or rival.

    Rounds to the answer are held against several learners without a diagram.
    """
    kind = "" if curve.kind == MIXED else f"{KINDS[curve.kind][0]}, "
    if curve.learner.metric == "sample_complexity":
        return f"{curve.learner.name}, {kind}against {curve.against}"
    what = f"{results.horizon(curve.learner.experiment):,} rounds"
    return f"{curve.learner.name}, {kind}{what if curve.learner.metric == 'cumulative_regret' else 'wrong answers'}"


def _ratios(axes: Axes) -> None:
    axes.axhline(1, color="0.3", linewidth=0.9, linestyle=":")
    axes.set_yscale("log")
    plain_ticks(axes.yaxis)
    axes.set_ylabel("regret,\nover that of the best learner without a graph")


def _lost(axes: Axes, mixed: Sequence[Curve]) -> None:
    shade = shades(c.situation["nodes"] for c in mixed)
    for curve in mixed:
        rows, nodes = points(curve), curve.situation["nodes"]
        axes.plot(rows["wrong"], rows["lost"], "-o", color=shade[nodes], ms=4, label=f"{nodes} variables")
    axes.set_ylim(-0.02, 1.02)
    axes.set_ylabel("share of problems")
    axes.set_title("The best intervention is ruled out", loc="left")
    _key(axes)


def _others(axes: Axes, results: Results, found: Sequence[Curve]) -> None:
    """Draw other algorithms' ratios of means, with 95 % bands."""
    _compared(axes, {f"{named(results, curve)}, {curve.situation['nodes']} variables": curve for curve in found})
    axes.set_title("Other algorithms", loc="left")
    _ratios(axes)
    _key(axes)


def _rounds(axes: Axes, found: Sequence[Curve]) -> None:
    """Draw ratios of mean rounds to the answer, each to those of one learner without a diagram."""
    _compared(axes, {f"{curve.learner.name}, over {curve.against}": curve for curve in found})
    axes.axhline(1, color="0.3", linewidth=0.9, linestyle=":")
    axes.set_ylim(bottom=0)
    axes.set_ylabel("rounds to the answer,\nover those of a learner without a graph")
    axes.set_title(f"Until sure, {_sizes(found)} variables", loc="left")
    _key(axes)


def _compared(axes: Axes, found: Mapping[str, Curve]) -> None:
    """Draw ratios of means with 95 % bands, by the names of the lines."""
    looks = hues(found)
    for name, curve in found.items():
        rows, (colour, style) = points(curve), looks[name]
        axes.plot(rows["wrong"], rows["ratio"], marker="o", color=colour, linestyle=style, ms=4, label=name)
        axes.fill_between(rows["wrong"], rows["low"], rows["high"], color=colour, alpha=0.08, linewidth=0)


def _sizes(found: Sequence[Curve]) -> str:
    return ", ".join(str(nodes) for nodes in sorted({curve.situation["nodes"] for curve in found}))


def _wrong_answers(axes: Axes, found: Sequence[Curve]) -> None:
    """Draw shares of wrong answers; a dotted line for the learner without a diagram."""
    looks = hues(curve.learner.name for curve in found)
    losses = [points(curve)["loss"].tolist() for curve in found]
    for i, curve in enumerate(found):
        width, size = (4.5, 8) if losses[i] in losses[i + 1 :] else (1.5, 4)  # else the later one would hide it
        colour, style = looks[curve.learner.name]
        look: dict[str, Any] = {"color": colour, "linestyle": style, "linewidth": width, "label": curve.learner.name}
        axes.plot(curve.doses, losses[i], marker="o", ms=size, **look)
        if not curve.learner.ends:
            axes.axhline(curve.alone.mean(), color=colour, linestyle=":", linewidth=1.2, label=curve.against)
    axes.set_ylim(bottom=-0.02)
    axes.set_ylabel("share of wrong answers")
    axes.set_title(f"Which arm is best, {_sizes(found)} variables", loc="left")
    _key(axes)


def _key(axes: Axes) -> None:
    """Put the legend below the panel, where it covers no line however many there are."""
    handles, names = axes.get_legend_handles_labels()
    broken = [fill(name, 38, break_on_hyphens=False) for name in names]  # a longer line would widen the panel
    axes.legend(handles, broken, loc="upper left", bbox_to_anchor=(-0.02, -0.13), borderaxespad=0, fontsize=8)
