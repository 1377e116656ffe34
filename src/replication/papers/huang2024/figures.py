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
from experiments.drawing.plotting import COLOURS, UNREAD, canvas, draw_curve, ink, name_ends, plain, thousands
from experiments.results import Results
from replication.judging.judges.intervals import ratio_interval
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
    figure, ((axes,),) = canvas(height=3.6)
    boxes = {
        "offline data\nkept where $S=1$": (0, 1.2),
        "causal graph\nwith $S$": (0, 0),
        "BCE (Alg. 1)\nRC*, substitutes": (2.2, 0.6),
        "prior causal bounds\n$[L_{a,c},\\ U_{a,c}]$": (2.2, -0.6),
        "LinUCB-PCB (Alg. 4)\n$\\min\\{UCB_a,\\ U_{a,c}\\}$": (4.4, -0.6),
        "user $c_t$": (4.4, 0.6),
        "arm $a_t$, reward $r_t$": (4.4, -1.8),
    }
    names = list(boxes)
    for name, (x, y) in boxes.items():
        style = "round,pad=0.02,rounding_size=0.08"
        colour = COLOURS["sky"] if x < 4 else COLOURS["orange"]
        box = FancyBboxPatch((x - 0.9, y - 0.3), 1.8, 0.6, boxstyle=style, facecolor=colour, alpha=0.3, edgecolor="k")
        axes.add_patch(box)
        axes.annotate(name, (x, y), ha="center", va="center")
    for start, end, aside in ((0, 2, 0), (1, 2, 0), (2, 3, 0), (3, 4, 0), (5, 4, 0), (4, 6, -0.3), (6, 4, 0.3)):
        a, b = np.array(boxes[names[start]]), np.array(boxes[names[end]])
        shift, drop = (0.93, 0.0) if a[0] < b[0] else (0.0, 0.33 * np.sign(b[1] - a[1]))
        ends = (a[0] + shift + aside, a[1] + drop), (b[0] - shift + aside, b[1] - drop)
        axes.add_patch(FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=10, color="k"))
    axes.annotate("offline evaluation", (1.1, 1.8), ha="center", va="center", fontsize=10)
    axes.annotate("online bandit", (4.4, 1.3), ha="center", va="center", fontsize=10)
    axes.set(xlim=(-1, 5.4), ylim=(-2.2, 2.1))
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
    for node, (role, colour, side) in _ROLES.items():
        x, y = POSITIONS[node]
        aside = -0.34 if side == "right" else 0.34
        axes.annotate(role, (x + aside, y), ha=side, va="center", color=ink(COLOURS[colour]))
    axes.set_xlim(-2.6, 4.3)
    return figure


#: What the nodes of Fig. 2 are, their colours, and the side of a word that touches its node.
_ROLES = {
    "U1": ("user feature", "green", "right"),
    "U2": ("user feature", "green", "left"),
    "X1": ("item feature", "blue", "right"),
    "X2": ("item feature", "blue", "left"),
    "S": ("selection", "black", "right"),
    "Y": ("reward", "red", "left"),
    "C1": ("hidden confounder", "black", "left"),
}


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
    reach = high["upper"] - low["lower"]
    upper.bar(cells, reach, bottom=low["lower"], width=0.7, color=COLOURS["grey"], alpha=0.2, label="95 % of samples")
    for column, (_, colour, _) in _MARKS.items():
        around = [mean[column] - low[column], high[column] - mean[column]]
        upper.errorbar(cells + _ASIDE[column], mean[column], around, fmt="none", color=colour, linewidth=0.9)
    _bounds_panel(upper, {c: mean[c].to_numpy() for c in ESTIMATED}, truth)
    upper.set_title(f"(a) replicated: mean of {int(frame.size().iloc[0]):,} offline samples")
    _bounds_panel(lower, {column: published_column(results, label) for column, label in ESTIMATED.items()}, truth)
    printed = published_column(results, "Truth")
    lower.hlines(printed, cells - 0.4, cells + 0.4, color=COLOURS["purple"], linewidth=1.8, label="truth as printed")
    lower.set_title("(b) as published (Table 1)")
    lower.set_xticks(cells, [row_name(row).replace("|", "\n") for row in range(ROW_COUNT)])
    lower.set_xlabel("$x_1x_2$ (arm) above, $u_1u_2$ (user) below")
    drawn = {
        text: handle for axes in (lower, upper) for handle, text in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(drawn.values(), drawn.keys(), loc="outside lower center", ncols=3)
    return figure


def figure_table1(results: Results) -> Figure:
    """Draw Table 1, a line per row of it: printed values hollow, the means of our offline samples filled."""
    figure, ((axes,),) = canvas(height=6.6)
    mean = by_row(results.files["bounds_contextual"]).groupby("row").mean()
    truth = rows_of_pairs(PROBLEMS["synthetic"]().means)
    ours = {label: mean[column].to_numpy() for column, label in ESTIMATED.items()} | {"Truth": truth}
    rows = np.arange(ROW_COUNT)
    for values, aside, filled in ((ours, -0.17, True), (None, 0.17, False)):
        shown = values or {label: published_column(results, label) for label in ours}
        look: dict[str, Any] = {
            "color": COLOURS["grey"],
            "linewidth": 4 if filled else 1,
            "alpha": 0.45 if filled else 1,
        }
        axes.hlines(rows + aside, shown["BCE lb"], shown["BCE ub"], label="BCE bounds" if filled else None, **look)
        for column, (marker, colour) in _TABLE_1.items():
            at: dict[str, Any] = {"linestyle": "", "markersize": 6, "color": colour, "markeredgewidth": 1.3}
            face = colour if filled else "white"
            label = column if filled else None
            axes.plot(shown[column], rows + aside, marker=marker, markerfacecolor=face, label=label, **at)
    axes.plot([], [], "o", color=COLOURS["black"], label="filled, thick: ours")
    axes.plot([], [], "o", color=COLOURS["black"], markerfacecolor="white", label="hollow, thin: printed")
    axes.set_yticks(rows, [row_name(row) for row in range(ROW_COUNT)])
    axes.set(xlabel="expected reward", ylabel="$x_1x_2|u_1u_2$ (arm, user)", ylim=(ROW_COUNT - 0.4, -0.6))
    figure.legend(handles=axes.get_legend_handles_labels()[0], loc="outside upper center", ncols=3)
    return figure


#: The marker and the colour of the columns of Table 1 between the bounds.
_TABLE_1 = {
    "CP": ("^", COLOURS["green"]),
    "Biased": ("s", COLOURS["orange"]),
    "Truth": ("D", COLOURS["black"]),
}


#: Where in its cell each estimate is drawn.
_ASIDE = {"cp": -0.15, "biased": 0.15}
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
    figure, ((axes,),) = canvas(height=3.6)
    ends = []
    for label, look in FIGURE_4.items():
        curve = results.curve("linear", **look.settings)
        draw_curve(axes, curve, label=label, color=look.colour)
        ends.append((label, float(curve["mean"].iloc[-1]), look.colour))
    axes.set(
        xlabel="rounds", ylabel="cumulative regret", xlim=(0, results.horizon("linear")), ylim=(0, None), title=UNREAD
    )
    plain(axes.xaxis, np.linspace(0, results.horizon("linear"), 4))
    name_ends(axes, ends)
    return figure


def pairs(results: Results) -> Figure:
    """Draw the regret of OAM and UCB (Appendices D and F) without and with causal bounds, with 95 % bands."""
    figure, panels = canvas(3, 1, height=6.6)
    shown: list[tuple[str, dict[str, Any]]] = [
        ("oam", {"epsilon": 1}),
        ("oam", {"epsilon": 0.01}),
        ("non_contextual", {}),
    ]
    titles = ("OAM, contextual", r"OAM, $\epsilon_t$ times 0.01", "UCB, without context")
    named: list[list[tuple[str, float, str]]] = []
    for axes, (experiment, settings), title in zip(panels[:, 0], shown, titles, strict=True):
        named.append([])
        for label, (policy, colour, line) in PAIRS[experiment].items():
            curve = results.curve(experiment, **policy, **settings)
            draw_curve(axes, curve, label=label, color=colour, linestyle=line)
            named[-1].append((label, float(curve["mean"].iloc[-1]), colour))
        rounds = results.horizon(experiment)
        axes.set(xlim=(0, rounds), ylim=(0, None), title=title, ylabel="cumulative regret")
        plain(axes.xaxis, (0, rounds / 2, rounds))
        thousands(axes.yaxis)
    panels[-1, 0].set_xlabel("rounds")
    for axes, ends in zip(panels[:, 0], named, strict=True):
        name_ends(axes, ends)
    return figure


def levels(results: Results) -> Figure:
    """Draw regret, as a share of LinUCB's on the same seeds, and coverage of the exact effect: a row per level of bias.

    LinUCB does not use the offline data, so its own regret differs between rows by chance only. Further rows vary the
    size of the offline sample.
    """
    figure, ((left, right),) = canvas(1, 2, height=5.4, width_ratios=(1.7, 1), sharey=True)
    played = levels_played(results)
    effect = rows_of_pairs(PROBLEMS["synthetic"]().means)
    frames = {experiment: by_row(results.files[table]) for experiment, table in BOUNDS_AT_LEVELS.items()}
    ys = np.arange(len(played))
    base, *others = FIGURE_4.items()
    bases = [results.final(e, **level, **base[1].settings).to_numpy() for e, level in played]
    for aside, (label, look) in zip((-0.2, 0, 0.2), others, strict=True):
        finals = [results.final(experiment, **level, **look.settings).to_numpy() for experiment, level in played]
        found = [ratio_interval(own, other) for own, other in zip(finals, bases, strict=True)]
        around = [[r.value - r.low for r in found], [r.high - r.value for r in found]]
        left.errorbar([r.value for r in found], ys + aside, xerr=around, fmt="o", ms=4, color=look.colour, capsize=2,
                      label=label)  # fmt: skip
    left.axvline(1, color=base[1].colour, linewidth=1, label=base[0])
    counts = [covered_rows(at_level(frames[e], level), effect) for e, level in played]
    black = COLOURS["black"]
    right.plot([100 * (c == ROW_COUNT).mean() for c in counts], ys, "o", color=black, ms=5, label="all 16 cells")
    right.plot([100 * c.mean() / ROW_COUNT for c in counts], ys, "o", color=black, ms=5, mfc="white", label="a cell")
    left.set_yticks(ys, [_level_name(level) for _, level in played])
    left.set(ylim=(len(played) - 0.5, -0.5), xlim=(0, None), xlabel="regret / regret of LinUCB")
    left.set_ylabel("confounding, selection; or draws")
    right.set(xlim=(-3, 103), xlabel="samples whose\nbounds contain the\nexact effect, %")
    for axes in (left, right):
        axes.legend(ncols=2 if axes is left else 1, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def _level_name(level: Mapping[str, Any]) -> str:
    if "offline_draws" in level:
        return f"{level['offline_draws']:,} draws"
    return f"{level['confounding']:g}, {level['selection']:g}"


def alpha(results: Results) -> Figure:
    """Draw final regret against alpha, the unpublished width of LinUCB's intervals (ledger L55)."""
    figure, ((axes,),) = canvas(height=3.6)
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
    "table1": figure_table1,
    "pairs": pairs,
    "alpha": alpha,
    "levels": levels,
}
