"""Build tables of lee2019 on its three bandits, and on random ones.

More are in `curves` and `gains`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from itertools import product

import pandas as pd

from causal_bandits.identification.estimators import COLLECTIONS, Search, expressions_among, reward_expressions
from causal_bandits.identification.z2id import TRIED
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS, NON_MANIPULABLE
from experiments.drawing.tabulate import comparison, plus_minus
from experiments.results import NotRunError, Results
from experiments.settings import compact
from replication.judging.judges.intervals import percent_below
from replication.papers.lee2019.curves import TRIALS, curves, predicted_curves
from replication.papers.lee2019.gains import gaps, robustness
from replication.papers.lee2019.policies import (
    HORIZON,
    PRINTED_SOLVERS,
    SOLVERS,
    STRATEGIES,
    TASKS,
    arm_count,
    by_order,
    intervention_sets,
    played,
    printed,
    task_of,
    unspaced,
    written,
)


def table1(results: Results) -> pd.DataFrame:
    """Build Table 1: average cumulative regret at the horizon, published and replicated.

    Replicated cells show the mean and the half-width of its 95 % interval. ``z`` is the difference in units of the
    combined standard error of our mean and of the paper's mean of 1,000 runs, which averages drawn rewards (L16).
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
    """Format a number from Table 1, ours, and their difference."""
    try:
        values, drawn = (results.final(task, metric, **chosen) for metric in ("cumulative_regret", "drawn_regret"))
        replicated = plus_minus(values)
        joint = math.hypot(values.std() / math.sqrt(len(values)), drawn.std() / math.sqrt(TRIALS))
        off = f"{(values.mean() - published) / joint:+.1f}"
    except NotRunError:
        replicated = off = "not run"
    return f"{published:.2f}", replicated, off if results.horizon(task) == HORIZON else "another horizon"


def regrets(results: Results) -> pd.DataFrame:
    """Tabulate regret by expected and by drawn rewards (L16): the means are equal, but the spreads differ."""
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
    """Tabulate the percentage by which POMIS+ has less regret than POMIS, as published and in our runs."""
    rows = []
    for task, label in TASKS.items():
        for solver in SOLVERS:
            stated = results.published_where(kind="percentage", column=label, row=PRINTED_SOLVERS[solver])
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


# When expressions count in the runs of z2-TS and z2-kl-UCB (L10), and how often no Beta distribution fits an average
# (L13).


def borrowing(results: Results) -> pd.DataFrame:
    """Tabulate, per task and solver, how much the expressions of POMIS+ contribute.

    The columns are the share of runs in which an expression counts, the weight of expressions, and the number of
    averages clipped. The weight is that of all expressions besides the trivial estimator, averaged over arms, rounds
    and runs.
    """
    rows = []
    for task, label in TASKS.items():
        rounds = results.horizon(task)
        for solver in SOLVERS:
            chosen = played(solver, "POMIS+")
            borrowed, clipped = (results.final(task, metric, **chosen) for metric in ("borrowed", "clipped"))
            arms = arm_count(intervention_sets(task, chosen["arms"]))
            rows.append(
                {
                    "task": label,
                    "policy": f"{solver} POMIS+",
                    "runs in which an expression counts, %": f"{100 * (borrowed > 0).mean():.1f}",
                    "weight of expressions, %": f"{100 * borrowed.mean() / rounds:.1f}",
                    "averages that no Beta distribution matches": int(clipped.sum()),
                    "pairs of round and arm": rounds * arms * len(borrowed),
                    "seeds": len(borrowed),
                }
            )
    return pd.DataFrame(rows)


# Tables of the expressions that z2ID finds for lee2019's tasks.


def expressions(task: str, results: Results) -> pd.DataFrame:
    """Tabulate every expression that z2ID finds for the possibly-optimal arms of a task.

    The equation that prints an expression is listed with it.
    """
    equations = results.published_where(kind="set")
    printed = {unspaced(value): item for value, item in zip(equations["value"], equations["place"], strict=True)}
    rows = []
    for arm_set, alternatives in reward_expressions(GRAPHS[task], "Y", NON_MANIPULABLE[task]).items():
        for number, expression in enumerate(alternatives):
            rows.append(
                {
                    "arms": "do(" + ", ".join(sorted(arm_set)) + ")",
                    "no.": number,
                    "expression": str(expression),
                    "formula": f"${expression.to_latex()}$",
                    "data from": written(expression.experiments),
                    "free values": ", ".join(sorted(set(expression.arguments) - arm_set - {"Y"})).lower(),
                    "printed as": printed.get(unspaced(str(expression)), ""),
                }
            )
    frame = pd.DataFrame(rows)
    frame.attrs["math"] = ["formula"]
    return frame


def searches(results: Results) -> pd.DataFrame:
    """Count the expressions besides the trivial ones under other choices in z2ID (L08)."""
    rows = []
    for task, label in TASKS.items():
        used = reward_expressions(GRAPHS[task], "Y", NON_MANIPULABLE[task])
        for collections in (c for c in COLLECTIONS if c != "none"):
            for tried in TRIED:
                found = expressions_among(GRAPHS[task], "Y", used, Search(collections, tried))
                rows.append(
                    {
                        "task": label,
                        "collections": collections,
                        "line 6 tries": tried,
                        "expressions": sum(len(each) - 1 for each in found.values()),
                        "of which the study uses": sum(len(set(e) & set(used[x])) - 1 for x, e in found.items()),
                    }
                )
    return pd.DataFrame(rows)


# Table of POMIS+ with one part changed: support, covariance, z2ID's line 6, no expressions.

#: The ledger's entries on each setting that is changed.
ENTRIES = {"support": "L10", "averaging": "L14", "tried": "L08", "collections": "L08 L72"}


def variants(results: Results) -> pd.DataFrame:
    """Tabulate the regret of POMIS+ with parts changed, and its excess over that with the study's choice.

    Table 1's number is also listed, with the difference in standard errors of our mean.
    """
    rows = []
    for experiment in results.experiments():
        task = task_of(results, experiment)
        for solver in SOLVERS:
            chosen = played(solver, "POMIS+")
            usual = results.label(experiment, dict(chosen))
            base = results.final(experiment, policy=usual)
            stated = printed(results, task, solver, "POMIS+")
            for label in results.policies(experiment, **chosen):
                own, default = results.settings(experiment, label), results.settings(experiment, usual)
                changed = {name: own[name] for name in ENTRIES if own.get(name) != default.get(name)}
                said = ", ".join(f"{name}: {compact(value)}" for name, value in changed.items())
                values = results.final(experiment, policy=label)
                off = (values.mean() - stated) / (values.std() / math.sqrt(len(values)))
                rows.append(
                    {
                        "task": TASKS[task],
                        "solver": solver,
                        "changed": said or "nothing",
                        "ledger": " ".join(dict.fromkeys(" ".join(ENTRIES[name] for name in changed).split())),
                        "regret": plus_minus(values),
                        "above the study's choice, paired": plus_minus(values - base) if changed else "",
                        "Table 1": f"{stated:.2f}",
                        "standard errors off": f"{off:+.1f}",
                        "seeds": len(values),
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
