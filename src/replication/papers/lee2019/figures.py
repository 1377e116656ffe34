"""Draw Figures 1 to 5 of lee2019, and one on random models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import interventional_border, muct
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS, NON_MANIPULABLE
from experiments.drawing.diagrams import DrawnEdge, Positions, draw_diagram
from experiments.drawing.plotting import COLOURS, canvas, draw_curve, name_ends, plain
from experiments.results import NotRunError, Results
from replication.papers.lee2019.curves import NORMAL, compare, published
from replication.papers.lee2019.policies import (
    FAMILIES,
    HORIZON,
    SOLVER_LINES,
    SOLVERS,
    STRATEGY_COLOURS,
    TASKS,
    alike,
    by_order,
    played,
    printed,
)
from replication.papers.lee2019.tables import orders

#: The text does not state Fig. 3's edges; this graph's projection onto {X, Y, Z} is the front-door graph (ledger L07).
LARGER = ADMG(directed=[("X", "S"), ("S", "Z"), ("Z", "T"), ("T", "Y"), ("R", "X"), ("R", "Y")])

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
#: Fig. 4: bends of edges in the projections without A, B or C, where two kinds of edges join the same nodes.
PROJECTION_BENDS: dict[str, dict[DrawnEdge, float]] = {
    "A": {frozenset("BC"): 0.6, frozenset("CY"): 0.6, frozenset("BY"): -0.6},
    "B": {frozenset("AC"): -0.5, frozenset("AY"): 0.5, frozenset("CY"): -0.6},
    "C": {frozenset("AB"): -0.45, frozenset("BY"): -0.4},
}


#: The paper's names of the graphs of the tasks.
GRAPH_NAMES = {"frontdoor": "front-door", "fourvar": "Fig. 2a", "sixvar": "Fig. 5d"}


def figure1(results: Results) -> Figure:
    """Draw Fig. 1: the front-door graph."""
    figure, ((axes,),) = canvas(height=1.6, width=3)
    draw_diagram(axes, GRAPHS["frontdoor"], POSITIONS["frontdoor"], bends=BENDS["frontdoor"])
    return figure


def figure2(results: Results) -> Figure:
    """Draw Fig. 2: MUCT (red) and interventional border (blue) of Fig. 2a under four interventions.

    MUCT is the minimal unobserved-confounders' territory.
    """
    figure, panels = canvas(2, 2, height=3.6)
    for axes, letter, intervention in zip(panels.flat, "abcd", ("", "A", "B", "AC"), strict=True):
        graph = GRAPHS["fourvar"].do(set(intervention))
        territory, border = muct(graph, outcome="Y"), interventional_border(graph, outcome="Y")
        colours = dict.fromkeys(territory, COLOURS["red"]) | dict.fromkeys(border, COLOURS["blue"])
        name = r"$\mathcal{G}$" if not intervention else r"$\mathcal{G}_{\overline{" + intervention + "}}$"
        shown = "\\{" + ",".join(intervention) + "\\}" if intervention else r"\emptyset"
        draw_diagram(
            axes,
            graph,
            POSITIONS["fourvar"],
            node_colours=colours,
            bends=BENDS["fourvar"],
            title=f"({letter}) {name}: ${shown}$ is {'a' if border == set(intervention) else 'not a'} POMIS",
        )
    figure.legend(
        handles=[
            Line2D([], [], marker="o", ls="", mfc="white", mec=COLOURS["red"], mew=2, label="territory (MUCT)"),
            Line2D([], [], marker="o", ls="", mfc="white", mec=COLOURS["blue"], mew=2, label="border (IB)"),
        ],
        loc="outside lower center",
        ncols=2,
    )
    return figure


def figure3(results: Results) -> Figure:
    """Draw Fig. 3: a larger graph and its computed projection, the front-door graph.

    Shaded nodes are marginalised.
    """
    figure, ((left, right),) = canvas(1, 2, height=1.8, width_ratios=(5, 3), sharey=True)
    positions = {"X": (0, 0), "S": (1, 0), "Z": (2, 0), "T": (3, 0), "Y": (4, 0), "R": (2, 1)}
    projected = LARGER.latent_projection(set("XYZ"))
    draw_diagram(right, projected, POSITIONS["frontdoor"], bends=BENDS["frontdoor"], title="projected onto $X, Y, Z$")
    draw_diagram(left, LARGER, positions, shaded="RST", title="a graph over more variables")
    return figure


def figure4(results: Results) -> Figure:
    """Draw Fig. 4: computed projections of Fig. 2a without A, B or C; edges that the projection adds are red."""
    figure, (panels,) = canvas(1, 3, height=1.7, sharex=True, sharey=True)
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
    """Draw Fig. 5a to c: regret with 95 % bands, published and ours, with their differences beside.

    Differences are between means, in units of their combined standard error.
    """
    figure, panels = canvas(3, 2, height=6.6, width_ratios=(1.8, 1), sharex=True)
    ends = [_regret_panel(axes, beside, results, task) for (axes, beside), task in zip(panels, TASKS, strict=True)]
    for (axes, _), letter, task in zip(panels, "abc", TASKS, strict=True):
        fixed = ", ".join(sorted(NON_MANIPULABLE[task]))
        axes.set_title(f"({letter}) {GRAPH_NAMES[task]}, $N=\\{{{fixed}\\}}$")
        axes.set_ylabel("cumulative regret")
    panels[0, 1].set_title("ours − published,\nin standard errors")
    for axes in panels[-1]:
        axes.set_xlabel("trials")
    handles: list[Any] = [
        Line2D([], [], color="black", ls=SOLVER_LINES[solver], label=f"{solver}, ours") for solver in SOLVERS
    ]
    published = Line2D([], [], color="black", marker=".", ms=4, ls="", label="published, every tenth point")
    alone = Line2D([], [], color="black", marker="x", ms=5, ls="", label="published end, curve kept back")
    other = Line2D([], [], color=STRATEGY_COLOURS["POMIS+"], ls=":", lw=0.9, label="larger experiments first (right)")
    figure.legend(handles=[*handles, published, alone, other], loc="outside lower center", ncols=2)
    for axes, names in zip(panels[:, 0], ends, strict=True):
        name_ends(axes, names)
    return figure


def figure5d(results: Results) -> Figure:
    """Draw Fig. 5d: the six-variable graph; dashed variables cannot be set."""
    figure, ((axes,),) = canvas(height=1.8, width=3.2)
    draw_diagram(axes, GRAPHS["sixvar"], POSITIONS["sixvar"], bends=BENDS["sixvar"], dashed=NON_MANIPULABLE["sixvar"])
    return figure


#: Residuals beyond this many standard errors are drawn at the edge.
_EDGE = 7


def _regret_panel(axes: Axes, residuals: Axes, results: Results, task: str) -> list[tuple[str, float, str]]:
    """Draw one task's curves over the published ones, with their differences beside; return the curves' ends."""
    horizon = results.horizon(task)
    ends: list[tuple[str, float, str]] = []
    for solver, line in SOLVER_LINES.items():
        for strategy, colour in reversed(STRATEGY_COLOURS.items()):
            same = alike(task, strategy)
            if same[0] != strategy:
                continue  # its arms, and so its curve, are those of another strategy
            try:
                curve = results.curve(task, **played(solver, strategy))
            except NotRunError:
                continue  # the configuration leaves it out
            draw_curve(axes, curve, color=colour, linestyle=line)
            ends.append((strategy, float(curve["mean"].iloc[-1]), colour))
            stated = published(results, "published_curves", task, solver, strategy)
            at = stated[(stated["t"] <= horizon) & (stated.index % 10 == 0)]
            half = (at["band_high"] - at["band_low"]) / 2
            if len(at):
                axes.errorbar(
                    at["t"], at["regret"], half, fmt=".", color="black", ms=3, elinewidth=0.7, zorder=5, clip_on=False
                )
            if horizon < HORIZON:
                continue
            if stated.empty:
                axes.plot(
                    HORIZON, printed(results, task, solver, strategy), "x", color="black", ms=5, zorder=5, clip_on=False
                )
            else:
                table = compare(results, "published_curves", task, solver, strategy, after=1).table
                residuals.plot(table["t"], table["z"].clip(-_EDGE, _EDGE), color=colour, linestyle=line, lw=1.1)
                for chosen in list(by_order(results, task, solver, strategy).values())[1:]:
                    table = compare(results, "published_curves", task, solver, strategy, chosen, after=1).table
                    residuals.plot(table["t"], table["z"].clip(-_EDGE, _EDGE), color=colour, ls=":", lw=0.9)
    axes.set(xlim=(0, horizon), ylim=(0, None))
    plain(axes.xaxis, [0, horizon])
    if len(same := alike(task, "POMIS")) > 1:
        axes.annotate(" = ".join(reversed(same)), (0.03, 0.97), xycoords="axes fraction", va="top")
    residuals.fill_between([0, horizon], -NORMAL, NORMAL, color=COLOURS["grey"], alpha=0.2, lw=0)
    residuals.axhline(0, color=COLOURS["grey"], lw=0.6)
    residuals.set(ylim=(-_EDGE - 0.5, _EDGE + 0.5), yticks=[-6, -4, -2, 0, 2, 4, 6])
    return ends


#: Colours of the families of random models.
FAMILY_COLOURS = {
    "hundredths_xor": COLOURS["black"],
    "noisy_gates": COLOURS["purple"],
    "uniform_cpt": COLOURS["sky"],
}
MARKS = {"TS": "o", "KL-UCB": "s"}


def robustness(results: Results) -> Figure:
    """Draw the percentage by which each step from BF to POMIS+ lowers the mean regret over random models."""
    figure, panels = canvas(len(TASKS), 1, height=5.2, height_ratios=(1.1, 2, 3), sharex=True)
    for axes, (task, label) in zip(panels[:, 0], TASKS.items(), strict=True):
        names: list[str] = []
        for number, (family, colour) in enumerate(FAMILY_COLOURS.items()):
            experiment = f"{family}_{task}"
            if experiment not in results.plans:
                continue  # a smaller study
            for side, solver in zip((-1, 1), SOLVERS, strict=True):
                steps = orders(results, experiment, solver)
                names = [f"{step.larger} to {step.smaller}" for step in steps]
                for place, step in enumerate(steps):
                    y = place + 0.27 * (number - 1) + 0.065 * side
                    axes.hlines(y, step.low, step.high, color=colour, lw=1.4)
                    axes.plot(step.value, y, MARKS[solver], color=colour, ms=4, mfc="white" if side > 0 else colour)
        axes.axvline(0, color=COLOURS["grey"], lw=0.8, zorder=0)
        axes.set(title=label, ylim=(len(names) - 0.5, -0.5))
        axes.set_yticks(range(len(names)), names)
    panels[-1, 0].set_xlabel("less regret, %")
    handles = [Line2D([], [], color=FAMILY_COLOURS[name], lw=3, label=said) for name, said in FAMILIES.items()]
    for (solver, mark), fill in zip(MARKS.items(), ("black", "white"), strict=True):
        handles.append(Line2D([], [], color="black", ls="", marker=mark, mfc=fill, ms=4, label=solver))
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "fig1": figure1,
    "fig2": figure2,
    "fig3": figure3,
    "fig4": figure4,
    "fig5": figure5,
    "fig5d": figure5d,
    "robustness": robustness,
}
