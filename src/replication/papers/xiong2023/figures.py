"""Draw figures of what xiong2023's main text states; the paper's own are in an appendix (ledger L135)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.aggregate import half_width
from experiments.drawing.plotting import COLOURS, canvas, name_ends, plain
from experiments.results import NotRunError, Results
from replication.judging.judges.intervals import Estimate, clopper_pearson, ratio_interval
from replication.papers.xiong2023.policies import POLICIES, correct, rounds_of
from replication.papers.xiong2023.theory import Profile

#: Experiments along one setting: the setting, the panel's title, its axis, and whether the axis is logarithmic.
SWEEPS = {
    "scaling": ("variables", "More variables", "variables $n$", True),
    "gap": ("effect", "A larger gap", "effect of $X_1$ (twice the gap)", True),
    "epsilon": ("epsilon", "A larger error allowed", r"$\varepsilon$", False),
    "delta": ("delta", "Less confidence", r"$\delta$", True),
    "skew": ("rare_chance", "Rare actions more often observed", "$q_a$ of the rare actions", True),
    "rare": ("rare", "More rare actions", "number of rare actions", False),
    "lower_bound": ("rare", "The same in Theorem 3's class", "number of rare actions", False),
}

#: The policies of `sweeps`; the others are in table `complexity`.
SWEPT = ("CCPE-General", "CCPE-General, Hoeffding", "LUCB1")

#: Names of problems in ticks and titles, by experiment.
_PROBLEMS = {
    "scaling": "parallel, {variables} variables",
    "two_gaps": "parallel, two gaps",
    "rare": "{rare} of 100 variables rare",
    "lower_bound": "Theorem 3's class, {rare} rare",
    "gap": "parallel, effect {effect:g}",
    "epsilon": r"parallel, $\varepsilon$ = {epsilon:g}",
    "delta": r"parallel, $\delta$ = {delta:g}",
    "graded": "parallel, graded gaps",
    "confounded": "confounded graph",
    "sequential": "admissible sequences",
    "budget_parallel": "parallel graph",
    "budget_confounded": "confounded graph",
}


def _problem(experiment: str, settings: Mapping[str, Any]) -> str:
    """Name an experiment's problem in words."""
    return _PROBLEMS[experiment].format(**settings)


def _points(results: Results, experiment: str, setting: str, chosen: Mapping[str, Any]) -> pd.DataFrame:
    """Return mean rounds, half-widths of 95 % intervals, and the theorems' orders, by the setting's value."""
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
    """Add the defaults of all settings that distinguish the policies of `POLICIES`."""
    usual: dict[str, dict[str, Any]] = {
        "lucb": {"bounds": "lucb1", "alpha": 2.0},
        "ccpe_general": {"alpha_o": 8.0, "alpha_i": 2.0, "divisor": 5.0},
        "track_and_stop": {},
    }
    return {**usual[str(chosen["algorithm"])], **chosen}


def _sweep(axes: Axes, results: Results, experiment: str) -> None:
    """Draw one panel: rounds of every policy of `SWEPT` along the experiment's setting, and the order of a theorem."""
    setting, title, label, logarithmic = SWEEPS[experiment]
    points = pd.DataFrame()
    for name in SWEPT:
        chosen, colour, line = POLICIES[name]
        try:
            points = _points(results, experiment, setting, _defaults(chosen))
        except (NotRunError, KeyError):
            continue  # the configuration leaves it out
        axes.errorbar(points["x"], points["mean"], yerr=points["half"], color=colour, linestyle=line, marker="o",
                      markersize=3, capsize=2, linewidth=1.2)  # fmt: skip
    if len(points):  # all policies play the same problems
        own, line = ("lower", "--") if points["lower"].notna().any() else ("upper", ":")
        axes.plot(points["x"], points[own], color=COLOURS["black"], linestyle=line)
    axes.set(yscale="log", xscale="log" if logarithmic else "linear", xlabel=label, title=title)
    places = sorted({float(str(results.settings(experiment, p)[setting])) for p in results.policies(experiment)})
    axes.set_xticks(places, [f"{x:g}" for x in places])
    axes.minorticks_off()


def sweeps(results: Results) -> Figure:
    """Plot the number of rounds until the answer against each setting, with 95 % intervals and a theorem's order.

    Theorem 2's order is dotted; on problems in the class of Theorem 3, its order is dashed and replaces Theorem 2's.
    """
    there = [experiment for experiment in SWEEPS if experiment in results.experiments()]
    rows = -(-(len(there) + 1) // 2)
    figure, panels = canvas(rows, 2, height=2.1 * rows)
    for axes, experiment in zip(panels.flat, there, strict=False):
        _sweep(axes, results, experiment)
    for axes in panels.flat[len(there) :]:
        axes.set_axis_off()
    for row in panels:
        row[0].set_ylabel("rounds")
    handles = [Line2D([], [], color=POLICIES[n].colour, ls=POLICIES[n].line, label=n) for n in SWEPT]
    orders = {"Theorem 2's order": ":", "Theorem 3's order": "--"}
    handles += [Line2D([], [], color=COLOURS["black"], ls=line, label=label) for label, line in orders.items()]
    panels.flat[-1].legend(
        handles=handles, loc="center", title="The paper's curves are in an\nappendix that we did not have."
    )
    return figure


def against_lucb1(results: Results) -> Figure:
    """Draw the rounds of CCPE-General divided by those of LUCB1 with Fieller's 95 % intervals, problems sorted."""
    found: dict[str, dict[str, Estimate]] = {}
    for experiment in results.experiments():
        named = SWEEPS[experiment][0] if experiment in SWEEPS else None
        for policy in results.policies(experiment, algorithm="lucb", bounds="lucb1"):
            settings = results.settings(experiment, policy)
            level: dict[str, Any] = {named: settings[named]} if named else {}
            base = rounds_of(results, experiment, policy=policy).to_numpy(float)
            for name in ("CCPE-General", "CCPE-General, Hoeffding"):
                with suppress(NotRunError):
                    own = rounds_of(results, experiment, **_defaults(POLICIES[name].settings), **level)
                    found.setdefault(_problem(experiment, settings), {})[name] = ratio_interval(
                        own.to_numpy(float), base
                    )
    order = sorted(found, key=lambda problem: [at.value for at in found[problem].values()])
    figure, ((axes,),) = canvas(height=0.2 * len(order) + 1.2)
    for name, filled, label in (
        ("CCPE-General", True, "radii of the theory"),
        ("CCPE-General, Hoeffding", False, "radii of Hoeffding's shape"),
    ):
        colour = POLICIES[name].colour
        places = [i for i, problem in enumerate(order) if name in found[problem]]
        ratios = [found[order[i]][name] for i in places]
        axes.errorbar([r.value for r in ratios], places, xerr=_around(ratios), linestyle="", marker="o", color=colour,
                      mfc=colour if filled else "white", markersize=5, capsize=2, label=label)  # fmt: skip
    axes.axvline(1, color=COLOURS["black"], linestyle="--", linewidth=1)
    axes.set(xscale="log", ylim=(len(order) - 0.4, -0.6), xlabel="rounds of CCPE-General / rounds of LUCB1")
    plain(axes.xaxis, (0.01, 0.1, 1, 3))
    axes.set_yticks(range(len(order)), order)
    figure.legend(handles=axes.get_legend_handles_labels()[0], loc="outside upper center", ncols=2)
    return figure


#: The models of `speedup`: experiment of CCPE-BGLM and LUCB, settings of the problem, name.
_MODELS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("bglm_two_layers", {}, "two layers, 51 actions"),
    ("bglm_two_layers_bare", {}, "two layers, 51 actions"),
    ("bglm_logistic", {}, "two layers, logistic, 51"),
    ("bglm_chain", {"link": "linear"}, "chain of 5, 11"),
    ("bglm_chain", {"link": "logistic"}, "chain of 5, logistic, 11"),
    *(
        (experiment, {"most": most}, f"8 causes, {actions}")
        for most, actions in ((1, 17), (2, 129), (3, 577))
        for experiment in ("bglm_actions_printed", "bglm_actions")
    ),
)


def speedup(results: Results) -> Figure:
    """Draw the ratio of LUCB's rounds to those of CCPE-BGLM, with Fieller's 95 % intervals."""
    figure, panels = canvas(2, 1, height=6)
    left, right = panels[:, 0]
    ends = []
    for name, marker in (("bare", "s"), (r"$\sqrt{7}$ times" "\nthe bare", "D")):
        points = []
        if "bglm_settings" in results.experiments():
            for policy in results.policies("bglm_settings", algorithm="ccpe_bglm"):
                settings = results.settings("bglm_settings", policy)
                if (float(str(settings["alpha_o"])) > 1) == (marker == "D"):
                    ratio = _gain(results, "bglm_settings", policy, {"causes": settings["causes"]})
                    points.append((int(str(settings["causes"])), ratio))
        if points:
            causes, found = zip(*sorted(points, key=lambda point: point[0]), strict=True)
            left.errorbar(
                causes, [r.value for r in found], yerr=_around(found), linestyle="-", linewidth=1, **_look(marker)
            )
            plain(left.xaxis, causes)
            ends.append((name, found[-1].value, COLOURS["orange"]))
    left.set(yscale="log", xlabel="causes $n$; $3^n$ actions", ylabel="rounds of LUCB / rounds of CCPE-BGLM")
    names = list(dict.fromkeys(name for _, _, name in _MODELS))
    for printed, marker, name in (
        (True, "o", "printed radius, LUCB1"),
        (False, "s", "bare radius, LUCB with Hoeffding's"),
    ):
        shown = []
        for experiment, options, model in _MODELS:
            if experiment not in results.experiments():
                continue
            for policy in results.policies(experiment, algorithm="ccpe_bglm", **options):
                settings = results.settings(experiment, policy)
                if (settings["radius"] == "printed") == printed and not (printed and settings["c"] == 0):
                    shown.append((names.index(model), _gain(results, experiment, policy, options)))
        if shown:
            rows, found = zip(*shown, strict=True)
            right.errorbar(
                [r.value for r in found], rows, xerr=_around(found), linestyle="", label=name, **_look(marker)
            )
    right.set(xscale="log", ylim=(len(names) - 0.5, -0.5), xlabel="rounds of LUCB / rounds of CCPE-BGLM")
    right.set_yticks(range(len(names)), names)
    left.axhline(1, color=COLOURS["grey"], linestyle="--", linewidth=1)
    right.axvline(1, color=COLOURS["grey"], linestyle="--", linewidth=1)
    for axis in (left.yaxis, right.xaxis):
        plain(axis, (0.5, 1, 2, 5, 10))
    figure.legend(handles=right.get_legend_handles_labels()[0], loc="outside lower right", ncols=2)
    name_ends(left, ends)
    return figure


def _around(found: Sequence[Estimate]) -> list[list[float]]:
    """Return how far intervals reach below and above their values."""
    return [[r.value - r.low for r in found], [r.high - r.value for r in found]]


def _look(marker: str) -> dict[str, Any]:
    """Return the plot style of CCPE-BGLM with the radius that a marker shows."""
    filled = "white" if marker == "o" else COLOURS["orange"]
    return {"color": COLOURS["orange"], "marker": marker, "mfc": filled, "markersize": 5, "capsize": 2}


def _gain(results: Results, experiment: str, policy: str, options: Mapping[str, Any]) -> Estimate:
    """Return the ratio of LUCB's rounds to the policy's: LUCB1 for the printed radius, else LUCB with Hoeffding's."""
    printed = results.settings(experiment, policy)["radius"] == "printed"
    other = {"bounds": "lucb1"} if printed else {"bounds": "xiong"}
    (against,) = results.policies(experiment, algorithm="lucb", **other, **options)
    rounds = [rounds_of(results, experiment, policy=name).to_numpy(float) for name in (against, policy)]
    return ratio_interval(rounds[0], rounds[1])


def fixed_budget(results: Results) -> Figure:
    """Draw the share of wrong answers against the budget, with Clopper-Pearson intervals."""
    experiments = results.experiments()
    figure, (panels,) = canvas(1, len(experiments), height=3, sharey=True)
    for axes, experiment in zip(panels, experiments, strict=True):
        for watch, line, label in (
            (0.0, "-", "Successive Rejects"),
            (0.5, "--", "ours: half of each phase observing"),
        ):
            budgets, shares, intervals = [], [], []
            for policy in results.policies(experiment, watch=watch):
                right = correct(results, experiment, policy=policy)
                wrong = int((~right).sum())
                budgets.append(float(str(results.settings(experiment, policy)["budget"])))
                shares.append(wrong / len(right))
                intervals.append(clopper_pearson(wrong, len(right)))
            errors = np.abs(np.transpose(intervals) - shares)
            axes.errorbar(budgets, shares, yerr=errors, color=COLOURS["black"], linestyle=line, marker="o", ms=4,
                          mfc="white" if watch else COLOURS["black"], capsize=2, label=label)  # fmt: skip
        axes.set(xscale="log", xlabel="budget, rounds", title=_problem(experiment, {}), ylim=(0, None))
        plain(axes.xaxis, sorted(budgets))
    panels[0].set_ylabel("share of wrong answers")
    figure.legend(handles=panels[0].get_legend_handles_labels()[0], loc="outside lower center", ncols=2)
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "sweeps": sweeps,
    "against_lucb1": against_lucb1,
    "speedup": speedup,
    "fixed_budget": fixed_budget,
}
