"""Tables of lee2019 on its three bandits, and on random ones.

More are in `curves`, `gaps`, `variants`, `borrowing` and `expressions`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from itertools import product

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
from replication.papers.lee2019.strategies import HORIZON, SOLVERS, STRATEGIES, by_order, played, printed
from replication.papers.lee2019.variants import variants


def table1(results: Results) -> pd.DataFrame:
    """Make Table 1: average cumulative regret at the horizon, published and replicated.

    Replicated are the mean and half of its 95 % interval. ``z`` is the difference in units of the joint standard error:
    ours, and that of the paper's mean of 1,000 runs, which averages drawn rewards (L16).
    """
    rows = []
    for solver in SOLVERS:
        for strategy in STRATEGIES:
            cells = {task: by_order(results, task, solver, strategy) for task in TASKS}
            for name in dict.fromkeys(name for orders in cells.values() for name in orders):
                row = {"solver": solver, "strategy": name}
                for task, label in TASKS.items():
                    shown = ("", "", "")  # the other order, which has the same expressions in this task
                    if name in cells[task]:
                        shown = _cells(results, task, printed(results, task, solver, strategy), cells[task][name])
                    row |= dict(
                        zip((f"{label} {part}" for part in ("published", "replicated", "z")), shown, strict=True)
                    )
                rows.append(row)
    return pd.DataFrame(rows)


def _cells(results: Results, task: str, published: float, chosen: Mapping[str, str]) -> tuple[str, str, str]:
    """Write a number of Table 1, ours, and how far they are apart."""
    try:
        values, drawn = (results.final(task, metric, **chosen) for metric in ("cumulative_regret", "drawn_regret"))
        replicated = plus_minus(values)
        joint = math.hypot(values.std() / math.sqrt(len(values)), drawn.std() / math.sqrt(TRIALS))
        off = f"{(values.mean() - published) / joint:+.1f}"
    except NotRunError:
        replicated = off = "not run"
    return f"{published:.2f}", replicated, off if results.horizon(task) == HORIZON else "another horizon"


def regrets(results: Results) -> pd.DataFrame:
    """Regret by expected and by drawn rewards (L16): the same mean, another spread."""
    rows = []
    for (task, label), solver, strategy in product(TASKS.items(), SOLVERS, reversed(STRATEGIES)):
        for name, chosen in by_order(results, task, solver, strategy).items():
            if not results.policies(task, **chosen):
                continue  # the configuration leaves it out
            expected, drawn = (results.final(task, m, **chosen) for m in ("cumulative_regret", "drawn_regret"))
            rows.append(
                {
                    "task": label,
                    "policy": f"{solver} {name}",
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
            pomis = results.final(task, **played(solver, "POMIS"))
            for name, chosen in by_order(results, task, solver, "POMIS+").items():
                plus = results.final(task, **chosen)
                one = percent_below(pomis.to_numpy(), plus.to_numpy())
                rows.append(
                    {
                        "task": label,
                        "policy": f"{solver} {name}",
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
