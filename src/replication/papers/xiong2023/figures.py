"""Figures of xiong2023, all of what its main text states: its own are in an appendix (ledger L135)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.aggregate import half_width
from experiments.drawing.plotting import COLOURS
from experiments.results import NotRunError, Results
from replication.judging.judges.intervals import Estimate, clopper_pearson, ratio_interval
from replication.papers.xiong2023.labels import POLICIES, correct, rounds_of
from replication.papers.xiong2023.profiles import Profile

#: What figures call a policy, what selects it, its colour and line.
LOOKS = POLICIES
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

#: Problems, as ticks and titles name them, by experiment.
_PROBLEMS = {
    "scaling": "{variables} variables",
    "two_gaps": "two gaps",
    "rare": "{rare} rare actions",
    "skew": "rare with $q_a$ = {rare_chance}",
    "lower_bound": "Theorem 3's class, {rare} rare",
    "pac_parallel": "parallel graph",
    "pac_rare": "rare actions",
    "confounded": "confounded graph",
    "pac_confounded": "confounded graph",
    "sequential": "admissible sequences",
    "pac_sequential": "admissible sequences",
    "pac_two_gaps": "two gaps",
    "pac_many": "100 variables",
    "pac_bglm": "linear model, two layers",
    "pac_rare_causes": "rare causes",
    "pac_rare_causes_wide": "rare causes, wider radius",
    "pac_rare_causes_printed": "rare causes, printed radius",
    "budget_parallel": "parallel graph",
    "budget_confounded": "confounded graph",
}


def _problem(experiment: str, settings: Mapping[str, Any]) -> str:
    """Name an experiment's problem in words."""
    return _PROBLEMS[experiment].format(**settings)


def _points(results: Results, experiment: str, setting: str, chosen: Mapping[str, Any]) -> pd.DataFrame:
    """Return mean rounds with half their 95 % interval, and the theorems' orders, by the setting's value."""
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
    """Add the defaults of all settings that tell the policies of `POLICIES` apart."""
    usual: dict[str, dict[str, Any]] = {
        "lucb": {"bounds": "lucb1", "alpha": 2.0},
        "ccpe_general": {"alpha_o": 8.0, "alpha_i": 2.0, "divisor": 5.0},
        "track_and_stop": {},
    }
    return {**usual[str(chosen["algorithm"])], **chosen}


def _sweep(axes: Axes, results: Results, experiment: str) -> None:
    """Draw one panel: rounds of every policy along the experiment's setting."""
    setting, title, label, logarithmic = SWEEPS[experiment]
    ordered = False
    for chosen, colour, line in POLICIES.values():
        try:
            points = _points(results, experiment, setting, _defaults(chosen))
        except (NotRunError, KeyError):
            continue  # the configuration leaves it out
        axes.errorbar(points["x"], points["mean"], yerr=points["half"], color=colour, linestyle=line, marker="o",
                      markersize=3, capsize=2, linewidth=1.2)  # fmt: skip
        if not ordered:  # all policies play the same problems; not every experiment has every policy
            ordered = True
            axes.plot(points["x"], points["upper"], color=COLOURS["black"], linestyle=":")
            axes.plot(points["x"], points["bandit"], color=COLOURS["grey"], linestyle=":")
            axes.plot(points["x"], points["lower"], color=COLOURS["black"], linestyle="--", linewidth=1)
    axes.set(yscale="log", xscale="log" if logarithmic else "linear", xlabel=label, title=title)
    places = sorted({float(str(results.settings(experiment, p)[setting])) for p in results.policies(experiment)})
    axes.set_xticks(places, [f"{x:g}" for x in places])
    axes.minorticks_off()


def sweeps(results: Results) -> Figure:
    """Draw rounds until the answer along each setting, with 95 % intervals and the theorems' orders.

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


#: Panels of plays per action over q_a: experiment, settings beside the radii's, title.
_SEEN: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("seen", {}, "20 variables, 6 rare"),
    ("rare", {"rare": 70}, "100 variables, 70 rare"),
)
_RADII = {
    "CCPE-General": ("red", "o", "radii of theory"),
    "CCPE-General, Hoeffding": ("blue", "s", "Hoeffding's radii"),
}


def plays(results: Results) -> Figure:
    """Draw how often an action is played: over its gap if it is rarely observed, and over q_a at one gap."""
    there = [panel for panel in _SEEN if panel[0] in results.experiments()]
    figure, panels = plt.subplots(1, 1 + len(there), figsize=(3.6 * (1 + len(there)), 3.3), squeeze=False)
    for name, (colour, marker, label) in _RADII.items():
        chosen = _defaults(POLICIES[name][0])
        if "graded" in results.experiments():
            _plays(panels[0, 0], results, "graded", chosen, "gap", colour, marker, label)
        for axes, (experiment, settings, _) in zip(panels[0, 1:], there, strict=True):
            _plays(axes, results, experiment, chosen | settings, "q", colour, marker, label)
    panels[0, 0].locator_params(axis="x", nbins=4)
    panels[0, 0].set(yscale="log", xlabel=r"gap $\Delta_a$", ylabel="plays per action", title="rarely observed actions")
    for axes, (_, _, title) in zip(panels[0, 1:], there, strict=True):
        axes.set(yscale="symlog", xscale="log", xlabel="$q_a$", title=title)
    panels[0, 0].legend()
    figure.tight_layout()
    return figure


def _plays(
    axes: Axes,
    results: Results,
    experiment: str,
    chosen: Mapping[str, Any],
    over: Literal["gap", "q"],
    colour: str,
    marker: str,
    label: str,
) -> None:
    """Draw mean plays per action with 95 % intervals, actions of equal gap, or of equal q_a, together.

    do() is left out, and over q_a the best action and all whose gap is not the commonest.
    """
    try:
        (policy,) = results.policies(experiment, **chosen)
    except (NotRunError, KeyError, ValueError):
        return  # the configuration leaves it out
    profile = Profile.of(results.settings(experiment, policy))
    gaps = np.round(profile.gaps, 9)
    values, counts = np.unique(gaps, return_counts=True)
    played = [a for a, action in enumerate(profile.bandit.arms) if action]
    if over == "q":
        best = int(profile.bandit.means.argmax())
        played = [a for a in played if gaps[a] == values[counts.argmax()] and a != best]
    at = gaps if over == "gap" else np.round(profile.q, 9)
    pulls = {a: results.final(experiment, f"pulls_{a}", policy=policy) for a in played}
    groups = sorted({float(at[a]) for a in played})
    means = [np.mean([pulls[a] for a in played if at[a] == x], axis=0) for x in groups]
    halves = [half_width(np.array([m.std(ddof=1)]), np.array([len(m)]))[0] for m in means]
    axes.errorbar(groups, [m.mean() for m in means], yerr=halves, color=COLOURS[colour], marker=marker, markersize=4,
                  capsize=2, linewidth=1, label=label)  # fmt: skip


def wrong_answers(results: Results) -> Figure:
    """Draw the share of wrong or missing answers of every policy and problem, with 95 % intervals."""
    experiments = results.experiments()
    figure, axes = plt.subplots(figsize=(9, 4))
    ticks: list[tuple[float, str]] = []
    drawn: set[str] = set()
    place = 0.0
    for experiment in experiments:
        start = place
        for policy in results.policies(experiment):
            settings = results.settings(experiment, policy)
            kind, (colour, marker) = _kind(settings)
            right = correct(results, experiment, policy=policy)
            wrong, n = int((~right).sum()), len(right)
            low, high = clopper_pearson(wrong, n)
            share = wrong / n
            axes.errorbar(place, share, yerr=[[share - low], [high - share]], color=COLOURS[colour], marker=marker,
                          markersize=4, capsize=2, linestyle="", label=None if kind in drawn else kind)  # fmt: skip
            drawn.add(kind)
            place += 1
        ticks.append(((start + place - 1) / 2, _problem(experiment, {})))
        place += 1.5
    axes.axhline(0.1, color=COLOURS["grey"], linestyle="--", linewidth=1)
    axes.text(place - 1.5, 0.105, r"$\delta$", ha="right", color=COLOURS["grey"])
    axes.set(ylabel="wrong or missing answers", ylim=(-0.02, None))
    axes.set_xticks([x for x, _ in ticks], [name for _, name in ticks], rotation=25, ha="right")
    figure.tight_layout()
    figure.legend(loc="upper center", ncols=3, bbox_to_anchor=(0.5, 0.0))
    return figure


#: Kinds of policies in `wrong_answers`, by name: colour and marker.
_KINDS = {
    "CCPE, radii of theory": ("red", "o"),
    "CCPE, Hoeffding's or the bare radius": ("blue", "s"),
    "CCPE, narrower radii": ("sky", "v"),
    r"CCPE-BGLM, bare radius over $\sqrt{\eta}$": ("green", "D"),
    "LUCB, KL-LUCB, Track-and-Stop": ("grey", "x"),
}


def _kind(settings: Mapping[str, Any]) -> tuple[str, tuple[str, str]]:
    """Return the key of `_KINDS` that a policy belongs to, and its look."""
    names = list(_KINDS)
    if settings["algorithm"] not in ("ccpe_general", "ccpe_bglm"):
        name = names[4]
    elif settings["alpha_i"] == 2:
        name = names[0]
    elif settings["alpha_o"] > 1:
        name = names[3]
    else:
        name = names[1] if settings["alpha_o"] > 0.7 else names[2]
    return name, _KINDS[name]


#: What `speedup` compares by model: experiment of CCPE-BGLM and LUCB, settings of the problem, name.
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
    """Draw the rounds of LUCB over those of CCPE-BGLM, with Fieller's 95 % intervals."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6))
    for label, colour, marker in (("bare", "blue", "s"), ("wide", "green", "D")):
        points = []
        if "bglm_settings" in results.experiments():
            for policy in results.policies("bglm_settings", algorithm="ccpe_bglm"):
                settings = results.settings("bglm_settings", policy)
                if (float(str(settings["alpha_o"])) > 1) == (label == "wide"):
                    ratio = _gain(results, "bglm_settings", policy, {"causes": settings["causes"]})
                    points.append((int(str(settings["causes"])), ratio))
        name = "bare radius" if label == "bare" else r"$\sqrt{7}$ times the bare radius"
        _ratios(left, [(float(x), r) for x, r in sorted(points, key=lambda point: point[0])], colour, marker, name, "-")
    left.set(yscale="log", xlabel="causes $n$; $3^n$ actions", ylabel="rounds of LUCB over CCPE-BGLM")
    left.legend()
    names = list(dict.fromkeys(name for _, _, name in _MODELS))
    for printed, colour, marker, name in (
        (True, "red", "o", "printed radius, LUCB1"),
        (False, "blue", "s", "bare radius, LUCB with Hoeffding's"),
    ):
        shown = []
        for experiment, options, model in _MODELS:
            if experiment not in results.experiments():
                continue
            for policy in results.policies(experiment, algorithm="ccpe_bglm", **options):
                settings = results.settings(experiment, policy)
                if (settings["radius"] == "printed") == printed and not (printed and settings["c"] == 0):
                    shown.append((float(names.index(model)), _gain(results, experiment, policy, options)))
        _ratios(right, shown, colour, marker, name, "")
    right.set(yscale="log")
    right.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=7)
    right.legend()
    for axes in (left, right):
        axes.axhline(1, color=COLOURS["grey"], linestyle="--", linewidth=1)
        axes.yaxis.set_major_formatter("{x:g}")
    figure.tight_layout()
    return figure


def _gain(results: Results, experiment: str, policy: str, options: Mapping[str, Any]) -> Estimate:
    """Return LUCB's rounds over the policy's; LUCB1 beside the printed radius, else Hoeffding's."""
    printed = results.settings(experiment, policy)["radius"] == "printed"
    other = {"bounds": "lucb1"} if printed else {"bounds": "xiong"}
    (against,) = results.policies(experiment, algorithm="lucb", **other, **options)
    rounds = [rounds_of(results, experiment, policy=name).to_numpy(float) for name in (against, policy)]
    return ratio_interval(rounds[0], rounds[1])


def _ratios(axes: Axes, points: list[tuple[float, Estimate]], colour: str, marker: str, name: str, line: str) -> None:
    if points:
        x, found = zip(*points, strict=True)
        errors = [[r.value - r.low for r in found], [r.high - r.value for r in found]]
        axes.errorbar(x, [r.value for r in found], yerr=errors, color=COLOURS[colour], marker=marker, markersize=4,
                      capsize=2, linestyle=line, linewidth=1, label=name)  # fmt: skip


def observation_thresholds(results: Results) -> Figure:
    """Draw both observation thresholds and the number of actions of every problem."""
    shown: dict[str, Profile] = {}
    for experiment in results.experiments():
        if experiment in ("epsilon", "delta", "gap"):
            continue  # one graph, one q
        for policy in results.policies(experiment, algorithm="ccpe_general"):
            settings = results.settings(experiment, policy)
            shown[_problem(experiment, settings)] = Profile.of(settings)
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
    """Draw the share of wrong answers over the budget, with Clopper and Pearson's intervals."""
    experiments = results.experiments()
    figure, panels = plt.subplots(
        1, len(experiments), figsize=(4.2 * len(experiments), 3.2), sharey=True, squeeze=False
    )
    for axes, experiment in zip(panels[0], experiments, strict=True):
        for watch, colour, label in (
            (0.0, "blue", "Successive Rejects"),
            (0.5, "red", "ours: half of each phase observing"),
        ):
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
        axes.set(xscale="log", xlabel="budget, rounds", title=_problem(experiment, {}), ylim=(0, None))
    panels[0, 0].set_ylabel("share of wrong answers")
    panels[0, 0].legend()
    figure.tight_layout()
    return figure


FIGURES: dict[str, Callable[[Results], Figure]] = {
    "sweeps": sweeps,
    "plays": plays,
    "wrong_answers": wrong_answers,
    "speedup": speedup,
    "fixed_budget": fixed_budget,
    "observation_thresholds": observation_thresholds,
}
