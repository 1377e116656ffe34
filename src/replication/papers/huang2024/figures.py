"""Draw Figures 1 to 4 of huang2024, and the comparisons that its appendix states without a figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from causal_bandits.arrays import FloatArray
from causal_bandits.graphs.admg import ADMG
from causal_bandits.problems.huang2024 import CONTEXT, GRAPH, MANIPULABLE, PROBLEMS
from experiments.aggregate import half_width
from experiments.drawing.diagrams import draw_diagram
from experiments.drawing.plotting import COLOURS, canvas, draw_curve, name_ends, plain, thousands
from experiments.results import Results
from replication.papers.huang2024.policies import FIGURE_4, PAIRS
from replication.papers.huang2024.stages import ESTIMATED, ROW_COUNT, row_name, rows_of_pairs
from replication.papers.huang2024.tables import (
    BOUNDS_AT_LEVELS,
    at_level,
    by_row,
    covered_rows,
    levels_played,
    published_column,
)

POSITIONS = {
    "U1": (0, 2),
    "X1": (0, 1),
    "I1": (0, 0),
    "S": (-1.2, 0),
    "U2": (2.6, 2),
    "X2": (2.6, 1),
    "Y": (1.6, 0),
    "C1": (0.8, -0.9),
}


def figure1(results: Results) -> Figure:
    """Draw Fig. 1: the framework, as this study runs it."""
    figure, ((axes,),) = canvas(height=3.3)
    boxes = {
        "offline data\nkept where $S=1$": (0, 1.2),
        "causal graph\nwith $S$": (0, 0),
        "BCE (Alg. 1)\nRC*, substitutes": (2.2, 0.6),
        "prior causal bounds\n$[L_{a,c},\\ U_{a,c}]$": (4.4, 0.6),
        "LinUCB-PCB (Alg. 4)\n$\\min\\{UCB_a,\\ U_{a,c}\\}$": (6.6, 0.6),
        "user $c_t$": (6.6, 1.8),
        "arm $a_t$, reward $r_t$": (6.6, -0.6),
    }
    names = list(boxes)
    for name, (x, y) in boxes.items():
        style = "round,pad=0.02,rounding_size=0.08"
        colour = COLOURS["sky"] if x < 5 else COLOURS["orange"]
        box = FancyBboxPatch((x - 0.9, y - 0.3), 1.8, 0.6, boxstyle=style, facecolor=colour, alpha=0.3, edgecolor="k")
        axes.add_patch(box)
        axes.annotate(name, (x, y), ha="center", va="center")
    for start, end, aside in ((0, 2, 0), (1, 2, 0), (2, 3, 0), (3, 4, 0), (5, 4, 0), (4, 6, -0.3), (6, 4, 0.3)):
        a, b = np.array(boxes[names[start]]), np.array(boxes[names[end]])
        shift, drop = (0.93, 0.0) if a[0] < b[0] else (0.0, 0.33 * np.sign(b[1] - a[1]))
        ends = (a[0] + shift + aside, a[1] + drop), (b[0] - shift + aside, b[1] - drop)
        axes.add_patch(FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=10, color="k"))
    axes.annotate("offline evaluation", (2.2, 2.4), ha="center", va="center", fontsize=10)
    axes.annotate("online bandit", (6.6, 2.4), ha="center", va="center", fontsize=10)
    axes.set(xlim=(-1, 7.6), ylim=(-1, 2.6))
    axes.set_axis_off()
    return figure


def figure2(results: Results) -> Figure:
    """Draw Fig. 2: the causal graph that is simulated, with the hidden C1 as a dashed node."""
    figure, ((axes,),) = canvas(height=3.2, width=5)
    colours = dict.fromkeys(MANIPULABLE, COLOURS["blue"]) | dict.fromkeys(CONTEXT, COLOURS["green"])
    draw_diagram(
        axes,
        ADMG(directed=[*GRAPH.directed, *(("C1", effect) for pair in GRAPH.bidirected for effect in pair)]),
        POSITIONS,
        node_colours=colours | {"Y": COLOURS["red"]},
        shaded=["S"],
        dashed=["C1"],
    )
    return figure


def figure3(results: Results) -> Figure:
    """Draw Fig. 3: bounds and biased estimates per row.

    Panel (a) shows the replication with the exact truth, panel (b) the published values.
    """
    figure, panels = canvas(2, 1, height=6.4, sharex=True)
    upper, lower = panels[:, 0]
    frame = by_row(results.files["bounds_contextual"]).groupby("row")
    mean, low, high = frame.mean(), frame.quantile(0.025), frame.quantile(0.975)
    truth = rows_of_pairs(PROBLEMS["synthetic"]().means)
    cells = np.arange(ROW_COUNT)
    for column in ESTIMATED:
        x = cells + _ASIDE[column]
        colour = _MARKS[column][1] if column in _MARKS else COLOURS["black"]
        around = [mean[column] - low[column], high[column] - mean[column]]
        upper.errorbar(x, mean[column], around, fmt="none", color=colour, linewidth=0.9, capsize=2)
    _bounds_panel(upper, {c: mean[c].to_numpy() for c in ESTIMATED}, truth)
    upper.set_title(f"(a) replicated: mean of {int(frame.size().iloc[0]):,} offline samples")
    _bounds_panel(lower, {column: published_column(results, label) for column, label in ESTIMATED.items()}, truth)
    printed = published_column(results, "Truth")
    lower.hlines(printed, cells - 0.4, cells + 0.4, color=COLOURS["purple"], linewidth=1.8, label="truth as printed")
    lower.set_title("(b) as published (Table 1)")
    upper.errorbar([], [], [], fmt="none", color=COLOURS["black"], linewidth=0.9, capsize=2, label="95 % of samples")
    lower.set_xticks(cells, [row_name(row).replace("|", "\n") for row in range(ROW_COUNT)])
    lower.set_xlabel("$x_1x_2$ (arm) above, $u_1u_2$ (user) below")
    drawn = {
        text: handle for axes in (lower, upper) for handle, text in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(drawn.values(), drawn.keys(), loc="outside lower center", ncols=3)
    return figure


#: Where in its cell each column is drawn; the bounds' whiskers are on either side, because in some cells they overlap.
_ASIDE = {"lower": -0.3, "cp": -0.12, "biased": 0.12, "upper": 0.3}
_MARKS = {"cp": ("^", COLOURS["green"], "CP"), "biased": ("s", COLOURS["orange"], "Biased")}


def _bounds_panel(axes: Axes, columns: Mapping[str, FloatArray], effect: FloatArray) -> None:
    """Draw bounds, estimates and the exact effect cell by cell."""
    x = np.arange(ROW_COUNT)
    bounds = (columns["lower"], columns["upper"] - columns["lower"])
    axes.bar(x, bounds[1], bottom=bounds[0], width=0.7, color=COLOURS["grey"], alpha=0.35, label="BCE bounds")
    for column, (marker, colour, label) in _MARKS.items():
        axes.plot(x + _ASIDE[column], columns[column], marker, color=colour, markersize=5, label=label)
    axes.hlines(effect, x - 0.4, x + 0.4, color=COLOURS["black"], linewidth=1.8, label="exact effect of Table 2")
    axes.set(ylim=(0, 1), ylabel="expected reward")


def figure4(results: Results) -> Figure:
    """Draw Fig. 4: cumulative regret of LinUCB with and without offline data, with 95 % bands.

    The data enter as prior bounds or as biased warm starts.
    """
    figure, ((axes,),) = canvas(height=3.6, width=6)
    ends = []
    for label, look in FIGURE_4.items():
        curve = results.curve("linear", **look.settings)
        draw_curve(axes, curve, label=label, color=look.colour)
        ends.append((label, float(curve["mean"].iloc[-1]), look.colour))
    axes.set(xlabel="rounds", ylabel="cumulative regret", xlim=(0, results.horizon("linear")), ylim=(0, None))
    thousands(axes.xaxis)
    name_ends(axes, ends)
    return figure


def pairs(results: Results) -> Figure:
    """Draw the regret of OAM and UCB (Appendices D and F) without and with causal bounds, with 95 % bands."""
    figure, (panels,) = canvas(1, 3, height=3.8)
    shown: list[tuple[str, dict[str, Any]]] = [
        ("oam", {"epsilon": 1}),
        ("oam", {"epsilon": 0.01}),
        ("non_contextual", {}),
    ]
    titles = ("OAM, contextual", r"OAM, $\epsilon_t$ times 0.01", "UCB, without context")
    for axes, (experiment, settings), title in zip(panels, shown, titles, strict=True):
        for label, (policy, colour, line) in PAIRS[experiment].items():
            curve = results.curve(experiment, **policy, **settings)
            draw_curve(axes, curve, label=label, color=colour, linestyle=line)
        rounds = results.horizon(experiment)
        axes.set(xlabel="rounds", xlim=(0, rounds), ylim=(0, None), title=title)
        plain(axes.xaxis, (0, rounds / 2, rounds))
        thousands(axes.yaxis)
    panels[0].set_ylabel("cumulative regret")
    figure.legend(handles=[*panels[0].get_lines(), *panels[2].get_lines()], loc="outside lower center", ncols=3)
    return figure


def levels(results: Results) -> Figure:
    """Draw regret (a) and coverage of the exact effect (b) against levels of bias.

    In further settings, the size of the offline sample varies.
    """
    figure, panels = canvas(2, 1, height=6.6, sharex=True)
    above, below = panels[:, 0]
    played = levels_played(results)
    effect = rows_of_pairs(PROBLEMS["synthetic"]().means)
    frames = {experiment: by_row(results.files[table]) for experiment, table in BOUNDS_AT_LEVELS.items()}
    xs = np.arange(len(played))
    for shift, (label, look) in zip((-0.24, -0.08, 0.08, 0.24), FIGURE_4.items(), strict=True):
        finals = [results.final(experiment, **level, **look.settings) for experiment, level in played]
        halves = half_width(np.array([f.std() for f in finals]), np.array([len(f) for f in finals]))
        means = [f.mean() for f in finals]
        above.errorbar(xs + shift, means, halves, fmt="o", ms=4, color=look.colour, capsize=2, label=label)
    for bounds, aside, colour, marker, label in (
        ("", -0.16, COLOURS["black"], "o", "as estimated"),
        ("confident_", 0.16, COLOURS["purple"], "s", "valid for a sample"),
    ):
        counts = [covered_rows(at_level(frames[e], level), effect, bounds) for e, level in played]
        everywhere = [100 * (c == ROW_COUNT).mean() for c in counts]
        cells = [100 * c.mean() / ROW_COUNT for c in counts]
        below.plot(
            xs + aside - 0.08, everywhere, marker, color=colour, ms=5, label=f"{label}: all {ROW_COUNT} cells at once"
        )
        below.plot(xs + aside + 0.08, cells, marker, color=colour, ms=5, mfc="white", label=f"{label}: of the cells")
    below.axhline(95, color=COLOURS["grey"], linewidth=0.8, linestyle="--")
    below.set_xticks(xs, [_level_name(level) for _, level in played])
    below.set_xlabel("confounding above, selection below; or draws, with confounding 1 and selection 1")
    above.set(ylabel=f"regret after {results.horizon('levels'):,} rounds", ylim=(0, None))
    below.set(ylabel="samples or cells whose bounds\ncontain the exact effect, %", ylim=(-3, 105))
    above.set_title("(a) regret; published: confounding 1, selection 1, 30,000 draws", pad=26)
    below.set_title("(b) coverage of the exact effect by bounds", pad=42)
    for axes, columns in ((above, 4), (below, 2)):
        axes.legend(ncols=columns, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def _level_name(level: Mapping[str, Any]) -> str:
    if "offline_draws" in level:
        return f"{level['offline_draws']:,}\ndraws"
    return f"{level['confounding']:g}\n{level['selection']:g}"


def alpha(results: Results) -> Figure:
    """Draw final regret against alpha, the unpublished width of LinUCB's intervals (ledger L55)."""
    figure, ((axes,),) = canvas(height=3.6, width=6)
    ends = []
    for aside, (label, (settings, colour, _)) in zip((0.94, 0.98, 1.02, 1.06), FIGURE_4.items(), strict=True):
        points = {
            float(str(results.settings(experiment, policy)["alpha"])): results.final(
                experiment, by="draw", policy=policy
            )
            for experiment in ("linear", "alpha", "half_alpha")  # the last one plays two of the policies on more seeds
            for policy in results.policies(experiment, **settings)
        }
        xs = sorted(points)
        means = [points[x].mean() for x in xs]
        halves = half_width(np.array([points[x].std() for x in xs]), np.array([len(points[x]) for x in xs]))
        # Shifted sideways so that equal regrets stay visible.
        beside = aside * np.array(xs)
        axes.errorbar(beside, means, yerr=halves, color=colour, marker="o", ms=4, capsize=2, label=label)
        ends.append((label, float(means[-1]), colour))
    axes.set_xscale("log")
    plain(axes.xaxis, xs)
    axes.set(xlabel=r"$\alpha$", ylabel=f"regret after {results.horizon('linear'):,} rounds", ylim=(0, None))
    name_ends(axes, ends)
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "fig1": figure1,
    "fig2": figure2,
    "fig3": figure3,
    "fig4": figure4,
    "pairs": pairs,
    "alpha": alpha,
    "levels": levels,
}
