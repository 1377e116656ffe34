"""Figures of lu2021: Fig. 1 from a run's own steps, and the theorems as experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.essential import essential_graph
from replication.drawing.diagrams import Positions, draw_diagram
from replication.drawing.plotting import COLOURS, draw_curve
from replication.drawing.tabulate import told_apart
from replication.judging.judges.intervals import clopper_pearson, mean_interval
from replication.papers.lu2021.axes import points, thousands
from replication.papers.lu2021.labels import POLICIES, POLICY_COLOURS, STAGE_COLOURS, STAGES
from replication.papers.lu2021.observed import learned, practitioner
from replication.papers.lu2021.problems import FIGURE1
from replication.papers.lu2021.theory import minimax, regret_at_the_ends
from replication.pipeline.files import read
from replication.pipeline.results import Results

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


#: Laws of growth that are fitted: f, what it is called, and its line.
LAWS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], str, str]] = {
    "log": (np.log, "log n", "-"),
    "log_squared": (lambda n: np.log(n) ** 2, "(log n)$^2$", "-."),
    "sqrt": (np.sqrt, "√n", "--"),
}


def figure1(results: Results) -> Figure:
    """Fig. 1 (a)-(j): every panel after (b) is drawn from the steps of the first run of stage ``trace``."""
    tree = ADMG(FIGURE1)
    steps = [row for row in read(results.file("trace")).to_pylist() if row["seed"] == 0]
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
            panels.append((f"stage {stage} (t = {t}): do({', '.join(step['centre'])})", tree, centre, out))
            others = [v for v in step["tested"] if v not in step["centre"]]
            if others:
                marked = dict.fromkeys(others, blue)
                panels.append((f"stage {stage} (t = {t}): do({', '.join(others)})", tree, marked, out))
            left = set(step["left"])
            if stage == 1:
                panels.append((f"stage 1 (t = {t}): result", tree, centre, sorted(set(tree.nodes) - left)))
        word = "directed subtree" if stage == 1 else f"{', '.join(sorted(left))} remains"
        panels.append(
            (f"stage {stage}: {word}", tree, dict.fromkeys(left, COLOURS["green"]), sorted(set(tree.nodes) - left))
        )
    figure, grid = plt.subplots(2, -(-len(panels) // 2), figsize=(13, 5))
    for axes in grid.flat:
        axes.set_axis_off()
    for axes, letter, (title, graph, colours, out) in zip(grid.flat, "abcdefghijklmnop", panels, strict=False):
        draw_diagram(axes, graph, POSITIONS, node_colours=colours, shaded=out, title=f"({letter}) {title}")
        axes.title.set_fontsize(7.5)
    return figure


def _drawn(results: Results, experiment: str) -> dict[str, dict[str, Any]]:
    """The named policies that an experiment plays."""
    return {name: settings for name, settings in POLICIES.items() if results.policies(experiment, **settings)}


def rounds(results: Results) -> Figure:
    """Mean cumulative regret over the rounds, with 95 % bands."""
    figure, axes = plt.subplots(figsize=(5.4, 3.6))
    for name, settings in _drawn(results, "rounds").items():
        draw_curve(axes, results.curve("rounds", **settings), color=POLICY_COLOURS[name], label=name)
    axes.set(xlabel="rounds $t$", ylabel="cumulative regret", ylim=(0, None))
    axes.locator_params(axis="x", nbins=6)
    thousands(axes.xaxis, axes.yaxis)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _over(
    results: Results, experiment: str, option: str, metric: str, **settings: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Values of an option of the problem, shape (points,), and finals, shape (points, seeds)."""
    labels = results.policies(experiment, **settings)
    points = sorted((float(str(results.settings(experiment, label)[option])), label) for label in labels)
    finals = [results.final(experiment, metric, policy=label).to_numpy() for _, label in points]
    return np.array([x for x, _ in points]), np.array(finals)


def _outcomes(results: Results, experiment: str, metric: str, policy: str) -> np.ndarray:
    """An outcome of the runs of a policy that the horizon did not cut off; there may be none."""
    return results.final(experiment, metric, policy=policy).dropna().to_numpy()


def _fit(axes: Axes, x: np.ndarray, finals: np.ndarray, law: str, **look: Any) -> None:
    """The least-squares fit a + b f(n), with its 95 % band over seeds and the share of variance that it explains."""
    f, name, line = LAWS[law]
    fine = np.geomspace(x[0], x[-1], 60)
    design = np.column_stack([np.ones_like(x), f(x)])
    coefficients = np.linalg.lstsq(design, finals, rcond=None)[0]  # one fit per seed; their mean is the mean's fit
    curves = np.column_stack([np.ones_like(fine), f(fine)]) @ coefficients
    at = [mean_interval(values) for values in curves]
    mean = finals.mean(axis=1)
    explained = 1 - ((mean - (design @ coefficients).mean(axis=1)) ** 2).sum() / ((mean - mean.mean()) ** 2).sum()
    axes.plot(fine, curves.mean(axis=1), ls=line, lw=1, label=f"$a + b\\,${name}, {100 * explained:.1f} %", **look)
    axes.fill_between(fine, [e.low for e in at], [e.high for e in at], alpha=0.15, lw=0, **look)


def nodes(results: Results) -> Figure:
    """Regret at the horizon over n: of all policies, and of each with fits of (log n)^2, of log n and of sqrt n."""
    fitted = {name: own for name, own in _drawn(results, "nodes").items() if own.get("arms") != "reward"}
    figure, panels = plt.subplots(2, 3, figsize=(13, 7.2))
    together, *others, key = panels.flat
    said = _all_over_nodes(results, together)
    key.legend(*together.get_legend_handles_labels(), title="\n".join(said), title_fontsize=8, loc="center left")
    for axes in (key, *others[len(fitted) :]):
        axes.set_axis_off()
    for axes, (name, settings) in zip(others, fitted.items(), strict=False):
        x, finals = _over(results, "nodes", "nodes", "cumulative_regret", **settings)
        points(axes, x, finals, color=POLICY_COLOURS[name], label="mean of the runs")
        for law, colour in (("log_squared", "orange"), ("log", "black"), ("sqrt", "grey")):
            _fit(axes, x, finals, law, color=COLOURS[colour])
        axes.set(xscale="log", ylim=(0, None), title=name)
        thousands(axes.yaxis)
        axes.legend(fontsize=7.5, title="fit, variance explained", title_fontsize=7.5)
    for axes in panels.flat:
        axes.set_xlabel("nodes $n$")
    for axes in panels[:, 0]:
        axes.set_ylabel(f"cumulative regret, T = {results.horizon('nodes'):,}")
    figure.tight_layout()
    return figure


def _all_over_nodes(results: Results, axes: Axes) -> list[str]:
    """Every policy's regret over n; in words, where the rounds become too few, and how far each policy was played."""
    horizon = results.horizon("nodes")
    for experiment in ("nodes", "candidates"):
        for name, settings in _drawn(results, experiment).items():
            x, finals = _over(results, experiment, "nodes", "cumulative_regret", **settings)
            colour, played = POLICY_COLOURS[name], f"{name}, {finals.shape[1]} seeds, n ≤ {x[-1]:,.0f}"
            points(axes, x, finals, color=colour, label=played)
            axes.plot(x, finals.mean(axis=1), color=colour, lw=1)
    axes.set(xscale="log", yscale="log", title="all policies")
    x, bounds = _over(results, "nodes", "nodes", "bound", **POLICIES["CN-UCB"])
    (label,) = results.policies("nodes", **POLICIES["UCB"], nodes=int(x[-1]))
    states = int(str(results.settings("nodes", label)["states"]))
    said = [
        f"UCB and TS have {horizon / states / x[-1]:,.0f} rounds for each arm at n = {x[-1]:,.0f},",
        f"and less than one (UCB cannot be played) above n = {horizon / states:,.0f}",
    ]
    beyond = x[bounds.max(axis=1) > horizon]
    if len(beyond):
        axes.axvspan(np.sqrt(x[x < beyond[0]].max() * beyond[0]), 1.3 * x[-1], color=COLOURS["grey"], alpha=0.15, lw=0)
        said.append(f"shaded: T is less than CN-UCB's $T_1$, from n = {beyond[0]:,.0f}")
    for label in results.policies("candidates", **POLICIES["RAPS"]):
        runs = results.final("candidates", "sample_complexity", policy=label)
        if runs.isna().any():
            at = int(str(results.settings("candidates", label)["nodes"]))
            said.append(f"RAPS, n = {at:,}: the search of {runs.isna().sum()} of {len(runs)} runs takes more than T")
    return said


def interventions(results: Results) -> Figure:
    """Rounds before stage 3 of every run, against the paper's T_1."""
    figure, axes = plt.subplots(figsize=(5, 4.2))
    played = results.experiments(algorithm="cn_ucb")
    looks = [(colour, marker) for marker in ("o", "^", "s") for colour in COLOURS.values()]
    for experiment, (colour, marker) in zip(played, looks[: len(played)], strict=True):
        finals = results.finals[experiment]
        ours = finals[finals["policy"].isin(results.policies(experiment, algorithm="cn_ucb"))]
        axes.plot(ours["bound"], ours["sample_complexity"], marker, ms=2.5, mew=0, color=colour, label=experiment)
    axes.axline((1e5, 1e5), (1e6, 1e6), color=COLOURS["black"], lw=0.8, label="as many as $T_1$")
    axes.set(xscale="log", yscale="log", xlabel="the paper's $T_1$", ylabel="rounds before stage 3")
    axes.legend(markerscale=2, fontsize=7.5, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _searching(results: Results) -> Iterator[tuple[str, str, str]]:
    """Experiment and label of every policy of CN-UCB, and what it is called: by what tells it from its others."""
    for experiment in results.experiments(algorithm="cn_ucb"):
        labels = results.policies(experiment, algorithm="cn_ucb")
        apart = told_apart({label: results.settings(experiment, label) for label in labels})
        for label in labels:
            yield experiment, label, ": ".join(filter(None, (experiment, apart[label])))


def _shares(results: Results, metric: str) -> pd.DataFrame:
    """Of every policy of CN-UCB the share of runs, with its interval."""
    rows = []
    for experiment, label, name in _searching(results):
        values = _outcomes(results, experiment, metric, label)
        if not len(values):
            continue
        low, high = clopper_pearson(int(values.sum()), len(values))
        rows.append({"name": name, "share": values.mean(), "low": low, "high": high})
    return pd.DataFrame(rows, columns=["name", "share", "low", "high"])


def success(results: Results) -> Figure:
    """How often stages 1 and 2 find X_R, with 95 % intervals, against 1 - delta."""
    shares = _shares(results, "correct").iloc[::-1].reset_index(drop=True)
    figure, axes = plt.subplots(figsize=(5.6, 0.2 * len(shares) + 1))
    around = [shares["share"] - shares["low"], shares["high"] - shares["share"]]
    axes.errorbar(shares["share"], shares.index, xerr=around, fmt="o", ms=3.5, capsize=2, color=COLOURS["red"])
    axes.axvline(0.95, color=COLOURS["black"], lw=0.8, ls="--")
    axes.set_yticks(shares.index, shares["name"], fontsize=7)
    axes.set(xlabel=r"share of runs that find $X_R$ (dashed: $1-\delta$)")
    return figure


def necessity(results: Results) -> Figure:
    """Theorems 4 and 5: regret on their instances over n, Eq. 4, and what exploring the ends of the path has."""
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    colour = COLOURS["green"]
    for axes, experiment, explorers in zip(panels, ("theorem4", "theorem5"), ("ends4", "ends5"), strict=True):
        # side by side, where they have the same regret
        for name, aside in (("CN-UCB", 0.94), ("UCB", 1.06)):
            x, finals = _over(results, experiment, "nodes", "cumulative_regret", **POLICIES[name])
            points(axes, x * aside, finals, color=POLICY_COLOURS[name], label=name)
        (explorer,) = results.policies(explorers)
        own, horizon = results.settings(explorers, explorer), results.horizon(explorers)
        most, states = (int(str(own[key])) for key in ("nodes", "states"))
        explored = float(str(own["explored"]))
        if horizon != results.horizon(experiment):
            raise ValueError(f"{explorers} has {horizon} rounds, {experiment} has not")
        fine = np.unique(np.geomspace(x[0], most, 50).round()).astype(int)
        bound = [minimax(n, states, horizon) for n in fine]
        ends = [regret_at_the_ends(int(n), states, horizon, explored) for n in fine]
        axes.plot(fine, bound, color=COLOURS["black"], lw=1, label=r"$\sqrt{nKT}/8$ (Eq. 4)")
        axes.plot(fine, ends, color=colour, lw=1, ls="--", label="exploring the ends, exact")
        points(axes, np.array([most]), [results.final(explorers).to_numpy()], color=colour, label="the same, simulated")
        axes.set(xscale="log", xlabel="nodes $n$", title=f"instances of Theorem {experiment[-1]}", ylim=(0, None))
    panels[0].set_ylabel(f"cumulative regret, T = {results.horizon('theorem4'):,}")
    panels[0].legend(fontsize=7.5)
    return figure


def samples(results: Results) -> Figure:
    """Where the rounds of a run go before stage 3, stage by stage."""
    rows, names, labels = [], [], []
    for experiment, label, name in _searching(results):
        total = _outcomes(results, experiment, "sample_complexity", label)
        if not len(total):
            continue
        share = (total / _outcomes(results, experiment, "bound", label)).mean()
        rows.append(([_outcomes(results, experiment, m, label).mean() for m in STAGES], mean_interval(total)))
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
    "success": success,
    "necessity": necessity,
    "samples": samples,
    "learned": learned,
    "practitioner": practitioner,
}
