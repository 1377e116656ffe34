"""Figures of lu2021 about who has observations and not the essential graph."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from experiments.drawing.plotting import COLOURS
from experiments.results import Results
from replication.judging.judges.intervals import clopper_pearson
from replication.papers.lu2021.axes import mean_of, points, thousands
from replication.papers.lu2021.labels import POLICIES, POLICY_COLOURS


def _by_observations(results: Results, metric: str) -> tuple[np.ndarray, list[np.ndarray]]:
    """Collect an outcome by the number of observations; runs without one are left out."""
    labels = {int(str(results.settings("learned", p)["samples"])): p for p in results.policies("learned")}
    finals = {n: results.final("learned", metric, policy=labels[n]).dropna().to_numpy() for n in sorted(labels)}
    finals = {n: values for n, values in finals.items() if len(values)}
    return np.array(list(finals)), list(finals.values())


def learned(results: Results) -> Figure:
    """Draw how often X_R is found with a learned graph, by the number of observations.

    How often it is found with the true graph stands beside it.
    """
    figure, axes = plt.subplots(figsize=(5, 3.4))
    x, finals = _by_observations(results, "correct")
    shares = [(v.mean(), *clopper_pearson(int(v.sum()), len(v))) for v in finals]
    around = [[s - low for s, low, _ in shares], [high - s for s, _, high in shares]]
    axes.errorbar(
        x,
        [s for s, _, _ in shares],
        yerr=around,
        fmt="o-",
        ms=4,
        capsize=2,
        color=COLOURS["red"],
        label="learned graph",
    )
    oracle = results.final("told", "correct", **POLICIES["CN-UCB"])
    low, high = clopper_pearson(int(oracle.sum()), len(oracle))
    axes.axhline(oracle.mean(), color=COLOURS["green"], label="true essential graph")
    axes.axhspan(low, high, color=COLOURS["green"], alpha=0.15, lw=0)
    axes.set(xscale="log", xlabel="observations", ylabel="share of runs that find $X_R$", ylim=(-0.02, 1.02))
    axes.legend()
    return figure


def practitioner(results: Results) -> Figure:
    """Draw the regret of a learner who has only data: with a graph learned from it, or without a graph."""
    figure, axes = plt.subplots(figsize=(5, 3.4))
    x, finals = _by_observations(results, "cumulative_regret")
    points(axes, x, finals, color=POLICY_COLOURS["CN-UCB"], label="CN-UCB, learned graph")
    for name, label in (
        ("CN-UCB", "CN-UCB, true essential graph"),
        ("UCB", "UCB, no graph"),
        ("TS", "TS, no graph"),
        ("RAPS", "RAPS, no graph"),
    ):
        at = mean_of(results.final("told", **POLICIES[name]).to_numpy())
        colour = COLOURS["green"] if name == "CN-UCB" else POLICY_COLOURS[name]
        axes.axhline(at.value, color=colour, label=label)
        axes.axhspan(at.low, at.high, color=colour, alpha=0.15, lw=0)
    axes.set(xscale="log", xlabel="observations", ylabel=f"regret, T = {results.horizon('told'):,}", ylim=(0, None))
    thousands(axes.yaxis)
    axes.legend(fontsize=7.5, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure
