"""Figures of xiong2023: none is published with the text, all are of what it states (ledger L135)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from replication.drawing.plotting import COLOURS, draw_curve
from replication.judging.judges.intervals import clopper_pearson
from replication.papers.xiong2023.labels import POLICIES, correct, rounds_of
from replication.papers.xiong2023.profiles import Profile
from replication.pipeline.aggregate import half_width
from replication.pipeline.results import NotRunError, Results

#: Experiments along one setting: the setting, its axis, and whether the axis is logarithmic.
SWEEPS = {
    "scaling": ("variables", "variables $n$", True),
    "gap": ("effect", "effect of $X_1$ (twice the gap)", True),
    "epsilon": ("epsilon", r"$\varepsilon$", False),
    "delta": ("delta", r"$\delta$", True),
    "skew": ("rare_chance", "$q_a$ of the rare actions", True),
    "rare": ("rare", "number of rare actions", False),
    "lower_bound": ("rare", "number of rare actions, Theorem 3's class", False),
}


def _points(results: Results, experiment: str, setting: str, chosen: Mapping[str, Any]) -> pd.DataFrame:
    """Mean rounds with their 95 % interval, and what the theorems say, by the setting's value."""
    rows = []
    for policy in results.policies(experiment, **chosen):
        settings, rounds = results.settings(experiment, policy), rounds_of(results, experiment, policy=policy)
        half = half_width(np.array([rounds.std()]), np.array([len(rounds)]))[0]
        profile = Profile.of(settings)
        rows.append(
            {
                "x": float(str(settings[setting])),
                "mean": rounds.mean(),
                "half": half,
                "upper": profile.upper,
                "bandit": profile.bandit_upper,
                "lower": profile.lower if profile.in_class and profile.lower > 0 else np.nan,
            }
        )
    return pd.DataFrame(rows).sort_values("x")


def _defaults(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """All settings that tell the policies of `POLICIES` apart, with their defaults."""
    usual: dict[str, dict[str, Any]] = {
        "lucb": {"bounds": "lucb1", "alpha": 2.0},
        "ccpe_general": {"alpha_o": 8.0, "alpha_i": 2.0},
        "track_and_stop": {},
    }
    return {**usual[str(chosen["algorithm"])], **chosen}


def _sweep(axes: Axes, results: Results, experiment: str) -> None:
    """One panel: rounds of every policy along the experiment's setting."""
    setting, label, logarithmic = SWEEPS[experiment]
    for name, (chosen, colour, line) in POLICIES.items():
        try:
            points = _points(results, experiment, setting, _defaults(chosen))
        except (NotRunError, KeyError):
            continue  # the configuration leaves it out
        axes.errorbar(points["x"], points["mean"], yerr=points["half"], color=colour, linestyle=line, marker="o",
                      markersize=3, capsize=2, linewidth=1.2)  # fmt: skip
        if name == "CCPE-General":
            axes.plot(points["x"], points["upper"], color=COLOURS["black"], linestyle=":")
            axes.plot(points["x"], points["bandit"], color=COLOURS["grey"], linestyle=":")
            axes.plot(points["x"], points["lower"], color=COLOURS["black"], linestyle="--", linewidth=1)
    axes.set(yscale="log", xscale="log" if logarithmic else "linear", xlabel=label, title=experiment)
    places = sorted({float(str(results.settings(experiment, p)[setting])) for p in results.policies(experiment)})
    axes.set_xticks(places, [f"{x:g}" for x in places])
    axes.minorticks_off()


def sweeps(results: Results) -> Figure:
    """Rounds until the answer along each setting, 95 % intervals, and the orders of the theorems without constants.

    Dotted Theorem 2's and LUCB1's, dashed Theorem 3's for problems of its class where it is above 0.
    """
    there = [experiment for experiment in SWEEPS if experiment in results.experiments()]
    rows = (len(there) + 2) // 3
    figure, panels = plt.subplots(rows, 3, figsize=(11, 3.4 * rows), squeeze=False)
    for axes, experiment in zip(panels.ravel(), there, strict=False):
        _sweep(axes, results, experiment)
    for axes in panels.ravel()[len(there) :]:
        axes.set_axis_off()
    for row in panels:
        row[0].set_ylabel("rounds")
    handles = [Line2D([], [], color=c, ls=line, label=name) for name, (_, c, line) in POLICIES.items()]
    orders = {"Theorem 2's order": ("black", ":"), "LUCB1's order": ("grey", ":"), "Theorem 3's order": ("black", "--")}
    handles += [Line2D([], [], color=COLOURS[c], ls=line, label=label) for label, (c, line) in orders.items()]
    figure.tight_layout()
    figure.legend(handles=handles, loc="upper center", ncols=4, bbox_to_anchor=(0.5, 0.0))
    return figure


def watching(results: Results) -> Figure:
    """How many actions have their narrower interval from watching, and how many from playing, over rounds."""
    chosen = {name: POLICIES[name][0] for name in ("CCPE-General", "CCPE-General, Hoeffding")}
    figure, panels = plt.subplots(1, len(chosen), figsize=(9, 3.2))
    for axes, (name, settings) in zip(panels, chosen.items(), strict=True):
        for metric, label, colour in (
            ("by_watching", "by watching", COLOURS["blue"]),
            ("by_playing", "by playing", COLOURS["orange"]),
        ):
            curve = results.curve("watching", metric, **settings)
            # Later checkpoints are means of the few runs that have not ended.
            draw_curve(axes, curve[curve["n"] >= 0.5 * curve["n"].max()], color=colour, label=label)
        axes.set(xlabel="rounds", title=name, ylim=(0, None), xlim=(0, None))
    panels[0].set_ylabel("actions known better")
    panels[0].legend(loc="center right")
    figure.tight_layout()
    return figure


def observation_thresholds(results: Results) -> Figure:
    """Observation threshold, gap-dependent threshold and number of actions, problem by problem."""
    shown: dict[str, Profile] = {}
    for experiment in results.experiments():
        if experiment in ("epsilon", "delta", "gap"):
            continue  # one graph, one q
        for policy in results.policies(experiment, **_defaults(POLICIES["CCPE-General"][0])):
            settings = results.settings(experiment, policy)
            setting = SWEEPS[experiment][0] if experiment in SWEEPS else ""
            at = f", {setting.replace('_', ' ')} {settings[setting]}" if setting else ""
            shown[experiment + at] = Profile.of(settings)
    names = list(shown)
    figure, axes = plt.subplots(figsize=(9, 3.4))
    for values, marker, colour, size, label in (
        ([len(p.q) for p in shown.values()], "_", COLOURS["black"], 7, "$|A|$"),
        ([2 * p.threshold for p in shown.values()], "v", COLOURS["grey"], 6, "$2m$, the bound of Lemma 1"),
        ([p.threshold for p in shown.values()], "s", COLOURS["blue"], 9, "$m$"),
        ([p.gap_dependent for p in shown.values()], "o", COLOURS["red"], 4.5, r"$m_{\varepsilon,\Delta}$"),
    ):
        axes.plot(range(len(names)), values, marker, color=colour, label=label, markersize=size)
    axes.set(yscale="log", ylabel="actions")
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", fontsize=7)
    axes.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.18))
    return figure


def fixed_budget(results: Results) -> Figure:
    """Share of wrong answers over the budget, with Clopper and Pearson's intervals."""
    experiments = results.experiments()
    figure, panels = plt.subplots(
        1, len(experiments), figsize=(4.2 * len(experiments), 3.2), sharey=True, squeeze=False
    )
    for axes, experiment in zip(panels[0], experiments, strict=True):
        for watch, colour, label in ((0.0, "blue", "playing alone"), (0.5, "red", "half of each phase watching")):
            budgets, shares, intervals = [], [], []
            for policy in results.policies(experiment, watch=watch):
                right = correct(results, experiment, policy=policy)
                wrong = int((~right).sum())
                budgets.append(float(str(results.settings(experiment, policy)["budget"])))
                shares.append(wrong / len(right))
                intervals.append(clopper_pearson(wrong, len(right)))
            errors = np.abs(np.transpose(intervals) - shares)
            axes.errorbar(budgets, shares, yerr=errors, color=COLOURS[colour], marker="o", markersize=3, capsize=2,
                          label=label)  # fmt: skip
        axes.set(xscale="log", xlabel="budget, rounds", title=experiment.removeprefix("budget_"), ylim=(0, None))
    panels[0, 0].set_ylabel("share of wrong answers")
    panels[0, 0].legend()
    figure.tight_layout()
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "sweeps": sweeps,
    "watching": watching,
    "fixed_budget": fixed_budget,
    "observation_thresholds": observation_thresholds,
}
