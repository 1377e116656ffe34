"""Simple regret by the number of rare causes and by the horizon: Fig. 2 (a) and (c)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.figure import Figure

from experiments.aggregate import half_width
from experiments.drawing.plotting import COLOURS, canvas
from experiments.results import Results

NAMES = {
    "lattimore2016.policies:ParallelCausal": ("Algorithm 1", "orange"),
    "lattimore2016.policies:Rejects": ("Successive Rejects", "blue"),
    "lattimore2016.policies:UCB": ("UCB", "green"),
    "thompson": ("Thompson sampling", "purple"),
}


def regret(results: Results) -> Figure:
    """Draw the mean simple regret of every policy, with 95 % intervals."""
    figure, panels = canvas(1, 2, height=3.2)
    for axes, experiment, setting in zip(panels[0], ("by_m", "by_horizon"), ("m", "horizon"), strict=True):
        for algorithm, (name, colour) in NAMES.items():
            played = results.policies(experiment, algorithm=algorithm)
            x = [float(str(results.settings(experiment, policy)[setting])) for policy in played]
            values = [results.final(experiment, "simple_regret", policy=policy) for policy in played]
            error = half_width(np.array([v.std() for v in values]), np.array([len(v) for v in values]))
            axes.errorbar(x, [v.mean() for v in values], error, label=name, color=COLOURS[colour], marker="o")
        axes.set(xlabel={"m": "causes that are never 1", "horizon": "rounds"}[setting], ylabel="simple regret")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {"regret": regret}
