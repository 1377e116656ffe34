"""The arena's figure: what knowledge of the graph is worth, and when it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from causal_bandits.evaluation.results import Results
from causal_bandits.papers.arena.players import EARLY, Knowledge, answered, compared
from causal_bandits.plotting import COLOURS

#: A row's name is drawn in the colour of what is known.
KNOWN: dict[Knowledge, tuple[str, str]] = {
    "none": (COLOURS["grey"], "no knowledge"),
    "right": (COLOURS["blue"], "right knowledge"),
    "wrong": (COLOURS["red"], "wrong knowledge"),
}
#: Of the values of the option that a panel's colours stand for, in order.
SHADES = ("#a6cee3", "#1f78b4", "#08306b")
#: Beyond these a ratio is drawn at the edge, as an arrow.
LIMITS = (0.02, 50.0)


def worth(results: Results) -> Figure:
    """Regret over that on the same problems without knowledge, by what is known; and right answers within a budget."""
    figure, panels = plt.subplots(2, 3, figsize=(15, 9.6))
    diagrams = compared(results, "diagram")
    levels = sorted({s["confounders"] for s in diagrams["situation"]})
    for axes, confounders in zip(panels[0], levels, strict=False):
        rows = diagrams[[s["confounders"] == confounders for s in diagrams["situation"]]]
        _ratios(axes, rows, "nodes", "variables")
        axes.set_title(f"Which interventions to play: {confounders} pairs of variables confounded", loc="left")
        if axes is not panels[0, 0]:
            axes.tick_params(labelleft=False)
    _ratios(panels[1, 0], compared(results, "tree"), "nodes", "variables")
    panels[1, 0].set_title("Where the reward comes from: causal trees", loc="left")
    _ratios(panels[1, 1], compared(results, "offline"), "bias", "bias of the data")
    panels[1, 1].set_title("What offline data say", loc="left")
    _answers(panels[1, 2], answered(results))
    panels[1, 2].set_title("Which arm is best, within 2,000 rounds at most", loc="left")
    _key(figure)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    return figure


def _rows(axes: Axes, frame: pd.DataFrame) -> list[str]:
    """Name the rows of a panel, the first on top, in the colour of what is known."""
    players = {_name(player, situation): player for player, situation in _pairs(frame)}
    names = list(players)
    axes.set_yticks(range(len(names)), names)
    for label, player in zip(axes.get_yticklabels(), players.values(), strict=True):
        label.set_color(KNOWN[player.knowledge][0] if player.knowledge != "none" else "0.35")
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="y", linewidth=0.4)
    return names


def _pairs(frame: pd.DataFrame) -> list[tuple[Any, Mapping[str, Any]]]:
    """Players with their situations; rows that differ in the number of samples alone stand together."""
    order = {player: i for i, player in enumerate(dict.fromkeys(p.name for p in frame["player"]))}
    pairs = list(zip(frame["player"], frame["situation"], strict=True))
    return sorted(pairs, key=lambda pair: (order[pair[0].name], pair[1].get("samples", 0)))


def _name(player: Any, situation: Mapping[str, Any]) -> str:
    return f"{player.name}; {situation['samples']:,} units" if "samples" in situation else str(player.name)


def _offsets(values: Sequence[object]) -> dict[object, float]:
    """Where in a row each value of the coloured option is drawn."""
    return (
        dict(zip(values, np.linspace(-0.24, 0.24, len(values)), strict=True)) if len(values) > 1 else {values[0]: 0.0}
    )


def _ratios(axes: Axes, frame: pd.DataFrame, option: str, title: str) -> None:
    """Points with intervals at the horizon, hollow ones early in the run."""
    frame = frame[frame["ratio"].notna()]
    names = _rows(axes, frame)
    values = sorted({situation[option] for situation in frame["situation"]})
    shift, low, high = _offsets(values), *LIMITS
    for (_, row), shade in ((r, SHADES[values.index(r[1]["situation"][option])]) for r in frame.iterrows()):
        y = names.index(_name(row["player"], row["situation"])) + shift[row["situation"][option]]
        axes.plot(np.clip(row["early"], low, high), y, "o", mfc="white", mec=shade, ms=4, zorder=2)
        beyond = row["ratio"] > high or row["ratio"] < low
        marker = "o" if not beyond else (">" if row["ratio"] > high else "<")
        axes.plot(np.clip([row["ratio_low"], row["ratio_high"]], low, high), [y, y], "-", color=shade, linewidth=1.6)
        axes.plot(np.clip(row["ratio"], low, high), y, marker, color=shade, mec=shade, ms=5, zorder=3)
    axes.axvline(1, color="0.3", linewidth=0.9, linestyle="--", zorder=1)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.set_xlabel("regret, over that without knowledge   (left: pays, right: costs)")
    _values(axes, values, title)


def _answers(axes: Axes, frame: pd.DataFrame) -> None:
    """Shares of right answers; hollow with confounders."""
    names = _rows(axes, frame)
    values = sorted({situation["nodes"] for situation in frame["situation"]})
    shift = _offsets(values)
    for _, row in frame.iterrows():
        situation, shade = row["situation"], SHADES[values.index(row["situation"]["nodes"])]
        y = names.index(row["player"].name) + shift[situation["nodes"]] + (0.06 if situation["confounders"] else 0.0)
        axes.plot([row["low"], row["high"]], [y, y], "-", color=shade, linewidth=1.6)
        fill = "white" if situation["confounders"] else shade
        axes.plot(row["right"], y, "D", mfc=fill, mec=shade, ms=4, zorder=3)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("share of problems answered rightly in time   (hollow: confounded)")
    _values(axes, values, "variables")


def _values(axes: Axes, values: Sequence[object], title: str) -> None:
    handles = [Line2D([], [], marker="o", linestyle="", color=SHADES[i], label=f"{v}") for i, v in enumerate(values)]
    axes.legend(handles=handles, title=title, fontsize=8, title_fontsize=8, loc="best", frameon=True, framealpha=0.85)


def _key(figure: Figure) -> None:
    handles = [Line2D([], [], marker="s", linestyle="", color=colour, label=name) for colour, name in KNOWN.values()]
    handles += [
        Line2D([], [], marker="o", linestyle="-", color="0.3", label="at the horizon, 95 % interval over problems"),
        Line2D([], [], marker="o", linestyle="", mfc="white", mec="0.3", label=f"after {EARLY:.0%} of it"),
    ]
    figure.legend(handles=handles, loc="lower center", ncols=len(handles))


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "worth": worth,
}
