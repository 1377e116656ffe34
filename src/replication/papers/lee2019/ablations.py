"""Tables of lee2019 that change one part of POMIS+ each.

They play without expressions, with other rules of support, another z2ID, or other averages.
"""

from __future__ import annotations

import math

import pandas as pd

from replication.drawing.tabulate import plus_minus
from replication.judging.judges.intervals import percent_below
from replication.papers.lee2019.labels import TASKS
from replication.papers.lee2019.strategies import ENSEMBLE, SOLVERS, experiment_of, instance_of, played, task_of
from replication.pipeline.results import Results


def trivial(results: Results) -> pd.DataFrame:
    """Tabulate what z2-kl-UCB gains over kl-UCB without any expression, and with all (L72).

    The instances are the ensemble's.
    """
    rows = []
    for task, label in TASKS.items():
        experiment = experiment_of(results, task, ENSEMBLE)
        base = results.final(experiment, by="draw", **played("KL-UCB", "POMIS"))
        sharing = played("KL-UCB", "POMIS+")
        alone, plus = (results.final(experiment, by="draw", collections=c, **sharing) for c in ("none", "all"))
        gains = [percent_below(base.to_numpy(), other.to_numpy()) for other in (alone, plus)]
        rows.append(
            {
                "task": label,
                "KL-UCB": plus_minus(base),
                "without expressions": plus_minus(alone),
                "below KL-UCB, %": f"{gains[0].value:.1f} ({gains[0].low:.1f} to {gains[0].high:.1f})",
                "with all": plus_minus(plus),
                "with all below KL-UCB, %": f"{gains[1].value:.1f} ({gains[1].low:.1f} to {gains[1].high:.1f})",
                "share of the gain that is not z2ID's, %": f"{100 * (base - alone).mean() / (base - plus).mean():.0f}",
                "instances": len(base),
            }
        )
    return pd.DataFrame(rows)


def support(results: Results) -> pd.DataFrame:
    """Regret where an expression counts once its values, or once its conditions have been seen (L10)."""
    rows = []
    for task, label in TASKS.items():
        experiment = experiment_of(results, task)
        for solver in SOLVERS:
            chosen = played(solver, "POMIS+")
            values, conditions = (results.final(experiment, support=s, **chosen) for s in ("values", "conditions"))
            rows.append(
                {
                    "task": label,
                    "policy": f"{solver} POMIS+",
                    "every value seen": plus_minus(values),
                    "every condition seen": plus_minus(conditions),
                    "difference, paired": plus_minus(conditions - values),
                    "worst seed, values": f"{values.max():.0f}",
                    "worst seed, conditions": f"{conditions.max():.0f}",
                    "seeds": len(values),
                }
            )
    return pd.DataFrame(rows)


def tried(results: Results) -> pd.DataFrame:
    """Regret under other choices in z2ID's line 6, and from other collections of intervention sets (L08)."""
    rows = []
    for experiment in results.experiments():
        labels = results.policies(experiment)
        base = results.final(experiment, tried="maximal", collections="all")
        for label in labels:
            settings, values = results.settings(experiment, label), results.final(experiment, policy=label)
            rows.append(
                {
                    "task": TASKS[task_of(results, experiment)],
                    "collections": settings["collections"],
                    "line 6 tries": settings["tried"],
                    "regret": plus_minus(values),
                    "above the study's choice, paired": plus_minus(values - base),
                    "seeds": len(values),
                }
            )
    return pd.DataFrame(rows)


def averages(results: Results) -> pd.DataFrame:
    """Tabulate regret under each way to estimate the covariance (L14).

    The difference to the method of the published runs stands beside it. Paired by seed after all rounds; not after the
    first tenth, where seeds' values are not kept.
    """
    rows = []
    for experiment in results.experiments():
        for solver in SOLVERS:
            for method in ("bootstrap", "delta"):
                chosen = played(solver, "POMIS+")
                if not results.policies(experiment, averaging=method, **chosen):
                    continue
                values, base = (results.final(experiment, averaging=m, **chosen) for m in (method, "online_bootstrap"))
                early, usual = (
                    _early(results, experiment, chosen | {"averaging": m}) for m in (method, "online_bootstrap")
                )
                apart = early["mean"] - usual["mean"]
                half = 1.96 * math.hypot(*(at["std"] / math.sqrt(at["n"]) for at in (early, usual)))
                rows.append(
                    {
                        "task": task_of(results, experiment),
                        "instance": instance_of(results, experiment),
                        "policy": f"{solver} POMIS+",
                        "method": method,
                        f"difference after {early['t']:.0f} rounds": f"{apart:.2f} ± {half:.2f}",
                        "rounds": results.horizon(experiment),
                        "regret": plus_minus(values),
                        "online bootstrap": plus_minus(base),
                        "difference, paired": plus_minus(values - base),
                        "seeds": len(values),
                    }
                )
    return pd.DataFrame(rows)


def _early(results: Results, experiment: str, chosen: dict[str, str]) -> pd.Series:
    """The curve's point after a tenth of the rounds."""
    curve = results.curve(experiment, **chosen)
    return curve[curve["t"] >= results.horizon(experiment) / 10].iloc[0]
