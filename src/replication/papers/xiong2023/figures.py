"""Draw figures of what xiong2023's main text states; the paper's own are in an appendix (ledger L135)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.aggregate import half_width
from experiments.drawing.plotting import COLOURS, TEXT, canvas, name_ends, plain
from experiments.results import NotRunError, Results
from replication.judging.judges.intervals import Estimate, clopper_pearson, ratio_interval
from replication.papers.xiong2023.policies import HOEFFDING, POLICIES, correct, rounds_of
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

#: Names of problems in ticks and titles, by experiment.
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
    """Plot the number of rounds until the answer against each setting, with 95 % intervals and the theorems' orders.

    The orders of Theorem 2 and LUCB1 are dotted; Theorem 3's is dashed, on problems in its class where it is positive.
    """
    there = [experiment for experiment in SWEEPS if experiment in results.experiments()]
    figure, panels = canvas(-(-(len(there) + 1) // 2), 2, height=2.3 * -(-(len(there) + 1) // 2))
    for axes, experiment in zip(panels.flat, there, strict=False):
        _sweep(axes, results, experiment)
    for axes in panels.flat[len(there) :]:
        axes.set_axis_off()
    for row in panels:
        row[0].set_ylabel("rounds")
    handles = [Line2D([], [], color=c, ls=line, label=name) for name, (_, c, line) in POLICIES.items()]
    orders = {"Theorem 2's order": ("black", ":"), "LUCB1's order": ("grey", ":"), "Theorem 3's order": ("black", "--")}
    handles += [Line2D([], [], color=COLOURS[c], ls=line, label=label) for label, (c, line) in orders.items()]
    panels.flat[-1].legend(handles=handles, loc="center")
    return figure


def wrong_answers(results: Results) -> Figure:
    """Draw the share of wrong or missing answers of every policy and problem, with 95 % intervals."""
    blocks = [(experiment, results.policies(experiment)) for experiment in results.experiments()]
    sizes = np.cumsum([len(policies) + 1 for _, policies in blocks])
    first = int((sizes < sizes[-1] / 2).sum()) + 1
    columns = [part for part in (blocks[:first], blocks[first:]) if part]
    longest = max(sum(len(policies) + 1.5 for _, policies in part) for part in columns)
    figure, (panels,) = canvas(1, len(columns), height=0.18 * longest + 0.6, sharex=True)
    for axes, part in zip(panels, columns, strict=True):
        place, ticks = 0.0, {}
        look: dict[str, Any] = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
        look |= {"xytext": (-5, 0), "ha": "right", "va": "center", "weight": "bold"}
        for experiment, policies in part:
            axes.annotate(_problem(experiment, {}), (0, place), **look)
            chances = {results.settings(experiment, policy).get("chance") for policy in policies}
            for policy in policies:
                place += 1
                settings = results.settings(experiment, policy)
                name = _row(settings)
                colour = COLOURS[_COLOURS[name.partition(",")[0]]]
                right = correct(results, experiment, policy=policy)
                wrong, n = int((~right).sum()), len(right)
                low, high = clopper_pearson(wrong, n)
                around = [[wrong / n - low], [high - wrong / n]]
                axes.errorbar(wrong / n, place, xerr=around, color=colour, marker="o", markersize=4, capsize=2)
                ticks[place] = f"{name}, chance {settings['chance']:g}" if len(chances) > 1 else name
            place += 1.5
        axes.axvline(0.1, color=COLOURS["grey"], linestyle="--", linewidth=1)
        axes.set_yticks(list(ticks), list(ticks.values()))
        axes.tick_params(axis="y", length=0)
        axes.set(ylim=(longest - 0.9, -0.6))
    panels[0].set_xlim(-0.02, None)
    figure.supxlabel(r"share of wrong or missing answers; dashed: $\delta$", fontsize=TEXT)
    return figure


#: Colours of algorithms.
_COLOURS = {
    "CCPE-General": "red",
    "CCPE-BGLM": "orange",
    "LUCB1": "blue",
    "LUCB": "blue",
    "KL-LUCB": "green",
    "Track-and-Stop": "purple",
}


def _row(settings: Mapping[str, Any]) -> str:
    """Name a policy by its algorithm and radii."""
    if settings["algorithm"] == "lucb":
        return {"lucb1": "LUCB1", "kl": "KL-LUCB", "xiong": "LUCB, Hoeffding"}[str(settings["bounds"])]
    if settings["algorithm"] == "track_and_stop":
        return "Track-and-Stop"
    inner, outer = float(settings["alpha_i"]), float(settings["alpha_o"])
    if settings["algorithm"] == "ccpe_bglm":
        if settings["radius"] == "printed":
            radii = f"printed, $c={settings['c']:g}$"
        else:
            radii = "bare" if inner == outer else r"bare$/\sqrt{\eta}$" if outer > 1 else "far narrower"
        return f"CCPE-BGLM, {radii}"
    known = {2.0: "theoretical radii", HOEFFDING: "Hoeffding"}
    return f"CCPE-General, {known.get(inner) or f'factors {inner:g}'}"


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
    figure, ((left, right),) = canvas(1, 2, height=3.8)
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
    figure, ((axes,),) = canvas(height=0.21 * len(names) + 1.1, width=7)
    for values, marker, colour, size, label in (
        ([len(p.q) for p in shown.values()], "|", COLOURS["black"], 9, "$|A|$"),
        ([2 * p.threshold for p in shown.values()], "v", COLOURS["grey"], 6, "$2m$, the bound of Lemma 1"),
        ([p.threshold for p in shown.values()], "s", COLOURS["blue"], 9, "$m$"),
        ([p.gap_dependent for p in shown.values()], "o", COLOURS["orange"], 4.5, r"$m_{\varepsilon,\Delta}$"),
    ):
        axes.plot(values, range(len(names)), marker, color=colour, label=label, markersize=size)
    axes.set(xscale="log", xlabel="actions", ylim=(len(names) - 0.4, -0.6))
    axes.xaxis.set_major_formatter("{x:,g}")
    axes.set_yticks(range(len(names)), names)
    figure.legend(ncols=4, loc="outside upper center")
    return figure


def fixed_budget(results: Results) -> Figure:
    """Draw the share of wrong answers against the budget, with Clopper-Pearson intervals."""
    experiments = results.experiments()
    figure, (panels,) = canvas(1, len(experiments), height=3.5, sharey=True)
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
    "wrong_answers": wrong_answers,
    "speedup": speedup,
    "fixed_budget": fixed_budget,
    "observation_thresholds": observation_thresholds,
}
