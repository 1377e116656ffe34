"""The arena's figures: what knowledge of the graph is worth, and when it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from arena.breakeven_figure import breakeven_figure
from arena.dose_figure import dose
from arena.limit import limit_figure
from arena.network_figure import networks_figure
from arena.players import EARLY, PLAYERS, Knowledge, Player, answered, compared, until_sure
from arena.profiles import profiles_figure
from arena.style import SHADES, plain_ticks
from experiments.drawing.plotting import COLOURS
from experiments.results import Results

#: A row's name is drawn in the colour of what is known.
KNOWN: dict[Knowledge, tuple[str, str]] = {
    "none": ("0.35", "no knowledge"),
    "right": (COLOURS["blue"], "right knowledge"),
    "wrong": (COLOURS["red"], "wrong knowledge"),
}
#: Names of rows are broken into lines of at most so many characters, so that the panels are not squeezed.
WIDTH = 24
#: Beyond these a ratio is drawn at the edge, as an arrow.
LIMITS = (0.001, 50.0)


def worth(results: Results) -> Figure:
    """Draw regret on the interventions that knowledge leaves, over that on all interventions."""
    figure = plt.figure(figsize=(12.5, 6), layout="constrained")
    diagrams = compared(results, "diagram")
    levels = sorted({situation["confounders"] for situation in diagrams["situation"]})
    panels = figure.subplots(1, len(levels), sharex=True, squeeze=False)[0]
    for axes, confounders in zip(panels, levels, strict=True):
        rows = diagrams[[situation["confounders"] == confounders for situation in diagrams["situation"]]]
        _ratios(axes, rows, "nodes", "variables", _names(diagrams))
        axes.set_title(f"{confounders} pairs of variables confounded", loc="left", pad=18)
        if axes is not panels[0]:
            axes.tick_params(labelleft=False)
    _key(figure)
    return figure


def other_problems(results: Results) -> Figure:
    """Draw what knowledge is worth on trees, with offline data, and where the best arm is to be named."""
    figure = plt.figure(figsize=(12.5, 10), layout="constrained")
    (tree, offline), (best, last) = np.asarray(figure.subplots(2, 2)).tolist()
    _ratios(tree, compared(results, "tree"), "nodes", "variables")
    tree.set_title("Where the reward comes from", loc="left", pad=18)
    _ratios(offline, compared(results, "offline"), "bias", "bias of the data")
    offline.set_title("What biased offline data say", loc="left", pad=18)
    _answers(best, answered(results))
    best.set_title("Which arm is best, at a fixed budget", loc="left", pad=18)
    _rounds(last, until_sure(results))
    last.set_title("Which arm is best, until sure", loc="left", pad=18)
    _key(figure)
    return figure


def _names(frame: pd.DataFrame) -> dict[str, Player]:
    """Name the rows of a panel, from top to bottom.

    They are players; those on offline data have the number of units in their names too.
    """
    order = {player.name: i for players in PLAYERS.values() for i, player in enumerate(players)}
    pairs = sorted(
        zip(frame["player"], frame["situation"], strict=True),
        key=lambda pair: (order[pair[0].name], pair[1].get("samples", 0)),
    )
    return {_name(player, situation): player for player, situation in pairs}


def _name(player: Player, situation: Mapping[str, Any]) -> str:
    return f"{player.name}; {situation['samples']:,} units" if "samples" in situation else player.name


def _rows(axes: Axes, players: Mapping[str, Player]) -> list[str]:
    """Name the rows of a panel, the first on top, in the colour of what is known; break long names."""
    names = list(players)
    axes.set_yticks(range(len(names)), [fill(name, WIDTH, break_on_hyphens=False) for name in names])
    for label, player in zip(axes.get_yticklabels(), players.values(), strict=True):
        label.set_color(KNOWN[player.knowledge][0])
    axes.set_ylim(len(names) - 0.4, -0.6)
    for y in range(len(names) - 1):
        axes.axhline(y + 0.5, color="0.9", linewidth=0.6, zorder=0)
    return names


def _offsets(values: Sequence[object]) -> dict[object, float]:
    """Where in a row each value of the coloured option is drawn."""
    return (
        dict(zip(values, np.linspace(-0.24, 0.24, len(values)), strict=True)) if len(values) > 1 else {values[0]: 0.0}
    )


def _ratios(
    axes: Axes, frame: pd.DataFrame, option: str, title: str, players: Mapping[str, Player] | None = None
) -> None:
    """Points with intervals at the horizon, ticks early in the run."""
    frame = frame[frame["ratio"].notna()]
    held = {name: player for name, player in (players or _names(frame)).items() if player.against}
    names = _rows(axes, held)
    values = sorted({situation[option] for situation in frame["situation"]})
    shift, (low, high) = _offsets(values), LIMITS
    for _, row in frame.iterrows():
        value = row["situation"][option]
        shade, y = SHADES[values.index(value)], names.index(_name(row["player"], row["situation"])) + shift[value]
        ratio, early, *ends = np.clip(row[["ratio", "early", "ratio_low", "ratio_high"]].astype(float), low, high)
        marker = "<" if row["ratio"] < low else ">" if row["ratio"] > high else "o"
        axes.plot(ends, [y, y], "-", color=shade, linewidth=1.6)
        axes.plot(early, y, "|", color=shade, ms=6, mew=1.4, zorder=2)
        axes.plot(ratio, y, marker, color=shade, mec=shade, ms=5, zorder=3)
    axes.axvline(1, color="0.3", linewidth=0.9, linestyle="--", zorder=1)
    axes.set_xscale("log")
    plain_ticks(axes.xaxis)
    axes.set_xlabel("regret, over that without knowledge")
    _values(axes, values, title)


def _answers(axes: Axes, frame: pd.DataFrame) -> None:
    """Shares of right answers; hollow with confounders."""
    names = _rows(axes, _names(frame))
    values = sorted({situation["nodes"] for situation in frame["situation"]})
    shift = _offsets(values)
    for _, row in frame.iterrows():
        situation, shade = row["situation"], SHADES[values.index(row["situation"]["nodes"])]
        y = names.index(row["player"].name) + shift[situation["nodes"]] + (0.06 if situation["confounders"] else 0.0)
        axes.plot([row["low"], row["high"]], [y, y], "-", color=shade, linewidth=1.6)
        fill = "white" if situation["confounders"] else shade
        axes.plot(row["right"], y, "D", mfc=fill, mec=shade, ms=4, zorder=3)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("share of right answers in time\n(hollow: confounded)")
    _values(axes, values, "variables")


def _rounds(axes: Axes, frame: pd.DataFrame) -> None:
    """Draw median rounds to the answer, on a logarithmic axis.

    Marks are hollow with confounders; an arrow stands for no answer.
    """
    names = _rows(axes, _names(frame))
    values = sorted({situation["nodes"] for situation in frame["situation"]})
    shift = _offsets(values)
    ends = frame[["rounds", "low", "high"]].to_numpy(dtype=np.float64)
    edge = 3 * float(ends[np.isfinite(ends)].max(initial=1.0))
    for _, row in frame.iterrows():
        situation, shade = row["situation"], SHADES[values.index(row["situation"]["nodes"])]
        y = names.index(row["player"].name) + shift[situation["nodes"]] + (0.06 if situation["confounders"] else 0.0)
        rounds, low, high = np.minimum(row[["rounds", "low", "high"]].astype(float), edge)
        axes.plot([low, high], [y, y], "-", color=shade, linewidth=1.6)
        fill = "white" if situation["confounders"] else shade
        axes.plot(rounds, y, ">" if np.isinf(row["rounds"]) else "D", mfc=fill, mec=shade, ms=4, zorder=3)
    axes.set_xscale("log")
    plain_ticks(axes.xaxis)
    axes.set_xlabel("rounds to the answer, median\n(hollow: confounded; triangle: none)")
    _values(axes, values, "variables")


def _values(axes: Axes, values: Sequence[object], title: str) -> None:
    handles = [Line2D([], [], marker="o", linestyle="", color=SHADES[i], label=f"{v}") for i, v in enumerate(values)]
    axes.legend(
        handles=[Line2D([], [], linestyle="", label=f"{title}:"), *handles],
        fontsize=8,
        ncols=1 + len(values),
        loc="lower right",
        bbox_to_anchor=(1, 1),
        borderaxespad=0.1,
        handletextpad=0.1,
        columnspacing=0.8,
    )


def _key(figure: Figure) -> None:
    handles = [Line2D([], [], marker="s", linestyle="", color=colour, label=name) for colour, name in KNOWN.values()]
    handles += [
        Line2D([], [], marker="o", linestyle="-", color="0.3", label="at the horizon, 95 % interval over problems"),
        Line2D([], [], marker="|", linestyle="", color="0.3", ms=6, mew=1.4, label=f"after {EARLY:.0%} of it"),
        Line2D([], [], linestyle="--", color="0.3", label="left of it knowledge pays, right of it it costs"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "worth": worth,
    "breakeven": breakeven_figure,
    "dose": dose,
    "other_problems": other_problems,
    "networks": networks_figure,
    "limit": limit_figure,
    "profiles": profiles_figure,
}
