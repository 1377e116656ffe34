"""Draw Figures 1 to 4 of huang2024, and the comparisons that its appendix states without a figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from causal_bandits.arrays import FloatArray
from causal_bandits.problems.huang2024 import CONTEXT, GRAPH, MANIPULABLE, PROBLEMS
from experiments.aggregate import half_width
from experiments.drawing.diagrams import draw_diagram
from experiments.drawing.plotting import COLOURS, draw_curve
from experiments.results import Results
from replication.papers.huang2024.labels import POLICIES
from replication.papers.huang2024.samples import (
    BOUNDS_AT_LEVELS,
    at_level,
    by_row,
    covered_rows,
    levels_played,
    published_column,
)
from replication.papers.huang2024.table1 import ESTIMATED, ROW_COUNT, row_name, rows_of_pairs

POLICY_COLOURS = {
    "LinUCB": COLOURS["blue"],
    "LinUCB-PCB": COLOURS["red"],
    "LinUCB_Biased": COLOURS["orange"],
    "LinUCB_CP": COLOURS["green"],
}
#: Pairs of the appendix, without and with prior causal bounds: experiment to what a policy is called, what selects it,
#: its colour and line.
PAIRS: dict[str, dict[str, tuple[dict[str, Any], str, str]]] = {
    "oam": {
        "OAM": ({"algorithm": "oam"}, COLOURS["blue"], "-"),
        "OAM-PCB as printed": ({"algorithm": "oam_pcb", "bounds_enter": "choices"}, COLOURS["orange"], ":"),
        "OAM-PCB, arms left out": ({"algorithm": "oam_pcb", "bounds_enter": "arms"}, COLOURS["red"], "-"),
    },
    "non_contextual": {
        "UCB": ({"algorithm": "ucb"}, COLOURS["blue"], "-"),
        "UCB-PCB": ({"algorithm": "ucb_pcb"}, COLOURS["red"], "-"),
    },
}
#: What figures call a policy, what selects it, its colour and line.
LOOKS = {
    **{name: (settings, POLICY_COLOURS[name], "-") for name, settings in POLICIES.items()},
    **{name: look for pair in PAIRS.values() for name, look in pair.items()},
}
POSITIONS = {
    "U1": (0, 2),
    "X1": (0, 1),
    "I1": (0, 0),
    "S": (-1.2, 0),
    "U2": (2.6, 2),
    "X2": (2.6, 1),
    "Y": (1.6, 0),
}


def figure1(results: Results) -> Figure:
    """Draw Fig. 1: the framework, as this study runs it."""
    figure, axes = plt.subplots(figsize=(9, 2.6))
    boxes = {
        "offline data\nkept where $S=1$": (0, 1),
        "causal graph\nwith $S$": (0, 0),
        "BCE (Alg. 1)\nRC*, substitutes": (2.2, 0.5),
        "prior causal bounds\n$[L_{a,c},\\ U_{a,c}]$": (4.4, 0.5),
        "LinUCB-PCB (Alg. 4)\n$\\min\\{UCB_a,\\ U_{a,c}\\}$": (6.8, 0.5),
        "user $c_t$": (6.8, 1.5),
        "arm $a_t$, reward $r_t$": (9.0, 0.5),
    }
    names = list(boxes)
    for name, (x, y) in boxes.items():
        style = "round,pad=0.02,rounding_size=0.08"
        colour = COLOURS["sky"] if x < 5 else COLOURS["orange"]
        box = FancyBboxPatch((x - 0.85, y - 0.3), 1.7, 0.6, boxstyle=style, facecolor=colour, alpha=0.3, edgecolor="k")
        axes.add_patch(box)
        axes.annotate(name, (x, y), ha="center", va="center", fontsize=7.5)
    for start, end, bend in ((0, 2, 0), (1, 2, 0), (2, 3, 0), (3, 4, 0), (5, 4, 0), (4, 6, 0), (6, 4, -0.5)):
        a, b = np.array(boxes[names[start]]), np.array(boxes[names[end]])
        shift = np.sign(b[0] - a[0]) * 0.88
        if bend:
            a, b = a - (0, 0.32), b - (0, 0.32)
            shift = 0
        drop = 0.32 if a[0] == b[0] else 0.0
        axes.add_patch(
            FancyArrowPatch(
                (a[0] + shift, a[1] - drop),
                (b[0] - shift, b[1] + drop),
                arrowstyle="-|>",
                mutation_scale=10,
                connectionstyle=f"arc3,rad={bend}",
                color="k",
            )
        )
    axes.annotate("offline evaluation", (2.2, 1.75), ha="center", fontsize=10)
    axes.annotate("online bandit", (9.0, 1.75), ha="center", fontsize=10)
    axes.set(xlim=(-1, 10), ylim=(-0.75, 2))
    axes.set_axis_off()
    return figure


def figure2(results: Results) -> Figure:
    """Draw Fig. 2: the causal graph that is simulated. C1 is hidden, hence the bidirected edge."""
    figure, axes = plt.subplots(figsize=(4.6, 3))
    colours = dict.fromkeys(MANIPULABLE, COLOURS["blue"]) | dict.fromkeys(CONTEXT, COLOURS["green"])
    draw_diagram(
        axes,
        GRAPH,
        POSITIONS,
        node_colours=colours | {"Y": COLOURS["red"]},
        shaded=["S"],
        bends={frozenset({"I1", "Y"}): -0.45},
        title="user features green, item features blue; $C_1$ confounds $I_1$ and $Y$",
    )
    return figure


def figure3(results: Results) -> Figure:
    """Draw Fig. 3: bounds and biased estimates per row.

    They are (a) replicated, with the exact truth, and (b) as published.
    """
    figure, panels = plt.subplots(1, 2, figsize=(12, 3.8), sharey=True)
    frame = by_row(results.files["bounds_contextual"]).groupby("row")
    mean, low, high = frame.mean(), frame.quantile(0.025), frame.quantile(0.975)
    truth = rows_of_pairs(PROBLEMS["synthetic"]().means)
    _bounds_panel(panels[0], {c: mean[c].to_numpy() for c in ESTIMATED}, truth)
    for column in ("cp", "biased", "lower", "upper"):
        x = np.arange(ROW_COUNT) + {"cp": -0.15, "biased": 0.15}.get(column, 0.32)
        colour = _MARKS[column][1] if column in _MARKS else COLOURS["grey"]
        panels[0].vlines(x, low[column], high[column], color=colour, linewidth=0.8)
    panels[0].set_title(
        f"(a) replicated: mean of {int(frame.size().iloc[0])} offline samples, lines: 95 % of samples; truth exact"
    )
    printed = {column: published_column(results, label) for column, label in ESTIMATED.items()}
    _bounds_panel(panels[1], printed, published_column(results, "Truth"))
    cells = np.arange(ROW_COUNT)
    panels[1].hlines(truth, cells - 0.4, cells + 0.4, color="black", linestyle=":", label="exact effect of Table 2")
    panels[1].legend(loc="upper left", fontsize=8)
    panels[1].set_title("(b) as published (Table 1); its truth is no causal effect, see table `truth`")
    panels[0].set_ylabel("expected reward")
    figure.tight_layout()
    return figure


_MARKS = {"cp": ("^", COLOURS["blue"], "CP"), "biased": ("s", COLOURS["orange"], "Biased")}


def _bounds_panel(axes: Axes, columns: Mapping[str, FloatArray], truth: FloatArray) -> None:
    x = np.arange(ROW_COUNT)
    bounds = (columns["lower"], columns["upper"] - columns["lower"])
    axes.bar(x, bounds[1], bottom=bounds[0], width=0.7, color=COLOURS["grey"], alpha=0.35, label="BCE bounds")
    for column, (marker, colour, label) in _MARKS.items():
        shift = {"cp": -0.15, "biased": 0.15}[column]
        axes.plot(x + shift, columns[column], marker, color=colour, markersize=4, label=label)
    axes.hlines(truth, x - 0.4, x + 0.4, color=COLOURS["red"], linewidth=1.8, label="truth")
    axes.set_xticks(x, [row_name(row) for row in range(ROW_COUNT)], rotation=60, fontsize=7)
    axes.set(xlabel="$x_1x_2|u_1u_2$", ylim=(0, 1))


def figure4(results: Results) -> Figure:
    """Draw Fig. 4: cumulative regret of LinUCB with and without offline data, 95 % bands.

    The data give prior bounds or biased warm starts.
    """
    figure, axes = plt.subplots(figsize=(5, 3.4))
    for label, settings in POLICIES.items():
        draw_curve(axes, results.curve("linear", **settings), label=label, color=POLICY_COLOURS[label])
    axes.set(xlabel="rounds", ylabel="cumulative regret", xlim=(0, results.horizon("linear")), ylim=(0, None))
    axes.legend()
    return figure


def pairs(results: Results) -> Figure:
    """Draw the regret of OAM and UCB (Appendix D and F), each without and with causal bounds, 95 % bands."""
    figure, panels = plt.subplots(1, len(PAIRS) + 1, figsize=(12, 3.3))
    shown: list[tuple[str, dict[str, Any]]] = [
        ("oam", {"epsilon": 1}),
        ("oam", {"epsilon": 0.01}),
        ("non_contextual", {}),
    ]
    titles = ("OAM, contextual", r"OAM, contextual, $\epsilon_t$ times 0.01", "UCB, without context")
    for axes, (experiment, settings), title in zip(panels, shown, titles, strict=True):
        for label, (policy, colour, line) in PAIRS[experiment].items():
            curve = results.curve(experiment, **policy, **settings)
            draw_curve(axes, curve, label=label, color=colour, linestyle=line, linewidth=2.5 if line == ":" else 1.5)
        rounds = results.horizon(experiment)
        axes.set(xlabel="rounds", xlim=(0, rounds), xticks=(0, rounds // 2, rounds), ylim=(0, None), title=title)
        axes.legend()
    panels[0].set_ylabel("cumulative regret")
    figure.tight_layout()
    return figure


def levels(results: Results) -> Figure:
    """Draw regret (a) and coverage of the exact effect (b) over levels of bias.

    Sizes of the offline sample are varied too.
    """
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 6), sharex=True)
    played = levels_played(results)
    effect = rows_of_pairs(PROBLEMS["synthetic"]().means)
    frames = {experiment: by_row(results.files[table]) for experiment, table in BOUNDS_AT_LEVELS.items()}
    xs = np.arange(len(played))
    for shift, (label, policy) in zip((-0.24, -0.08, 0.08, 0.24), POLICIES.items(), strict=True):
        finals = [results.final(experiment, **level, **policy) for experiment, level in played]
        halves = half_width(np.array([f.std() for f in finals]), np.array([len(f) for f in finals]))
        means = [f.mean() for f in finals]
        above.errorbar(xs + shift, means, halves, fmt="o", color=POLICY_COLOURS[label], capsize=2, label=label)
    counts = {
        bounds: [covered_rows(at_level(frames[e], level), effect, bounds) for e, level in played]
        for bounds in ("", "confident_")
    }
    for bounds, colour, label in (
        ("", COLOURS["blue"], "bounds as estimated"),
        ("confident_", COLOURS["green"], "bounds valid for a sample"),
    ):
        everywhere = [100 * (c == ROW_COUNT).mean() for c in counts[bounds]]
        cells = [100 * c.mean() / ROW_COUNT for c in counts[bounds]]
        below.plot(xs, everywhere, "o", color=colour, label=f"{label}: all {ROW_COUNT} cells at once")
        below.plot(xs, cells, "_", color=colour, markersize=14, label=f"{label}: of the cells")
    below.axhline(95, color=COLOURS["grey"], linewidth=0.8, linestyle="--")
    below.set_xticks(xs, [_level_name(level) for _, level in played], fontsize=7)
    above.set(ylabel=f"regret after {results.horizon('levels')} rounds", ylim=(0, None))
    below.set(ylabel="samples or cells that contain\nthe exact effect, %", ylim=(0, 105))
    above.set_title("(a) regret, 95 % intervals; published: confounding 1, selection 1, 30,000 draws")
    below.set_title("(b) coverage of the exact effect")
    for axes in (above, below):
        axes.legend(fontsize=7, ncol=2)
    figure.tight_layout()
    return figure


def _level_name(level: Mapping[str, Any]) -> str:
    if "offline_draws" in level:
        return f"{level['offline_draws']:,}\ndraws"
    return f"conf. {level['confounding']:g}\nsel. {level['selection']:g}"


def alpha(results: Results) -> Figure:
    """Draw final regret over alpha, the unpublished width of LinUCB's intervals (ledger L55)."""
    figure, axes = plt.subplots(figsize=(5, 3.4))
    for label, settings in POLICIES.items():
        points = {
            float(str(results.settings(experiment, policy)["alpha"])): results.final(experiment, policy=policy)
            for experiment in ("linear", "alpha")
            for policy in results.policies(experiment, **settings)
        }
        xs = sorted(points)
        means = [points[x].mean() for x in xs]
        halves = half_width(np.array([points[x].std() for x in xs]), np.array([len(points[x]) for x in xs]))
        axes.errorbar(xs, means, yerr=halves, color=POLICY_COLOURS[label], marker="o", capsize=2, label=label)
    axes.set_xscale("log", base=2)
    axes.set(xlabel=r"$\alpha$", ylabel=f"regret after {results.horizon('linear')} rounds", ylim=(0, None))
    axes.legend()
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
