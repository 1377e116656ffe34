"""Figures 1 to 5 of lee2019."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from causal_bandits.diagrams import DrawnEdge, Positions, draw_diagram
from causal_bandits.evaluation.results import Results
from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import interventional_border, muct
from causal_bandits.papers.lee2019.labels import HORIZON, SOLVERS, STRATEGIES, TASKS, table1_claim
from causal_bandits.papers.lee2019.problems import GRAPHS, NON_MANIPULABLE
from causal_bandits.plotting import COLOURS, draw_curve

POSITIONS: dict[str, Positions] = {
    "frontdoor": {"X": (0, 0), "Z": (1, 0), "Y": (2, 0)},
    "fourvar": {"A": (0, 1), "B": (0, 0), "C": (1, 0), "Y": (2, 0.5)},
    "sixvar": {"A": (0, 1), "B": (0, 0), "C": (1, 0), "E": (1.5, 1), "D": (2, 0), "Y": (3, 0.5)},
}
BENDS: dict[str, dict[DrawnEdge, float]] = {
    "frontdoor": {frozenset("XY"): 0.45},
    "fourvar": {frozenset("AB"): -0.45, frozenset("BY"): -0.55},
    "sixvar": {frozenset("AY"): 0.5, frozenset("BY"): -0.5},
}
#: Fig. 4: bends of the projections without A, B and C, where directed and bidirected edges join the same nodes.
PROJECTION_BENDS: dict[str, dict[DrawnEdge, float]] = {
    "A": {frozenset("BC"): 0.6, frozenset("CY"): 0.6, frozenset("BY"): -0.6},
    "B": {frozenset("AC"): -0.5, frozenset("AY"): 0.5, frozenset("CY"): -0.6},
    "C": {frozenset("AB"): -0.45, frozenset("BY"): -0.4},
}

#: Fig. 3's edges are not in the text: a graph whose projection onto {X, Y, Z} is the front-door graph (ledger L07).
FIGURE_3 = ADMG(directed=[("X", "S"), ("S", "Z"), ("Z", "T"), ("T", "Y"), ("R", "X"), ("R", "Y")])

STRATEGY_COLOURS = {
    "pomis_plus": COLOURS["red"],
    "pomis": COLOURS["blue"],
    "mis": COLOURS["green"],
    "bf": COLOURS["orange"],
}
#: Strategies with the same arms, whose curves are one.
COINCIDING = {"frontdoor": "BF = MIS = POMIS", "fourvar": "MIS = POMIS", "sixvar": ""}
SOLVER_LINES = {"ts": "-", "kl_ucb": (0, (4, 2))}


def figure1(results: Results) -> Figure:
    """Fig. 1: the front-door graph."""
    figure, axes = plt.subplots(figsize=(3, 1.6))
    draw_diagram(axes, GRAPHS["frontdoor"], POSITIONS["frontdoor"], bends=BENDS["frontdoor"])
    return figure


def figure2(results: Results) -> Figure:
    """Fig. 2: territory (MUCT, red) and interventional border (IB, blue) of Fig. 2a under four interventions."""
    figure, panels = plt.subplots(1, 4, figsize=(10.5, 2.2))
    for axes, letter, intervention in zip(panels, "abcd", ("", "A", "B", "AC"), strict=True):
        graph = GRAPHS["fourvar"].do(set(intervention))
        territory, border = muct(graph, "Y"), interventional_border(graph, "Y")
        colours = dict.fromkeys(territory, COLOURS["red"]) | dict.fromkeys(border, COLOURS["blue"])
        name = r"$\mathcal{G}$" if not intervention else r"$\mathcal{G}_{\overline{" + intervention + "}}$"
        shown = "\\{" + ",".join(intervention) + "\\}" if intervention else r"\emptyset"
        draw_diagram(
            axes,
            graph,
            POSITIONS["fourvar"],
            node_colours=colours,
            bends=BENDS["fourvar"],
            title=f"({letter}) {name}: ${shown}$ is {'a' if border == set(intervention) else 'no'} POMIS",
        )
    figure.legend(
        handles=[
            Line2D([], [], marker="o", ls="", mfc="white", mec=COLOURS["red"], mew=2, label="MUCT"),
            Line2D([], [], marker="o", ls="", mfc="white", mec=COLOURS["blue"], mew=2, label="IB"),
        ],
        loc="lower center",
        ncols=2,
        bbox_to_anchor=(0.5, -0.04),
    )
    return figure


def figure3(results: Results) -> Figure:
    """Fig. 3: a larger graph (shaded nodes marginalised) and its computed projection, the front-door graph."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 2.2), width_ratios=(5, 3))
    positions = {"X": (0, 0), "S": (1, 0), "Z": (2, 0), "T": (3, 0), "Y": (4, 0), "R": (2, 1)}
    draw_diagram(left, FIGURE_3, positions, shaded="RST", title="a graph over more variables")
    projected = FIGURE_3.latent_projection(set("XYZ"))
    draw_diagram(right, projected, POSITIONS["frontdoor"], bends=BENDS["frontdoor"], title="projected onto $X, Y, Z$")
    return figure


def figure4(results: Results) -> Figure:
    """Fig. 4: Fig. 2a with A, B or C marginalised out, computed; edges that the projection adds are red."""
    figure, panels = plt.subplots(1, 3, figsize=(8.5, 2.2))
    graph = GRAPHS["fourvar"]
    for axes, letter, removed in zip(panels, "abc", "ABC", strict=True):
        projected = graph.latent_projection(set(graph) - {removed})
        added: set[DrawnEdge] = set(projected.directed - graph.directed)
        added |= {frozenset(edge) for edge in projected.bidirected - graph.bidirected}
        draw_diagram(
            axes,
            projected,
            POSITIONS["fourvar"],
            edge_colours=dict.fromkeys(added, COLOURS["red"]),
            bends=PROJECTION_BENDS[removed],
            title=f"({letter}) without ${removed}$",
        )
    return figure


def figure5(results: Results) -> Figure:
    """Fig. 5: mean cumulative regret with 95 % bands; crosses mark the published end points; (d) the graph of (c)."""
    figure, panels = plt.subplots(1, 4, figsize=(13, 3.2), width_ratios=(3, 3, 3, 2.6))
    drawn: set[str] = set()
    for axes, (task, label) in zip(panels, TASKS.items(), strict=False):
        drawn |= _regret_panel(axes, results, task)
        if COINCIDING[task]:
            axes.annotate(COINCIDING[task], (0.03, 0.97), xycoords="axes fraction", va="top", fontsize=8)
        axes.set_title(f"({label[-1]}) {task}, $N=\\{{{','.join(sorted(NON_MANIPULABLE[task]))}\\}}$")
    panels[0].set_ylabel("cumulative regret")
    draw_diagram(
        panels[3],
        GRAPHS["sixvar"],
        POSITIONS["sixvar"],
        bends=BENDS["sixvar"],
        dotted=NON_MANIPULABLE["sixvar"],
        title="(d) sixvar, dotted: not manipulable",
    )
    handles: list[Any] = [
        Line2D([], [], color=STRATEGY_COLOURS[s], label=name) for s, name in STRATEGIES.items() if s in drawn
    ]
    handles += [Line2D([], [], color="black", ls=SOLVER_LINES[s], label=name) for s, name in SOLVERS.items()]
    handles.append(Line2D([], [], color="black", marker="x", ls="", label="published"))
    figure.legend(handles=handles, loc="lower center", ncols=len(handles), bbox_to_anchor=(0.5, -0.08))
    figure.tight_layout()
    return figure


def _regret_panel(axes: Axes, results: Results, task: str) -> set[str]:
    """Draw one task's curves; returns the strategies drawn."""
    played = set(results.curves[task]["policy"])
    drawn = set()
    for solver, line in SOLVER_LINES.items():
        for strategy, colour in reversed(STRATEGY_COLOURS.items()):
            policy = f"{solver}_{strategy}"
            if policy in played:
                drawn.add(strategy)
                draw_curve(axes, results.curve(task, policy=policy), color=colour, linestyle=line)
            published = results.value(table1_claim(task, solver, strategy))
            if results.horizon(task) == HORIZON:
                axes.plot(HORIZON, published, marker="x", color=colour, markersize=6, clip_on=False, zorder=4)
    axes.set_xlabel("trials")
    axes.set_xlim(0, results.horizon(task))
    axes.set_ylim(bottom=0)
    return drawn


def averaging(results: Results) -> Figure:
    """Three averages on the same seeds: each seed's final regret, and the weight that expressions get over time."""
    colours = {
        "ts_none": COLOURS["grey"],
        "ts_bootstrap": COLOURS["orange"],
        "ts_online_bootstrap": COLOURS["red"],
        "ts_delta": COLOURS["blue"],
    }
    names = {policy: policy.removeprefix("ts_").replace("_", " ").replace("none", "TS alone") for policy in colours}
    figure, panels = plt.subplots(len(results.finals), 2, figsize=(8, 2.8 * len(results.finals)), squeeze=False)
    for (left, right), (experiment, finals) in zip(panels, results.finals.items(), strict=True):
        rounds = results.horizon(experiment)
        sns.boxplot(finals, x="cumulative_regret", y="policy", order=list(colours), hue="policy", palette=colours,
                    legend=False, fliersize=2, linewidth=0.8, ax=left)  # fmt: skip
        left.set_yticks(range(len(colours)), [names[policy] for policy in colours])
        left.set(ylabel="", xlabel=f"regret after {rounds} trials")
        left.set_title(experiment.removeprefix("averaging_"))
        curves = results.curves[experiment]
        for policy, colour in list(colours.items())[1:]:
            curve = curves[(curves["policy"] == policy) & (curves["metric"] == "borrowed")]
            slope = np.diff(curve["mean"], prepend=0.0) / np.diff(curve["t"], prepend=0)
            right.plot(curve["t"], slope, color=colour, label=names[policy], linewidth=1.2)
        right.set(xlabel="trials", ylabel="weight of expressions", ylim=(0, 1), xlim=(0, rounds))
    panels[0, 1].legend()
    figure.tight_layout()
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "fig1": figure1,
    "fig2": figure2,
    "fig3": figure3,
    "fig4": figure4,
    "fig5": figure5,
    "averaging": averaging,
}
