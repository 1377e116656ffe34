"""Figures 1 to 5 of lee2019."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from causal_bandits.graphs.intervention_sets import interventional_border, muct
from experiments import files
from experiments.drawing.diagrams import DrawnEdge, Positions, draw_diagram
from experiments.drawing.plotting import COLOURS, draw_curve
from experiments.results import NotRunError, Results
from replication.judging.judges import judge_predicted
from replication.papers.lee2019.graphs import GRAPHS, LARGER, NON_MANIPULABLE
from replication.papers.lee2019.labels import ENSEMBLES, TASKS
from replication.papers.lee2019.sensitivity import sensitivity
from replication.papers.lee2019.strategies import (
    ENSEMBLE,
    HORIZON,
    SOLVERS,
    STRATEGIES,
    alike,
    experiment_of,
    played,
    printed,
    task_of,
)

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

STRATEGY_COLOURS = {
    "POMIS+": COLOURS["red"],
    "POMIS": COLOURS["blue"],
    "MIS": COLOURS["green"],
    "BF": COLOURS["orange"],
}
SOLVER_LINES = {"TS": "-", "KL-UCB": (0, (4, 2))}


def figure1(results: Results) -> Figure:
    """Fig. 1: the front-door graph."""
    figure, axes = plt.subplots(figsize=(3, 1.6))
    draw_diagram(axes, GRAPHS["frontdoor"], POSITIONS["frontdoor"], bends=BENDS["frontdoor"])
    return figure


def figure2(results: Results) -> Figure:
    """Draw Fig. 2: MUCT (red) and interventional border (blue) of Fig. 2a under four interventions.

    The paper calls the two MUCT and IB.
    """
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
    """Draw Fig. 3: a larger graph and its computed projection, the front-door graph.

    Shaded nodes are marginalised.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 2.2), width_ratios=(5, 3))
    positions = {"X": (0, 0), "S": (1, 0), "Z": (2, 0), "T": (3, 0), "Y": (4, 0), "R": (2, 1)}
    draw_diagram(left, LARGER, positions, shaded="RST", title="a graph over more variables")
    projected = LARGER.latent_projection(set("XYZ"))
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
    """Draw Fig. 5: mean cumulative regret with 95 % bands; (d) is the graph of (c).

    Published curves and end points are drawn too.
    """
    figure, panels = plt.subplots(1, 4, figsize=(13, 3.2), width_ratios=(3, 3, 3, 2.6))
    drawn: set[str] = set()
    for axes, letter, task in zip(panels, "abc", TASKS, strict=False):
        drawn |= _regret_panel(axes, results, task)
        if task == WITH_CURVES:
            _published_curves(axes, results, experiment_of(results, task))
        else:
            _predictions(axes, results, experiment_of(results, task, ENSEMBLE))
        if len(same := alike(task, "POMIS")) > 1:
            axes.annotate(" = ".join(reversed(same)), (0.03, 0.97), xycoords="axes fraction", va="top", fontsize=8)
        axes.set_title(f"({letter}) {task}, $N=\\{{{','.join(sorted(NON_MANIPULABLE[task]))}\\}}$")
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
        Line2D([], [], color=STRATEGY_COLOURS[strategy], label=strategy) for strategy in STRATEGIES if strategy in drawn
    ]
    handles += [Line2D([], [], color="black", ls=SOLVER_LINES[solver], label=solver) for solver in SOLVERS]
    handles.append(Line2D([], [], color="black", marker="x", ls="", label="published"))
    handles.append(Line2D([], [], color="black", ls="", marker=".", ms=3, label="published curve"))
    handles.append(Line2D([], [], color="black", lw=3, alpha=0.5, label="95 % of the ensemble"))
    figure.legend(handles=handles, loc="lower center", ncols=len(handles), bbox_to_anchor=(0.5, -0.08))
    figure.tight_layout()
    return figure


def _regret_panel(axes: Axes, results: Results, task: str) -> set[str]:
    """Draw one task's curves; returns the strategies drawn."""
    drawn, experiment = set(), experiment_of(results, task)
    for solver, line in SOLVER_LINES.items():
        for strategy, colour in reversed(STRATEGY_COLOURS.items()):
            try:
                draw_curve(axes, results.curve(experiment, **played(solver, strategy)), color=colour, linestyle=line)
                drawn.add(strategy)
            except NotRunError:
                pass  # the configuration leaves it out
            if results.horizon(experiment) == HORIZON:
                published = printed(results, task, solver, strategy)
                axes.plot(HORIZON, published, marker="x", color=colour, markersize=6, clip_on=False, zorder=4)
    axes.set_xlabel("trials")
    axes.set_xlim(0, results.horizon(experiment))
    axes.set_ylim(bottom=0)
    return drawn


#: The task whose curves are published, of KL-UCB's baselines, see `data.published_curves`.
WITH_CURVES = "sixvar"


def _published_curves(axes: Axes, results: Results, experiment: str) -> None:
    """Draw every fourth point of the published curves, up to the horizon played."""
    table = files.read(results.file("published_curves")).to_pandas()
    for _, curve in table[table["t"] <= results.horizon(experiment)].groupby("strategy", sort=False):
        at = curve.iloc[::4]
        axes.plot(at["t"], at["regret"], ".", color=COLOURS["black"], ms=2.5, zorder=5)


#: Beyond the horizon, relative to it, where the ensemble's predictions stand.
_BEYOND = {("TS", "POMIS"): 1.03, ("TS", "POMIS+"): 1.06, ("KL-UCB", "POMIS"): 1.10, ("KL-UCB", "POMIS+"): 1.13}


def _predictions(axes: Axes, results: Results, experiment: str) -> None:
    """Draw where the ensemble of instances has 95 % of the final regrets, and their mean.

    See `judge_predicted`.
    """
    horizon = results.horizon(experiment)
    for (solver, strategy), at in _BEYOND.items():
        regret = results.final(experiment, by="draw", **played(solver, strategy)).to_numpy()
        if len(regret) < 2:
            continue  # a smaller study plays one instance only
        predicted = judge_predicted(float(regret.mean()), regret, 0.0, scale="logarithms")
        look: dict[str, Any] = {"color": STRATEGY_COLOURS[strategy], "clip_on": False, "zorder": 3}
        axes.vlines(at * horizon, predicted.ci_low, predicted.ci_high, lw=3, alpha=0.5, **look)
        axes.set_ylim(top=max(axes.get_ylim()[1], 1.05 * predicted.ci_high))
        axes.plot(at * horizon, float(predicted.replicated), marker="_", ms=6, **look)


#: Name and colour of each family of random models (ledger L70).
FAMILIES = {
    "hundredths_xor": ("exclusive or, two decimals", COLOURS["purple"]),
    "uniform_cpt": ("any probabilities", COLOURS["blue"]),
    "skewed_cpt": ("any, skewed confounders", COLOURS["sky"]),
    "noisy_xor": ("exclusive or", COLOURS["red"]),
    "negated_xor": ("exclusive or, inputs negated", COLOURS["orange"]),
    "noisy_gates": ("random gates", COLOURS["green"]),
}


def ensemble(results: Results) -> Figure:
    """How far POMIS+ lies below POMIS on every instance of the ensemble: TS across, KL-UCB upwards."""
    figure, panels = plt.subplots(1, len(TASKS), figsize=(10.5, 3.4))
    for axes, (task, label) in zip(panels, TASKS.items(), strict=True):
        for name in ENSEMBLES[task]:
            members = json.loads(Path(results.file(name)).read_text())["members"]
            across, up = (_percent(results, f"ensemble_{name}", solver, "draw") for solver in SOLVERS)
            for family, (_, colour) in FAMILIES.items():
                of = [draw for draw in across.index if members[draw]["family"] == family]
                axes.plot(across[of], up[of], "o", color=colour, ms=4, alpha=0.8, mew=0)
        own = [_percent(results, experiment_of(results, task), solver) for solver in SOLVERS]
        axes.plot(*own, "s", mfc="none", mec=COLOURS["black"], ms=8)
        printed_here = [
            100 * (1 - printed(results, task, solver, "POMIS+") / printed(results, task, solver, "POMIS"))
            for solver in SOLVERS
        ]
        axes.plot(*printed_here, "x", color=COLOURS["black"], ms=9, mew=2)
        axes.axhline(0, color=COLOURS["grey"], lw=0.6, zorder=0)
        axes.axvline(0, color=COLOURS["grey"], lw=0.6, zorder=0)
        axes.set(title=f"{label}: {task}", xlabel="POMIS+ below POMIS, TS, %")
    panels[0].set_ylabel("POMIS+ below POMIS, KL-UCB, %")
    handles = [Line2D([], [], marker="o", ls="", color=c, ms=4, label=f) for f, c in FAMILIES.values()]
    handles.append(Line2D([], [], marker="s", ls="", mfc="none", mec="black", ms=8, label="representative"))
    handles.append(Line2D([], [], marker="x", ls="", color="black", ms=8, mew=2, label="published"))
    figure.legend(handles=handles, loc="upper center", ncols=len(handles) // 2, bbox_to_anchor=(0.5, 0.02))
    figure.tight_layout()
    return figure


def _percent(results: Results, experiment: str, solver: str, by: str | None = None) -> Any:
    """By how many percent POMIS+ lies below POMIS: of the means, or of every instance's."""
    base, plus = (
        results.final(experiment, by=by or "seed", **played(solver, strategy)) for strategy in ("POMIS", "POMIS+")
    )
    return 100 * (1 - plus / base) if by else 100 * (1 - plus.mean() / base.mean())


#: Thompson sampling with each way to the covariance, and without: name, settings and colour.
AVERAGES: dict[str, tuple[dict[str, str], str]] = {
    "TS alone": (played("TS", "POMIS"), COLOURS["grey"]),
    "bootstrap": (played("TS", "POMIS+") | {"averaging": "bootstrap"}, COLOURS["orange"]),
    "online bootstrap": (played("TS", "POMIS+") | {"averaging": "online_bootstrap"}, COLOURS["red"]),
    "delta": (played("TS", "POMIS+") | {"averaging": "delta"}, COLOURS["blue"]),
}


def averaging(results: Results) -> Figure:
    """Draw three averages on the same seeds.

    Shown are each seed's final regret, and the weight that expressions get over time.
    """
    import seaborn as sns  # takes half a second; no other figure needs it

    colours = {name: colour for name, (_, colour) in AVERAGES.items()}
    experiments = results.experiments()
    figure, panels = plt.subplots(len(experiments), 2, figsize=(8, 2.8 * len(experiments)), squeeze=False)
    for (left, right), experiment in zip(panels, experiments, strict=True):
        rounds = results.horizon(experiment)
        regret = {name: results.final(experiment, **settings) for name, (settings, _) in AVERAGES.items()}
        values = pd.concat(regret, names=["average"]).reset_index()
        sns.boxplot(values, x="cumulative_regret", y="average", order=list(colours), hue="average", palette=colours,
                    legend=False, fliersize=2, linewidth=0.8, ax=left)  # fmt: skip
        left.set(ylabel="", xlabel=f"regret after {rounds} trials")
        left.set_title(task_of(results, experiment))
        for name, (settings, colour) in AVERAGES.items():
            if "averaging" in settings:
                curve = results.curve(experiment, "borrowed", **settings)
                slope = np.diff(curve["mean"], prepend=0.0) / np.diff(curve["t"], prepend=0)
                right.plot(curve["t"], slope, color=colour, label=name, linewidth=1.2)
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
    "ensemble": ensemble,
    "sensitivity": sensitivity,
    "averaging": averaging,
}
