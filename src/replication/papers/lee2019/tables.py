"""Tables of lee2019 on its three bandits, and on random ones.

More are in `curves`, `gaps`, `variants`, `borrowing` and `expressions`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import pandas as pd

from experiments.drawing.tabulate import comparison, plus_minus
from experiments.results import NotRunError, Results
from replication.judging.judges.intervals import percent_below
from replication.papers.lee2019.borrowing import borrowing
from replication.papers.lee2019.curves import TRIALS, curves, predicted_curves
from replication.papers.lee2019.expressions import expressions, searches
from replication.papers.lee2019.gaps import gaps
from replication.papers.lee2019.labels import TASKS
from replication.papers.lee2019.robustness import robustness
from replication.papers.lee2019.strategies import HORIZON, SOLVERS, STRATEGIES, called, played, printed
from replication.papers.lee2019.variants import variants


def table1(results: Results) -> pd.DataFrame:
    """Make Table 1: average cumulative regret at the horizon, published and replicated.

    Replicated are the mean and half of its 95 % interval. ``z`` is the difference in units of the joint standard error:
    ours, and that of the paper's mean of 1,000 runs, which averages drawn rewards (L16).
    """
    rows = []
    for solver in SOLVERS:
        for strategy in STRATEGIES:
            row = {"solver": solver, "strategy": strategy}
            for task, label in TASKS.items():
                published = printed(results, task, solver, strategy)
                try:
                    values = results.final(task, **played(solver, strategy))
                    drawn = results.final(task, "drawn_regret", **played(solver, strategy))
                    replicated = plus_minus(values)
                    joint = math.hypot(values.std() / math.sqrt(len(values)), drawn.std() / math.sqrt(TRIALS))
                    off = f"{(values.mean() - published) / joint:+.1f}"
                except NotRunError:
                    replicated = off = "not run"
                row |= {f"{label} published": f"{published:.2f}", f"{label} replicated": replicated}
                row[f"{label} z"] = off if results.horizon(task) == HORIZON else "another horizon"
            rows.append(row)
    return pd.DataFrame(rows)


def regrets(results: Results) -> pd.DataFrame:
    """Regret by expected and by drawn rewards (L16): the same mean, another spread."""
    rows = []
    for task, label in TASKS.items():
        for policy in results.policies(task):
            settings = results.settings(task, policy)
            order = ", larger experiments first" if settings.get("tried") == "largest" else ""
            expected, drawn = (results.final(task, m, policy=policy) for m in ("cumulative_regret", "drawn_regret"))
            rows.append(
                {
                    "task": label,
                    "policy": " ".join(called(settings)) + order,
                    "by expected rewards": plus_minus(expected),
                    "standard deviation": f"{expected.std():.1f}",
                    "by drawn rewards": plus_minus(drawn),
                    "standard deviation, drawn": f"{drawn.std():.1f}",
                    "difference, paired": plus_minus(drawn - expected),
                    "seeds": len(expected),
                }
            )
    return pd.DataFrame(rows)


def reductions(results: Results) -> pd.DataFrame:
    """How far POMIS+ lies below POMIS: as published, and on our runs."""
    rows = []
    for task, label in TASKS.items():
        for solver in SOLVERS:
            stated = results.published_where(judge="percentage", experiment=task, policy=played(solver, "POMIS+"))
            pomis, plus = (results.final(task, **played(solver, s)) for s in ("POMIS", "POMIS+"))
            one = percent_below(pomis.to_numpy(), plus.to_numpy())
            rows.append(
                {
                    "task": label,
                    "solver": solver,
                    "published, %": float(stated["value"].item()),
                    "replicated, %": f"{one.value:.1f} ({one.low:.1f} to {one.high:.1f})",
                    "POMIS - POMIS+": plus_minus(pomis - plus),
                    "seeds": len(pomis),
                }
            )
    return pd.DataFrame(rows)


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "table1": table1,
    "regrets": regrets,
    "comparison": comparison,
    "curves": curves,
    "predicted_curves": predicted_curves,
    "reductions": reductions,
    "robustness": robustness,
    "gaps": gaps,
    "variants": variants,
    "borrowing": borrowing,
    "expressions_frontdoor": partial(expressions, "frontdoor"),
    "expressions_fourvar": partial(expressions, "fourvar"),
    "expressions_sixvar": partial(expressions, "sixvar"),
    "searches": searches,
}
