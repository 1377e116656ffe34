"""Draw Figures 1 to 3 of huang2022, F-UCB's rounds without a provably fair arm, and the price of fairness."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from causal_bandits.discovery import consensus
from causal_bandits.estimation.cells import (
    minimal_separator,
)
from causal_bandits.graphs.admg import ADMG
from causal_bandits.play.unfairness import fair_regret
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS, WEIGHTS
from causal_bandits.problems.huang2022 import email
from experiments.drawing.diagrams import draw_diagram
from experiments.drawing.plotting import COLOURS, TEXT, canvas, draw_curve, name_ends, plain, thousands
from experiments.results import Results
from replication.papers.huang2022.policies import LEARNERS, NAMES, POLICIES, printed_regret, settings_at
from replication.papers.huang2022.stages import learned_graphs

#: Number of rounds in Fig. 2b, after which Table 1 prints F-UCB's regret.
ROUNDS = 5000
EMAIL_POSITIONS = {
    "X1": (0, 2),
    "X2": (1, 2),
    "X3": (2, 2),
    "I4": (1, 1),
    "A1": (3, 2),
    "A2": (4, 2),
    "A3": (5, 1),
    "I2": (2.4, 0.6),
    "I1": (3.6, 0.6),
    "I3": (2.2, -0.6),
    "R": (4, -0.6),
}
#: The colour of F-UCB, and its threshold in Fig. 2b.
F_UCB = POLICIES["F-UCB"].colour
TAU = 0.3


def figure1(results: Results) -> Figure:
    """Draw Fig. 1: user features X, arm features A, intermediate features I, reward R and policy pi."""
    figure, ((axes,),) = canvas(height=2.2, width=3.6)
    graph = ADMG(directed=[("X", "A"), ("X", "R"), ("A", "I"), ("A", "R"), ("I", "R"), ("X", "I"), ("π", "A")])
    positions = {"X": (0, 1), "A": (0, 0), "I": (1.2, 0), "R": (1.2, 1), "π": (-1, 0)}
    draw_diagram(axes, graph, positions, node_colours={"A": COLOURS["blue"]}, dashed=["π"])
    return figure


def figure2a(results: Results) -> Figure:
    """Draw Fig. 2a: the email campaign's graph, with the computed minimal d-separation set shaded."""
    problem = email()
    figure, ((axes,),) = canvas(height=3.4, width=6)
    colours = dict.fromkeys(problem.manipulable, COLOURS["blue"]) | {problem.sensitive: COLOURS["red"]}
    separator = minimal_separator(problem)
    draw_diagram(
        axes,
        problem.reward_graph,
        EMAIL_POSITIONS,
        node_colours=colours,
        shaded=separator,
        title=f"shaded: $W=\\{{{', '.join(v[0] + '_' + v[1:] for v in sorted(separator))}\\}}$, computed",
    )
    return figure


def figure2b(results: Results) -> Figure:
    """Draw Fig. 2b: cumulative regret on the email campaign.

    F-UCB plays with tau = 0.3. The bands are 95 % intervals. Table 1's value is marked.
    """
    figure, ((axes,),) = canvas(height=3.6, width=6)
    ends = []
    for name in (*NAMES.values(), "F-UCB, fallback best"):
        chosen, colour, line = POLICIES[name]
        curve = results.curve("email", **{**chosen, **settings_at(str(chosen["algorithm"]), TAU)})
        draw_curve(axes, curve, label=name, color=colour, linestyle=line)
        ends.append((name, float(curve["mean"].iloc[-1]), colour))
    rounds = results.horizon("email")
    if rounds == ROUNDS:
        value = float(printed_regret(results, "email", TAU))
        look: dict[str, Any] = {"color": F_UCB, "linestyle": "", "clip_on": False, "zorder": 4}
        axes.plot(rounds, value, marker="x", markersize=7, label="F-UCB, published", **look)
        ends.append(("F-UCB, published", value, F_UCB))
    axes.set(xlabel="rounds", ylabel="cumulative regret", xlim=(0, rounds), ylim=(0, None))
    thousands(axes.xaxis)
    name_ends(axes, ends)
    return figure


#: Positions in Fig. 3 of users (left), videos (right) and the reward, and the radius of their nodes.
ADULT_POSITIONS = {
    "race": (0, 4.0),
    "sex": (1.7, 4.0),
    "age": (0, 1.6),
    "income": (1.7, 1.6),
    "length": (3.3, 4.0),
    "comments": (5.0, 4.0),
    "ratings": (3.3, 1.6),
    "views": (5.0, 1.6),
    "reward": (2.5, 0),
}
RADIUS = 0.63


def figure3(results: Results) -> Figure:
    """Draw Fig. 3: the graphs that PC and GES learnt, with the stated parents of the reward in bold.

    An edge that only some seeds have is labelled with their share.
    """
    figure, (panels,) = canvas(1, 2, height=4.2)
    colours = dict.fromkeys(WEIGHTS, COLOURS["black"]) | {"sex": COLOURS["red"]}
    for axes, (learner, learnt) in zip(panels, LEARNERS.items(), strict=True):
        graphs = learned_graphs(results.files[learnt])
        agreed = consensus(graphs)
        title = f"{learner}, edges of at least half of {len(graphs)} seeds"
        draw_diagram(axes, agreed, ADULT_POSITIONS, node_colours=colours, title=title, radius=RADIUS)
        for a, b in sorted(agreed.directed | agreed.undirected):
            having = [(a, b) in g.directed if (a, b) in agreed.directed else (a, b) in g.adjacent for g in graphs]
            if all(having):
                continue
            (xa, ya), (xb, yb) = ADULT_POSITIONS[a], ADULT_POSITIONS[b]
            # Labels are above a horizontal edge; on other edges, between the nodes' outlines but off the middle, where
            # edges cross.
            level = ya == yb
            part, raised = (0.5, 0.5) if level else (0.36, 0.0)
            place = (xa + part * (xb - xa), ya + part * (yb - ya) + raised)
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
            share = f"{sum(having) / len(having):.2f}"
            axes.annotate(share, place, color=COLOURS["blue"], ha="center", va="center", bbox=box, zorder=4)
    return figure


def empty_sets(results: Results) -> Figure:
    """Draw the number of rounds so far in which F-UCB found no arm provably fair, by tau and t."""
    rows = {
        "email": "email\ncampaign",
        "adult": "Adult-Video,\nidentifiable",
        "adult_bounds": "Adult-Video,\nTheorem 2",
    }
    figure, panels = canvas(len(rows), len(THRESHOLDS), height=4.8, sharex=True, sharey=True)
    for row, (experiment, name) in zip(panels, rows.items(), strict=True):
        rounds = results.horizon(experiment)
        for axes, tau in zip(row, THRESHOLDS, strict=True):
            curve = results.curve(experiment, "empty_set", algorithm="f_ucb", tau=tau)
            draw_curve(axes, curve, band=False, color=F_UCB)
            axes.plot((0, rounds), (0, rounds), color=COLOURS["black"], linewidth=0.8, linestyle=":")
            axes.set(xlim=(0, rounds), ylim=(0, rounds))
            plain(axes.xaxis, (0, rounds))
            plain(axes.yaxis, (0, rounds))
        row[0].set_ylabel(name)
    _by_threshold(panels)
    figure.supylabel("rounds with an empty conservative set", fontsize=TEXT)
    return figure


def _by_threshold(panels: np.ndarray) -> None:
    """Write tau above the columns, and label the horizontal axes below them."""
    for axes, tau in zip(panels[0], THRESHOLDS, strict=True):
        axes.set_title(f"$\\tau={tau:g}$")
    for axes in panels[-1]:
        axes.set_xlabel("rounds")
        first, last = axes.get_xticklabels()
        first.set_ha("left")
        last.set_ha("right")


def price(results: Results) -> Figure:
    """Draw F-UCB's regret against the best arm and the best fair arm if good arms are unfair."""
    figure, panels = canvas(2, len(THRESHOLDS), height=4, sharex=True, sharey=True)
    rounds = results.horizon("straddling")
    for tau, column in zip(THRESHOLDS, panels.T, strict=True):
        for stochastic, line in ((False, "-"), (True, "--")):
            at: dict[str, Any] = {"algorithm": "f_ucb", "tau": tau, "fallback": "safest", "stochastic": stochastic}
            label = "arms mixed" if stochastic else "a single arm"
            for axes, metric in zip(column, ("cumulative_regret", fair_regret(tau)), strict=True):
                curve = results.curve("straddling", metric, **at)
                draw_curve(axes, curve, color=F_UCB, linestyle=line, label=label)
    below = -0.03 * panels[0, 0].get_ylim()[1]  # a curve of zeros stays in view
    panels[0, 0].set(xlim=(0, rounds), ylim=(below, None), ylabel="against\nthe best arm")
    plain(panels[0, 0].xaxis, (0, rounds))
    thousands(panels[0, 0].yaxis)
    panels[1, 0].set_ylabel("against the best\narm that is fair")
    _by_threshold(panels)
    figure.supylabel("cumulative regret", fontsize=TEXT)
    figure.legend(handles=panels[0, 0].get_lines(), loc="outside lower center", ncols=2)
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "fig1": figure1,
    "fig2a": figure2a,
    "fig2b": figure2b,
    "fig3": figure3,
    "empty_sets": empty_sets,
    "price": price,
}
