"""Tables of xiong2023."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pandas as pd

from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.policies.glm.ccpe_bglm import constants_of, easiness
from causal_bandits.problems.xiong2023 import PROBLEMS
from experiments.drawing.tabulate import plus_minus
from experiments.results import Results
from replication.judging.judges.intervals import clopper_pearson
from replication.papers.xiong2023 import theory
from replication.papers.xiong2023.policies import called, correct, ended, problem_of, rounds_of, unmet
from replication.papers.xiong2023.theory import Profile

#: Algorithms that observe and play, and count the actions that they know better by observation than by plays.
OBSERVING = ("ccpe_general", "ccpe_bglm", "observe_then_lucb")


def options_of(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a policy's problem."""
    known = PROBLEMS[str(settings["problem"])].__annotations__
    return {name: settings[name] for name in known if name in settings}


def complexity(results: Results) -> pd.DataFrame:
    """Tabulate the rounds until the answer of every policy and problem.

    Their ratio to LUCB1's rounds is also given if LUCB1 plays the same problem.
    """
    rows = []
    for experiment in results.experiments():
        for policy in results.policies(experiment):
            settings = results.settings(experiment, policy)
            options = options_of(settings)
            rounds = rounds_of(results, experiment, policy=policy)
            same = options | {name: settings[name] for name in ("problem", "epsilon", "delta")}
            beside = results.policies(experiment, algorithm="lucb", bounds="lucb1", **same)
            base = rounds_of(results, experiment, policy=beside[0]).mean() if beside else math.nan
            done = ended(results, experiment, policy=policy)
            rows.append(
                {
                    "experiment": experiment,
                    "problem": problem_of(settings, options),
                    "epsilon": settings["epsilon"],
                    "delta": settings["delta"],
                    "policy": called(settings),
                    "rounds": plus_minus(rounds),
                    "over LUCB1": f"{rounds.mean() / base:.2f}" if beside else "",
                    "wrong": int((~correct(results, experiment, policy=policy)).sum()),
                    "without answer": int((~done).sum()),
                    "condition not met": unmet(results, experiment, policy=policy),
                    "seeds": len(rounds),
                }
            )
    return pd.DataFrame(rows)


def scaling_large(results: Results) -> pd.DataFrame:
    """Tabulate rounds until the answer at 400 variables."""
    (experiment,) = results.experiments()
    return pd.DataFrame(
        {
            "problem": problem_of(settings, options_of(settings)),
            "policy": called(settings),
            "rounds": plus_minus(rounds_of(results, experiment, policy=policy)),
            "wrong": int((~correct(results, experiment, policy=policy)).sum()),
            "seeds": len(rounds_of(results, experiment, policy=policy)),
        }
        for policy in results.policies(experiment)
        for settings in [results.settings(experiment, policy)]
    )


def error_rates(results: Results) -> pd.DataFrame:
    """Tabulate how often the answer is wrong or missing, with the Clopper-Pearson 95 % interval."""
    rows = []
    for experiment in results.experiments():
        for policy in results.policies(experiment):
            settings = results.settings(experiment, policy)
            right = correct(results, experiment, policy=policy)
            wrong, n = int((~right).sum()), len(right)
            low, high = clopper_pearson(wrong, n)
            rows.append(
                {
                    "problem": problem_of(settings, options_of(settings)),
                    "policy": called(settings),
                    "delta": settings["delta"],
                    "error rate": f"{wrong / n:.4f}",
                    "95 % interval": f"{low:.4f} to {high:.4f}",
                    "without answer": int((~ended(results, experiment, policy=policy)).sum()),
                    "condition not met": unmet(results, experiment, policy=policy),
                    "rounds": plus_minus(rounds_of(results, experiment, policy=policy)),
                    "by observation": _known(results, experiment, policy),
                    "actions": len(_problem(settings).arms),
                    "seeds": n,
                }
            )
    return pd.DataFrame(rows)


def _known(results: Results, experiment: str, policy: str) -> str:
    """Return how many actions are known better by observation than by plays; empty without observation."""
    if results.settings(experiment, policy)["algorithm"] not in OBSERVING:
        return ""
    return f"{results.final(experiment, 'by_watching', policy=policy).mean():.2f}"


def _problem(settings: dict[str, Any]) -> GLMBandit:
    return PROBLEMS[str(settings["problem"])](**options_of(settings))


def thresholds(results: Results) -> pd.DataFrame:
    """Tabulate thresholds and bounds of every problem, and the ratios of CCPE-General's rounds to them."""
    rows = []
    for experiment in results.experiments():
        for policy in results.policies(experiment, algorithm="ccpe_general", divisor=5.0):
            settings = results.settings(experiment, policy)
            profile, rounds = Profile.of(settings), rounds_of(results, experiment, policy=policy).mean()
            rows.append(
                {
                    "experiment": experiment,
                    "problem": problem_of(settings, options_of(settings)),
                    "epsilon": profile.epsilon,
                    "delta": profile.delta,
                    "|A|": len(profile.q),
                    "actions with q = 0": int((profile.q == 0).sum()),
                    "m": profile.threshold,
                    "m_eps,Delta": profile.gap_dependent,
                    "H_m": f"{profile.hard:.1f}",
                    "H": f"{profile.all_hard:.1f}",
                    "Theorem 2's order": f"{profile.upper:.0f}",
                    "LUCB1's order": f"{profile.bandit_upper:.0f}",
                    "Theorem 3's order": f"{profile.lower:.0f}" if profile.lower > 0 else "nothing",
                    "in Theorem 3's class": "yes" if profile.in_class else "no",
                    "radii": f"{settings['alpha_o']:.3g} and {settings['alpha_i']:.3g}",
                    "rounds": f"{rounds:.0f}",
                    "over Theorem 2's order": f"{rounds / profile.upper:.2f}",
                    "over Theorem 3's order": f"{rounds / profile.lower:.1f}" if profile.lower > 0 else "",
                }
            )
    return pd.DataFrame(rows)


def bglm(results: Results) -> pd.DataFrame:
    """Tabulate rounds until the answer on binary GLMs."""
    rows = []
    for experiment in results.experiments():
        for policy in results.policies(experiment):
            settings = results.settings(experiment, policy)
            rounds = rounds_of(results, experiment, policy=policy)
            rows.append(
                {
                    "problem": problem_of(settings, options_of(settings)),
                    "|A|": len(_problem(settings).arms),
                    "epsilon": settings["epsilon"],
                    "policy": called(settings),
                    "rounds": plus_minus(rounds),
                    "over Theorem 1's order": _over_theorem_1(settings, rounds),
                    "wrong": int((~correct(results, experiment, policy=policy)).sum()),
                    "without answer": int((~ended(results, experiment, policy=policy)).sum()),
                    "condition not met": unmet(results, experiment, policy=policy),
                    "seeds": len(rounds),
                }
            )
    return pd.DataFrame(rows)


def _over_theorem_1(settings: dict[str, Any], rounds: pd.Series) -> str:
    """Return the ratio of mean rounds to H_m log(|A| H_m / delta), q_a of Eq. 7; empty except for CCPE-BGLM."""
    return f"{rounds.mean() / Profile.of(settings).upper:.3g}" if settings["algorithm"] == "ccpe_bglm" else ""


def bglm_constants(results: Results) -> pd.DataFrame:
    """Tabulate how many observations the printed constants ask for on every binary GLM, at delta = 0.1."""
    rows = []
    for problem, options in (
        ("two_layers", {"most": 1}),
        ("two_layers", {"most": 2}),
        ("two_layers", {"most": 2, "link": "logistic"}),
        ("parallel_bglm", {"causes": 6, "most": 2}),
        ("parallel_bglm", {"causes": 8, "most": 2}),
        ("parallel_bglm", {"causes": 8, "most": 3}),
    ):
        bandit = PROBLEMS[problem](**options)
        known, q, gaps = constants_of(bandit.glm), easiness(bandit), theory.gaps_of(bandit.means)
        threshold = theory.gap_dependent_threshold(q, gaps, 0.1)
        hard, whole = (theory.hardness(q, gaps, 0.1, r) for r in (threshold, len(q)))
        best = q[bandit.means.argmax()]
        needs = theory.ObservationsNeeded(known, len(bandit.glm.variables), 0.05)
        rows.append(
            {
                "problem": problem_of({"problem": problem, **options}, options),
                "|A|": len(bandit.arms),
                "D": f"{known.parents:.0f}",
                "eta": f"{known.freedom:.3g}",
                "kappa": f"{known.least_slope:.3g}",
                "least q": f"{q.min():.2g}",
                "m_eps,Delta for epsilon = 0.1": threshold,
                "H_m": f"{hard:.0f}",
                "H": f"{whole:.0f}",
                **{
                    f"until the best action's radius is {width:g}": f"{needs.radius(best, width):.2g}"
                    for width in (1.0, 0.5, 0.025)
                },
                "until line 5 holds, c = 1": f"{needs.condition(1.0):.2g}",
            }
        )
    return pd.DataFrame(rows)


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "complexity": complexity,
    "error_rates": error_rates,
    "thresholds": thresholds,
    "bglm": bglm,
    "bglm_constants": bglm_constants,
    "scaling_large": scaling_large,
}
