"""Figures of lu2021: Fig. 1 from a run's own steps, and the theorems as experiments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.essential import essential_graph
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.problems.lu2021 import FIGURE1
from experiments.drawing.diagrams import Positions, draw_diagram
from experiments.drawing.plotting import COLOURS, draw_curve
from experiments.drawing.tabulate import told_apart
from experiments.files import read
from experiments.results import Results
from replication.judging.judges.intervals import clopper_pearson
from replication.papers.lu2021.axes import mean_of, points, thousands
from replication.papers.lu2021.labels import POLICIES, POLICY_COLOURS, SETTINGS, STAGE_COLOURS, STAGES, graphs
from replication.papers.lu2021.observed import learned, practitioner
from replication.papers.lu2021.theory import lemma_1, minimax, regret_at_the_ends

POSITIONS: Positions = {
    "X1": (2, 3),
    "X2": (1, 2),
    "X3": (3, 2),
    "X4": (0.5, 1),
    "X5": (1.5, 1),
    "X6": (2.5, 1),
    "X7": (3.5, 1),
    "X8": (0.5, 0),
    "X9": (1.5, 0),
}

#: What figures call a policy, what selects it, its colour and line.
LOOKS = {name: (settings, POLICY_COLOURS[name], "-") for name, settings in POLICIES.items()}

#: Laws of growth that are fitted: f, what it is called, and its line.
LAWS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], str, str]] = {
    "log": (np.log, "log n", "-"),
    "log_squared": (lambda n: np.log(n) ** 2, "(log n)$^2$", "-."),
    "sqrt": (np.sqrt, "√n", "--"),
}


def _oriented(tree: ADMG, known: Collection[tuple[str, str]]) -> PartiallyDirectedGraph:
    """Draw arrows on known edges alone: learned ones, and what follows as no node has two parents."""
    found = set(known)
    pending = [effect for _, effect in found]
    while pending:
        node = pending.pop()
        new = {(a, b) for a, b in tree.directed if a == node} - found
        found |= new
        pending += [effect for _, effect in new]
    return PartiallyDirectedGraph(tree.nodes, sorted(found), sorted(tree.directed - found))


def _learned_edges(tree: ADMG, step: dict[str, Any]) -> set[tuple[str, str]]:
    """Read off a step of stage 1 which neighbours of the centre are its effects, and which its cause."""
    (centre,) = step["centre"]
    above = {(other, centre) for other in tree.parents(centre) if other not in step["effects"]}
    return {(centre, other) for other in step["effects"]} | above


def figure1(results: Results) -> Figure:
    """Draw Fig. 1 (a)-(j): every panel after (b) from the steps of the first run of stage ``trace``."""
    tree = ADMG(FIGURE1)
    steps = [row for row in read(results.file("trace")).to_pylist() if row["seed"] == 0]
    known: set[tuple[str, str]] = set()
    panels: list[tuple[str, Any, dict[str, str], Sequence[str]]] = [
        ("true causal tree", tree, {"X7": COLOURS["green"]}, ()),
        ("input: tree skeleton", essential_graph(tree), {}, ()),
    ]
    red, blue = COLOURS["red"], COLOURS["blue"]
    left: set[str] = set(tree.nodes)
    for stage in (1, 2):
        own = [step for step in steps if step["stage"] == stage]
        for t, step in enumerate(own):
            out: Sequence[str] = sorted(set(tree.nodes) - left)
            centre = dict.fromkeys(step["centre"], red)
            shown = _oriented(tree, known)
            panels.append((f"stage {stage} (t = {t}): do({', '.join(step['centre'])})", shown, centre, out))
            others = [v for v in step["tested"] if v not in step["centre"]]
            if others:
                marked = dict.fromkeys(others, blue)
                panels.append((f"stage {stage} (t = {t}): do({', '.join(others)})", shown, marked, out))
            left = set(step["left"])
            if stage == 1:
                known |= _learned_edges(tree, step)
                gone = sorted(set(tree.nodes) - left)
                panels.append((f"stage 1 (t = {t}): result", _oriented(tree, known), centre, gone))
        word = "directed subtree" if stage == 1 else f"{', '.join(sorted(left))} remains"
        green, gone = dict.fromkeys(left, COLOURS["green"]), sorted(set(tree.nodes) - left)
        panels.append((f"stage {stage}: {word}", _oriented(tree, known), green, gone))
    figure, grid = plt.subplots(2, -(-len(panels) // 2), figsize=(13, 5))
    for axes in grid.flat:
        axes.set_axis_off()
    for axes, letter, (title, graph, colours, out) in zip(grid.flat, "abcdefghijklmnop", panels, strict=False):
        draw_diagram(axes, graph, POSITIONS, node_colours=colours, shaded=out, title=f"({letter}) {title}")
        axes.title.set_fontsize(7.5)
    return figure


def rounds(results: Results) -> Figure:
    """Draw mean cumulative regret over the rounds, with 95 % bands, for two numbers of nodes.

    The round T_1 is marked.
    """
    figure, panels = plt.subplots(1, 2, figsize=(10, 3.6))
    for axes, nodes in zip(panels, (100, 1000), strict=True):
        for name, settings in POLICIES.items():
            for experiment in ("far", "far_thompson"):
                if results.policies(experiment, nodes=nodes, **settings):
                    curve = results.curve(experiment, nodes=nodes, **settings)
                    draw_curve(axes, curve, color=POLICY_COLOURS[name], label=name)
                    break
        (label,) = results.policies("far", nodes=nodes, **POLICIES["CN-UCB"])
        allowed = _outcomes(results, "far", "bound", label).max()
        axes.axvline(allowed, color=COLOURS["black"], lw=1, ls=":", label="$T_1$")
        axes.set(xlabel="rounds $t$", ylim=(0, None), title=f"n = {nodes:,}")
        axes.locator_params(axis="x", nbins=5)
        thousands(axes.xaxis, axes.yaxis)
    panels[0].set_ylabel("cumulative regret")
    panels[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _over(
    results: Results, experiment: str, option: str, metric: str, **settings: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Collect the values of an option, shape (points,), and the finals at each, shape (points, seeds)."""
    labels = results.policies(experiment, **settings)
    points = sorted((float(str(results.settings(experiment, label)[option])), label) for label in labels)
    finals = [results.final(experiment, metric, policy=label).to_numpy() for _, label in points]
    return np.array([x for x, _ in points]), np.array(finals)


def _outcomes(results: Results, experiment: str, metric: str, policy: str) -> np.ndarray:
    """Collect an outcome of those runs of a policy that the horizon did not cut off; there may be none."""
    return results.final(experiment, metric, policy=policy).dropna().to_numpy()


def _fit(axes: Axes, x: np.ndarray, finals: np.ndarray, law: str, **look: Any) -> None:
    """Draw the least-squares fit a + b f(n) and its 95 % band over seeds.

    The share of variance that the fit explains stands beside it.
    """
    f, name, line = LAWS[law]
    fine = np.geomspace(x[0], x[-1], 60)
    design = np.column_stack([np.ones_like(x), f(x)])
    coefficients = np.linalg.lstsq(design, finals, rcond=None)[0]  # one fit per seed; their mean is the mean's fit
    curves = np.column_stack([np.ones_like(fine), f(fine)]) @ coefficients
    at = [mean_of(values) for values in curves]
    mean = finals.mean(axis=1)
    explained = 1 - ((mean - (design @ coefficients).mean(axis=1)) ** 2).sum() / ((mean - mean.mean()) ** 2).sum()
    axes.plot(fine, curves.mean(axis=1), ls=line, lw=1, label=f"$a + b\\,${name}, {100 * explained:.1f} %", **look)
    axes.fill_between(fine, [e.low for e in at], [e.high for e in at], alpha=0.15, lw=0, **look)


def nodes(results: Results) -> Figure:
    """Draw regret at the horizon over n: of all policies far above and below T_1, and CN-UCB's with fits."""
    figure, (together, alone) = plt.subplots(1, 2, figsize=(11, 4))
    for name, settings in POLICIES.items():
        if settings.get("arms") == "reward":
            continue
        colour = POLICY_COLOURS[name]
        beside = "_thompson" if name == "TS" else ""
        for experiment, filled in ((f"far{beside}", True), (f"below{beside}", False)):
            if results.policies(experiment, **settings):
                x, finals = _over(results, experiment, "nodes", "cumulative_regret", **settings)
                points(
                    together, x, finals, color=colour, label=name if filled else None, mfc=colour if filled else "none"
                )
                together.plot(x, finals.mean(axis=1), color=colour, lw=1, ls="-" if filled else ":")
    together.set(
        xscale="log", ylim=(0, None), title=f"T = {results.horizon('far'):,}; hollow: {results.horizon('below'):,}"
    )
    together.legend(fontsize=8)
    x, finals = _over(results, "nodes", "nodes", "cumulative_regret", **POLICIES["CN-UCB"])
    points(alone, x, finals, color=POLICY_COLOURS["CN-UCB"], label="mean of the runs")
    for law, colour in (("log_squared", "orange"), ("log", "black"), ("sqrt", "grey")):
        _fit(alone, x, finals, law, color=COLOURS[colour])
    alone.set(xscale="log", ylim=(0, None), title=f"CN-UCB, T = {results.horizon('nodes'):,}")
    alone.legend(fontsize=7.5, title="fit, variance explained", title_fontsize=7.5)
    for axes in (together, alone):
        axes.set_xlabel("nodes $n$")
        thousands(axes.yaxis)
    together.set_ylabel("cumulative regret")
    figure.tight_layout()
    return figure


def interventions(results: Results) -> Figure:
    """Draw how many variables are intervened on over n.

    The rounds before stage 3 are drawn against the paper's T_1.
    """
    figure, (counted, axes) = plt.subplots(1, 2, figsize=(10.5, 4.2))
    _counted(results, "nodes", counted)
    played = results.experiments(algorithm="cn_ucb")
    # Neighbours in the legend differ in marker and colour: some pairs of colours look alike to colour-blind readers.
    for experiment, colour, marker in zip(played, cycle(COLOURS.values()), cycle("o^sDvPX"), strict=False):
        finals = results.finals[experiment]
        ours = finals[finals["policy"].isin(results.policies(experiment, algorithm="cn_ucb"))]
        axes.plot(ours["bound"], ours["sample_complexity"], marker, ms=3, mew=0, color=colour, label=graphs(experiment))
    axes.axline((1e5, 1e5), (1e6, 1e6), color=COLOURS["black"], lw=0.8, label="as many as $T_1$")
    axes.set(xscale="log", yscale="log", xlabel="the paper's $T_1$", ylabel="rounds before stage 3")
    axes.legend(markerscale=2, fontsize=7.5, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _counted(results: Results, experiment: str, axes: Axes) -> None:
    """Draw the number of variables intervened on in every run over n, its mean, and what Lemma 1 allows."""
    labels = sorted(
        (int(str(results.settings(experiment, label)["nodes"])), label)
        for label in results.policies(experiment, algorithm="cn_ucb")
    )
    states, degree = (int(str(results.settings(experiment, labels[0][1])[name])) for name in ("states", "degree"))
    means = []
    for n, label in labels:
        stages = sum(_outcomes(results, experiment, f"rounds_stage_{stage}", label) for stage in (1, 2))
        tested = np.asarray(stages / (states * _outcomes(results, experiment, "rounds_observing", label)))
        axes.plot(np.full(len(tested), n), tested, "o", ms=2.5, mew=0, color=COLOURS["red"], alpha=0.5)
        means.append(tested.mean())
    x = np.array([n for n, _ in labels])
    axes.plot(x, means, color=COLOURS["red"], lw=1, label="CN-UCB, mean")
    allowed = [lemma_1(n, degree) for n in x]
    axes.plot(x, allowed, color=COLOURS["black"], lw=0.8, label=r"$(2 + d)\,\log_2 n$ (Lemma 1)")
    axes.set(xscale="log", xlabel="nodes $n$", ylabel="variables intervened on", ylim=(0, None))
    axes.legend(fontsize=8)


def scale(results: Results) -> Figure:
    """Draw how many variables stages 1 and 2 intervene on up to 100,000 nodes."""
    figure, axes = plt.subplots(figsize=(5, 3.6))
    _counted(results, "scale", axes)
    return figure


def _searching(results: Results) -> Iterator[tuple[str, str, str]]:
    """Yield experiment, label and name of every policy of CN-UCB.

    A name says what tells the policy from the others.
    """
    for experiment in results.experiments(algorithm="cn_ucb"):
        labels = results.policies(experiment, algorithm="cn_ucb")
        apart = told_apart({label: results.settings(experiment, label) for label in labels}, SETTINGS)
        for label in labels:
            yield experiment, label, graphs(experiment, apart[label])


def _shares(results: Results, metric: str) -> pd.DataFrame:
    """Compute for every policy of CN-UCB the share of runs in which ``metric`` is 1, with its interval."""
    rows = []
    for experiment, label, name in _searching(results):
        values = _outcomes(results, experiment, metric, label)
        if not len(values):
            continue
        low, high = clopper_pearson(int(values.sum()), len(values))
        rows.append({"name": name, "share": values.mean(), "low": low, "high": high})
    return pd.DataFrame(rows, columns=["name", "share", "low", "high"])


def success(results: Results) -> Figure:
    """Draw how often stages 1 and 2 find X_R, with 95 % intervals, against 1 - delta."""
    shares = _shares(results, "correct").iloc[::-1].reset_index(drop=True)
    figure, axes = plt.subplots(figsize=(5.6, 0.2 * len(shares) + 1))
    around = [shares["share"] - shares["low"], shares["high"] - shares["share"]]
    axes.errorbar(shares["share"], shares.index, xerr=around, fmt="o", ms=3.5, capsize=2, color=COLOURS["red"])
    axes.axvline(0.95, color=COLOURS["black"], lw=0.8, ls="--")
    axes.set_yticks(shares.index, shares["name"], fontsize=7)
    axes.set(xlabel=r"share of runs that find $X_R$ (dashed: $1-\delta$)")
    return figure


def necessity(results: Results) -> Figure:
    """Draw regret on the instances of Theorems 4 and 5 over n as a share of sqrt(nKT), with Eq. 4."""
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    colour = COLOURS["green"]
    for axes, experiment, explorers in zip(panels, ("theorem4", "theorem5"), ("ends4", "ends5"), strict=True):
        # side by side, where they have the same regret
        for name, aside in (("CN-UCB", 0.94), ("UCB", 1.06)):
            x, finals = _over(results, experiment, "nodes", "cumulative_regret", **POLICIES[name])
            unit = np.array([8 * minimax(n, _states(results, experiment), results.horizon(experiment)) for n in x])
            points(axes, x * aside, finals / unit[:, np.newaxis], color=POLICY_COLOURS[name], label=name)
        (explorer,) = results.policies(explorers)
        own, horizon = results.settings(explorers, explorer), results.horizon(explorers)
        most, states, explored = int(str(own["nodes"])), int(str(own["states"])), float(str(own["explored"]))
        fine = np.unique(np.geomspace(x[0], most, 50).round()).astype(int)
        ends = [regret_at_the_ends(int(n), states, horizon, explored) / (8 * minimax(n, states, horizon)) for n in fine]
        played = results.final(explorers).to_numpy() / (8 * minimax(most, states, horizon))
        axes.axhline(1 / 4, color=COLOURS["grey"], lw=1, label="never the good arm")
        axes.axhline(1 / 8, color=COLOURS["black"], lw=1, label="Eq. 4")
        axes.plot(fine, ends, color=colour, lw=1, ls="--", label="exploring the ends, exact")
        points(axes, np.array([most]), [played], color=colour, label="exploring the ends, simulated")
        axes.set(xscale="log", xlabel="nodes $n$", title=f"instances of Theorem {experiment[-1]}", ylim=(0, None))
    panels[0].set_ylabel(r"regret / $\sqrt{nKT}$")
    panels[1].legend(fontsize=7.5, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _states(results: Results, experiment: str) -> int:
    """K of an experiment whose policies all have the same."""
    label, *_ = results.policies(experiment)
    return int(str(results.settings(experiment, label)["states"]))


def samples(results: Results) -> Figure:
    """Draw where the rounds of a run go before stage 3, stage by stage."""
    rows, names, labels = [], [], []
    for experiment, label, name in _searching(results):
        total = _outcomes(results, experiment, "sample_complexity", label)
        if not len(total):
            continue
        share = (total / _outcomes(results, experiment, "bound", label)).mean()
        rows.append(([_outcomes(results, experiment, m, label).mean() for m in STAGES], mean_of(total)))
        names.append(name)
        labels.append(f"{100 * share:.0f} % of $T_1$")
    figure, axes = plt.subplots(figsize=(6.4, 0.22 * len(rows) + 1))
    left, at = np.zeros(len(rows)), np.arange(len(rows))
    for i, (part, colour) in enumerate(STAGE_COLOURS.items()):
        width = np.array([means[i] for means, _ in rows])
        axes.barh(at, width, left=left, color=colour, label=STAGES[part], height=0.75)
        left += width
    mean, low, high = (np.array([getattr(e, side) for _, e in rows]) for side in ("value", "low", "high"))
    axes.errorbar(mean, at, xerr=[mean - low, high - mean], fmt="none", color=COLOURS["grey"], capsize=2, lw=1)
    ends = np.fmax(mean, high)  # few seeds that all take as many rounds tell nothing of the spread
    for y, x, text in zip(at, ends, labels, strict=True):
        axes.text(float(x), float(y), f" {text}", fontsize=6.5, va="center")
    axes.set_yticks(at, names, fontsize=7)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set(xlabel="rounds before stage 3", xlim=(0, 1.15 * float(ends.max())))
    axes.locator_params(axis="x", nbins=6)
    thousands(axes.xaxis)
    axes.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "fig1": figure1,
    "rounds": rounds,
    "nodes": nodes,
    "interventions": interventions,
    "scale": scale,
    "success": success,
    "necessity": necessity,
    "samples": samples,
    "learned": learned,
    "practitioner": practitioner,
}
