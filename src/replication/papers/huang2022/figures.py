"""Draw Figures 1 to 3 of huang2022, and how often F-UCB's conservative set is empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from causal_bandits.discovery import consensus
from causal_bandits.graphs.admg import ADMG
from causal_bandits.play.unfairness import fair_regret
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS, WEIGHTS
from experiments.drawing.diagrams import draw_diagram
from experiments.drawing.plotting import COLOURS, draw_curve
from experiments.results import Results
from replication.papers.huang2022.discovery import learned_graphs
from replication.papers.huang2022.labels import LEARNERS, POLICIES, settings_at
from replication.papers.huang2022.published import printed_regret

#: The rounds of Fig. 2b, after which Table 1 prints F-UCB's regret.
ROUNDS = 5000
POLICY_COLOURS = {
    "ucb": COLOURS["orange"],
    "c_ucb": COLOURS["green"],
    "d_ucb": COLOURS["blue"],
    "f_ucb": COLOURS["red"],
}
#: What figures call a policy, what selects it, its colour and line.
LOOKS = {
    "F-UCB, fallback best": ({"algorithm": "f_ucb", "fallback": "best"}, COLOURS["grey"], "--"),
    **{name: ({"algorithm": algorithm}, POLICY_COLOURS[algorithm], "-") for algorithm, name in POLICIES.items()},
}
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
#: F-UCB's threshold in Fig. 2b.
TAU = 0.3
TAU_COLOURS = dict(zip(THRESHOLDS, ("red", "orange", "green", "sky", "blue"), strict=True))


def figure1(results: Results) -> Figure:
    """Draw Fig. 1: user features X, arm features A, intermediate features I, reward R and policy pi."""
    figure, axes = plt.subplots(figsize=(3.6, 2.4))
    graph = ADMG(directed=[("X", "A"), ("X", "R"), ("A", "I"), ("A", "R"), ("I", "R"), ("X", "I"), ("π", "A")])
    positions = {"X": (0, 1), "A": (0, 0), "I": (1.2, 0), "R": (1.2, 1), "π": (-1, 0)}
    draw_diagram(axes, graph, positions, node_colours={"A": COLOURS["blue"]}, dotted=["π"])
    return figure


def figure2a(results: Results) -> Figure:
    """Draw Fig. 2a: the email campaign's graph, the computed minimal d-separation set shaded."""
    from causal_bandits.estimation.cells import (
        minimal_separator,  # both load Numba, which the other figures do not need
    )
    from causal_bandits.problems.huang2022 import email

    problem = email()
    figure, axes = plt.subplots(figsize=(6, 3.4))
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
    figure, axes = plt.subplots(figsize=(5, 3.4))
    for algorithm, name in POLICIES.items():
        curve = results.curve("email", **settings_at(algorithm, TAU))
        draw_curve(axes, curve, label=name, color=POLICY_COLOURS[algorithm])
    best = results.curve("email", **settings_at("f_ucb", TAU), fallback="best")
    draw_curve(axes, best, label="F-UCB, fallback best", color=COLOURS["grey"], linestyle="--")
    rounds = results.horizon("email")
    if rounds == ROUNDS:
        value = printed_regret(results, "email", TAU)
        look: dict[str, Any] = {"color": POLICY_COLOURS["f_ucb"], "linestyle": "", "clip_on": False, "zorder": 4}
        axes.plot(rounds, float(value), marker="x", markersize=7, label="F-UCB, published", **look)
    axes.set(xlabel="rounds", ylabel="cumulative regret", xlim=(0, rounds), ylim=(0, None))
    axes.legend()
    return figure


#: Where Fig. 3 draws users (left), videos (right) and the reward.
ADULT_POSITIONS = {
    "race": (0, 3.2),
    "sex": (1.6, 3.2),
    "age": (0, 1.6),
    "income": (1.6, 1.6),
    "length": (3.4, 3.2),
    "comments": (5.0, 3.2),
    "ratings": (3.4, 1.6),
    "views": (5.0, 1.6),
    "reward": (2.5, 0),
}


def figure3(results: Results) -> Figure:
    """Draw Fig. 3: the stated parents of the reward, and what PC and GES learnt with the share of seeds."""
    figure, panels = plt.subplots(1, 3, figsize=(13, 4))
    stated = ADMG(directed=[(v, "reward") for v in WEIGHTS], nodes=ADULT_POSITIONS)
    colours = {"sex": COLOURS["red"]}
    title = "parents of the reward, as stated"
    draw_diagram(panels[0], stated, ADULT_POSITIONS, node_colours=colours, title=title, radius=0.42)
    for axes, (learner, learnt) in zip(panels[1:], LEARNERS.items(), strict=True):
        graphs = learned_graphs(results.files[learnt])
        agreed = consensus(graphs)
        title = f"{learner}, edges of at least half of {len(graphs)} seeds"
        draw_diagram(axes, agreed, ADULT_POSITIONS, node_colours=colours, title=title, radius=0.42)
        for a, b in sorted(agreed.directed | agreed.undirected):
            having = [(a, b) in g.directed if (a, b) in agreed.directed else (a, b) in g.adjacent for g in graphs]
            (xa, ya), (xb, yb) = ADULT_POSITIONS[a], ADULT_POSITIONS[b]
            # On the edge, between the nodes' outlines; not in the middle, where edges cross.
            place = (0.58 * xa + 0.42 * xb, 0.58 * ya + 0.42 * yb)
            share = f"{sum(having) / len(having):.2f}"
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
            axes.annotate(share, place, fontsize=7, color=COLOURS["blue"], ha="center", va="center", bbox=box, zorder=4)
    figure.tight_layout()
    return figure


def empty_sets(results: Results) -> Figure:
    """Draw the rounds so far in which F-UCB found no arm that is fair beyond doubt, by tau and t."""
    titles = {
        "email": "email campaign",
        "adult": "Adult-Video, identifiable",
        "adult_bounds": "Adult-Video, Theorem 2",
    }
    figure, panels = plt.subplots(1, len(titles), figsize=(11, 3.2), sharey=True)
    for axes, (experiment, title) in zip(panels, titles.items(), strict=True):
        rounds = results.horizon(experiment)
        for position, tau in enumerate(THRESHOLDS):
            look = {"color": COLOURS[TAU_COLOURS[tau]], "label": f"$\\tau={tau:g}$"}
            # Curves that coincide stay visible: the larger tau is drawn thinner, above.
            width = 5 - position
            curve = results.curve(experiment, "empty_set", algorithm="f_ucb", tau=tau)
            draw_curve(axes, curve, band=False, linewidth=width, **look)
        axes.plot((0, rounds), (0, rounds), color=COLOURS["black"], linewidth=0.7, linestyle=":", label="all rounds")
        axes.set(xlabel="rounds", title=title, xlim=(0, rounds), ylim=(0, rounds))
    panels[0].set_ylabel("rounds with an empty conservative set")
    panels[0].legend()
    figure.tight_layout()
    return figure


def price(results: Results) -> Figure:
    """Draw F-UCB's regret against the best arm and the best fair arm where good arms are unfair."""
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.4))
    rounds = results.horizon("straddling")
    for position, tau in enumerate(THRESHOLDS):
        for stochastic, linestyle in ((False, "-"), (True, "--")):
            at: dict[str, Any] = {"algorithm": "f_ucb", "tau": tau, "fallback": "safest", "stochastic": stochastic}
            look: dict[str, Any] = {"color": COLOURS[TAU_COLOURS[tau]], "linestyle": linestyle}
            look |= {"linewidth": 4 - 0.6 * position, "label": None if stochastic else f"$\\tau={tau:g}$"}
            for axes, metric in zip(panels, ("cumulative_regret", fair_regret(tau)), strict=True):
                draw_curve(axes, results.curve("straddling", metric, **at), **look)
    for axes, title in zip(panels, ("against the best arm", "against the best arm that is fair"), strict=True):
        axes.set(xlabel="rounds", title=title, xlim=(0, rounds), xticks=(0, rounds // 2, rounds))
    panels[0].set_ylabel("cumulative regret")
    panels[1].legend(title="dashed: arms mixed")
    figure.tight_layout()
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "fig1": figure1,
    "fig2a": figure2a,
    "fig2b": figure2b,
    "fig3": figure3,
    "empty_sets": empty_sets,
    "price": price,
}
