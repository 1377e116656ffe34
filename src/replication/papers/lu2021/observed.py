"""The figure of lu2021 about who has observations and not the essential graph."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from experiments.drawing.plotting import canvas, name_ends, plain, thousands
from experiments.results import Results
from replication.papers.lu2021.axes import mean_of, points
from replication.papers.lu2021.labels import POLICIES, POLICY_COLOURS


def practitioner(results: Results) -> Figure:
    """Draw the regret of a learner who has only data: with a graph learned from it, or without a graph."""
    figure, ((axes,),) = canvas(height=3.8, width=7)
    labels = {int(str(results.settings("learned", p)["samples"])): p for p in results.policies("learned")}
    finals = {n: results.final("learned", policy=labels[n]).dropna().to_numpy() for n in sorted(labels)}
    finals = {n: values for n, values in finals.items() if len(values)}
    axes.set_xscale("log")
    look = {"color": POLICY_COLOURS["CN-UCB"], "label": "CN-UCB, learned graph"}
    points(axes, np.array(list(finals)), list(finals.values()), **look)
    ends = []
    for name, label, line in (
        ("CN-UCB", "CN-UCB, true graph", "--"),
        ("UCB", "UCB", "-"),
        ("TS", "TS", "-"),
        ("RAPS", "RAPS", "-"),
    ):
        at = mean_of(results.final("told", **POLICIES[name]).to_numpy())
        colour = POLICY_COLOURS[name]
        axes.axhline(at.value, color=colour, ls=line)
        axes.axhspan(at.low, at.high, color=colour, alpha=0.15, lw=0)
        ends.append((label, at.value, colour))
    axes.set(xlabel="observations", ylabel=f"regret after {results.horizon('told'):,} rounds", ylim=(0, None))
    plain(axes.xaxis, list(finals))
    thousands(axes.yaxis)
    axes.legend()
    name_ends(axes, ends)
    return figure
