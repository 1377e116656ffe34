"""Draw Figures 1 to 3 of huang2022, and F-UCB's regret in each of its readings beside what Tables 1 and 2 print."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from matplotlib.figure import Figure

from causal_bandits.discovery import consensus
from causal_bandits.estimation.cells import (
    minimal_separator,
)
from causal_bandits.graphs.admg import ADMG
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS, WEIGHTS
from causal_bandits.problems.huang2022 import email
from experiments.drawing.diagrams import draw_diagram
from experiments.drawing.looks import Line, Look
from experiments.drawing.plotting import COLOURS, UNREAD, canvas, draw_curve, name_ends, plain, thousands
from experiments.results import NotRunError, Results
from replication.papers.huang2022.policies import LEARNERS, POLICIES, TAU, printed_regret, settings_at
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

#: Scales of the radii of the reward and of the discrepancy (ledger L49): what a name says of them, settings, which of
#: two colours, and the line.
_SCALES: tuple[tuple[str, dict[str, Any], int, Line], ...] = (
    ("", {"alpha_r": 1.0, "alpha_c": 1.0}, 0, "-"),
    (r", $\alpha_c=½$", {"alpha_r": 1.0, "alpha_c": 0.5}, 1, "-"),
    (r", $\alpha_r$ of Theorem 3", {"alpha_r": "theorem_3", "alpha_c": 1.0}, 0, (0, (4, 2))),
    (", both", {"alpha_r": "theorem_3", "alpha_c": 0.5}, 1, (0, (4, 2))),
)
#: The readings of F-UCB: the arm played if the conservative set is empty (ledger L48), and the scales.
READINGS = {
    f"{fallback}{scale}": Look({"algorithm": "f_ucb", "fallback": fallback, **radii}, COLOURS[colours[which]], line)
    for fallback, colours in (("safest", ("red", "orange")), ("best", ("blue", "sky")))
    for scale, radii, which, line in _SCALES
}
#: The experiments on the paper's tasks, with their names in the paper and the tables that print F-UCB's regrets.
TASKS = {"email": ("email campaign", "Table 1"), "adult_bounds": ("Adult-Video", "Table 2")}
_CROSS: dict[str, Any] = {
    "color": COLOURS["black"], "linestyle": "", "marker": "x", "markersize": 7, "markeredgewidth": 1.6
}  # fmt: skip


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
    figure, ((axes,),) = canvas(height=3.4)
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

    F-UCB plays with tau = 0.3; the names of its lines say what it plays if no arm is provably fair. The bands are 95 %
    intervals. Table 1's value is marked, the only one that is printed.
    """
    figure, ((axes,),) = canvas(height=3.6)
    ends = []
    for name, label in (
        *((name, name) for name in ("UCB", "C-UCB", "D-UCB")),
        ("F-UCB", "F-UCB, safest arm"),
        ("F-UCB, fallback best", "F-UCB, best arm"),
    ):
        chosen, colour, line = POLICIES[name]
        curve = results.curve("email", **{**settings_at(str(chosen["algorithm"]), TAU), **chosen})
        draw_curve(axes, curve, label=label, color=colour, linestyle=line)
        ends.append((label, float(curve["mean"].iloc[-1]), colour))
    rounds = results.horizon("email")
    if rounds == ROUNDS:
        value = float(printed_regret(results, "email", TAU))
        axes.plot(rounds, value, label="F-UCB, published", clip_on=False, zorder=4, **_CROSS)
        ends.append(("F-UCB, published", value, COLOURS["black"]))
    axes.set(xlabel="rounds", ylabel="cumulative regret", xlim=(0, rounds), ylim=(0, None), title=UNREAD)
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
    figure, panels = canvas(2, 1, height=7.4, width=4.4)
    colours = dict.fromkeys(WEIGHTS, COLOURS["black"]) | {"sex": COLOURS["red"]}
    for axes, (learner, learnt) in zip(panels[:, 0], LEARNERS.items(), strict=True):
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


def readings(results: Results) -> Figure:
    """Draw F-UCB's regret against tau in each reading that is played, with the regrets that Tables 1 and 2 print."""
    figure, panels = canvas(2, 1, height=7, sharex=True)
    ends: list[list[tuple[str, float, str]]] = []
    for axes, (experiment, (task, table)) in zip(panels[:, 0], TASKS.items(), strict=True):
        ends.append([])
        for name, (chosen, colour, line) in READINGS.items():
            found: dict[float, Any] = {}
            for tau in THRESHOLDS:
                with suppress(NotRunError):  # a small study leaves the reading out, and one has no value at every tau
                    found[tau] = results.curve(experiment, **{**chosen, "tau": tau}).iloc[-1]
            if not found:
                continue
            mean, low, high = ([float(at[part]) for at in found.values()] for part in ("mean", "ci_low", "ci_high"))
            axes.fill_between(list(found), low, high, color=colour, alpha=0.15, linewidth=0)
            axes.plot(list(found), mean, color=colour, linestyle=line, marker="o", markersize=3, label=name)
            ends[-1].append((name, mean[-1], colour))
        printed = [float(printed_regret(results, experiment, tau)) for tau in THRESHOLDS]
        if results.horizon(experiment) == ROUNDS:
            axes.plot(THRESHOLDS, printed, label="published", zorder=4, **_CROSS)
            ends[-1].append(("published", printed[-1], COLOURS["black"]))
        axes.set(ylabel=f"regret of F-UCB after {results.horizon(experiment):,} rounds", ylim=(0, None))
        axes.set_title(f"{task}; crosses: {table}")
        plain(axes.xaxis, THRESHOLDS)
        thousands(axes.yaxis)
    panels[-1, 0].set_xlabel("threshold $\\tau$")
    for axes, names in zip(panels[:, 0], ends, strict=True):
        name_ends(axes, names)
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "fig1": figure1,
    "fig2a": figure2a,
    "fig2b": figure2b,
    "fig3": figure3,
    "readings": readings,
}
