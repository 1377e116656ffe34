"""Build tables of lee2019 on its three bandits, and on random ones; those of its curves are in `curves`.

Also measure how much POMIS+ gains, by gaps (ledger L73), by arms of low reward (L195), and on random models (L70).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import pandas as pd
import yaml
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray
from causal_bandits.identification.estimators import COLLECTIONS, Search, expressions_among, reward_expressions
from causal_bandits.identification.z2id import TRIED
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS, NON_MANIPULABLE
from experiments.drawing.tabulate import comparison, plus_minus
from experiments.results import NotRunError, Results
from experiments.settings import compact
from replication.judging.claims import Final
from replication.judging.judges import Moments
from replication.judging.judges.intervals import percent_below
from replication.papers.lee2019.curves import TRIALS, curves, predicted_curves
from replication.papers.lee2019.policies import (
    FAMILIES,
    HORIZON,
    PRINTED_SOLVERS,
    SOLVERS,
    STRATEGIES,
    TASKS,
    alike,
    arm_count,
    by_order,
    intervention_sets,
    played,
    printed,
    regret,
    task_of,
    unspaced,
    written,
)

# ------------------------------------------------------------------ gains of POMIS+


def gap(means: FloatArray) -> float:
    """Compute the difference between the best arm's mean and the largest smaller mean."""
    below = means[means < means.max() - 1e-12]
    return float(means.max() - below.max()) if len(below) else 0.0


def gain(results: Results, experiment: str, solver: str) -> pd.Series:
    """Return the gain of a solver in an experiment, per seed; see `gain_of`."""
    return gain_of(*(results.final(experiment, **played(solver, strategy)) for strategy in ("POMIS", "POMIS+")))


def gain_of(base: pd.Series, plus: pd.Series) -> pd.Series:
    """Return the gain on one bandit, per seed: the log ratio of POMIS's mean regret to that of POMIS+.

    The mean over seeds is the log ratio of the two means. Each seed's value is its first-order contribution, so the
    spread over seeds gives the standard error.
    """
    gained: pd.Series = np.log(base.mean() / plus.mean()) + base / base.mean() - plus / plus.mean()
    return gained


def moments(gained: pd.Series) -> Moments:
    """Return the mean, the standard deviation and the number of seeds."""
    return Moments(float(gained.mean()), float(gained.std()), len(gained))


def gaps(results: Results) -> pd.DataFrame:
    """Tabulate the gain on each task's bandit, and with one of its parameters changed."""
    from causal_bandits.problems.lee2019 import build  # loads Numba, which most tables do without

    rows = []
    for task, label in TASKS.items():
        for experiment in (f"small_gap_{task}", task, f"large_gap_{task}"):
            noise = results.settings(experiment, results.policies(experiment)[0]).get("noise")
            means = build(task, noise=yaml.safe_load(str(noise)) if noise else None).with_arms("possibly_optimal").means
            gained = {solver: gain(results, experiment, solver) for solver in SOLVERS}
            rows.append(
                {
                    "task": label,
                    "moved": str(noise).strip("{}") if noise else "nothing",
                    "gap to the next arm": f"{gap(means):.4f}",
                    **{f"gain, {s}": plus_minus(values) for s, values in gained.items()},
                    **{
                        f"POMIS+ below POMIS, {s}, %": f"{-100 * np.expm1(-values.mean()):.1f}"
                        for s, values in gained.items()
                    },
                    "seeds": len(next(iter(gained.values()))),
                }
            )
    return pd.DataFrame(rows)


def means_of(task: str, family: str, draws: Iterable[int]) -> list[NDArray[np.float64]]:
    """Return the exact means of the possibly-optimal arms for some draws; the first arm is doing nothing."""
    return [_means_of(task, family, draw) for draw in draws]


@cache
def _means_of(task: str, family: str, draw: int) -> NDArray[np.float64]:
    from causal_bandits.problems.lee2019 import build  # loads Numba, which most tables do without

    means = build(task, family=family, draw=draw).with_arms("possibly_optimal").means
    means.flags.writeable = False
    return means


#: The regrets of POMIS and of POMIS+.
Pair = tuple[Final, Final]


def random_gains(results: Results, pairs: Iterable[Pair]) -> pd.DataFrame:
    """Tabulate the gain on every random model of some experiments: task, draw and gain."""
    rows = []
    for pair in pairs:
        base, plus = (each.values(results, "draw") for each in pair)
        both = (base > 0) & (plus > 0)  # if all arms are equally good, there is nothing to gain
        found = {"task": task_of(results, pair[0].experiment), "draw": base.index[both]}
        rows.append(pd.DataFrame(found | {"gain": np.log((base / plus)[both].to_numpy())}))
    return pd.concat(rows, ignore_index=True)


#: An arm has a low reward if Lai and Robbins's bound on how often a good solver must play it, ln(T) / kl(mean, best
#: mean), is below a hundredth of the horizon.
PLAYS = HORIZON / 100


def low_arms(means: FloatArray) -> int:
    """Count the arms that a solver need hardly play: Lai and Robbins's bound is below `PLAYS`."""
    best = float(means.max())
    worse = means[means < best - 1e-12]
    return int((math.log(HORIZON) / _divergence(worse, best) < PLAYS).sum())


def _divergence(means: FloatArray, best: float) -> FloatArray:
    """Compute kl(mean, best) for binary rewards, with all means clipped to lie strictly between 0 and 1."""
    p = np.clip(means, 1e-12, 1 - 1e-12)
    q = min(max(best, 1e-12), 1 - 1e-12)
    found: FloatArray = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
    return found


class Step(NamedTuple):
    """The percentage by which one mean regret is below another, with its 95 % interval."""

    larger: str
    smaller: str
    value: float
    low: float
    high: float


def orders(results: Results, experiment: str, solver: str) -> list[Step]:
    """Compare each strategy with the next, from BF down to POMIS+, over the random models."""
    task = experiment.rsplit("_", 1)[-1]
    kept = [s for s in reversed(STRATEGIES) if alike(task, s)[0] == s]
    found = []
    for larger, smaller in pairwise(kept):
        base, other = (regret(results, experiment, solver, s, by="draw").to_numpy() for s in (larger, smaller))
        percent = percent_below(base, other)
        found.append(Step(larger, smaller, percent.value, percent.low, percent.high))
    return found


def robustness(results: Results) -> pd.DataFrame:
    """Tabulate the strategies on random models of each family: regret, and the paper's rankings (L70)."""
    rows = []
    for task, label in TASKS.items():
        for family in FAMILIES:
            experiment = f"{family}_{task}"
            if experiment not in results.plans:
                continue  # a smaller study
            for solver in SOLVERS:
                values = {s: regret(results, experiment, solver, s, by="draw") for s in STRATEGIES}
                pomis, plus = values["POMIS"], values["POMIS+"]
                percent = percent_below(pomis.to_numpy(), plus.to_numpy())
                nothing = [means[0] >= means.max() for means in means_of(task, family, pomis.index)]
                rows.append(
                    {
                        "task": label,
                        "family": family,
                        "solver": solver,
                        "doing nothing is optimal, %": f"{100 * sum(nothing) / len(nothing):.0f}",
                        **{strategy: f"{found.mean():.1f}" for strategy, found in values.items()},
                        "POMIS+ below POMIS, %": f"{percent.value:.1f} ({percent.low:.1f} to {percent.high:.1f})",
                        **{
                            f"{larger} > {smaller}, %": f"{value:.1f} ({low:.1f} to {high:.1f})"
                            for larger, smaller, value, low, high in orders(results, experiment, solver)
                        },
                        "models": len(pomis),
                        "of which POMIS+ lower": int((plus < pomis).sum()),
                    }
                )
    return pd.DataFrame(rows).fillna("")


# ------------------------------------------------------------------ the three bandits


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
    for arm_set, alternatives in reward_expressions(
        GRAPHS[task], outcome="Y", non_manipulable=NON_MANIPULABLE[task]
    ).items():
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
        used = reward_expressions(GRAPHS[task], outcome="Y", non_manipulable=NON_MANIPULABLE[task])
        for collections in (c for c in COLLECTIONS if c != "none"):
            for tried in TRIED:
                found = expressions_among(GRAPHS[task], used, outcome="Y", search=Search(collections, tried))
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


# Table of POMIS+ with one part changed: support, covariance, weights, z2ID's line 6, no expressions.

#: The ledger's entries on each setting that is changed.
ENTRIES = {
    "support": "L10",
    "averaging": "L14",
    "solver": "L14",
    "tolerance": "L14",
    "tried": "L08",
    "collections": "L08 L72",
}


def variants(results: Results) -> pd.DataFrame:
    """Tabulate the regret of POMIS+ with parts changed, and its excess over that with the study's choice.

    Table 1's number is also listed, with the difference in standard errors of our mean.
    """
    rows = []
    for experiment in results.experiments():
        task = task_of(results, experiment)
        for solver in SOLVERS:
            algorithm, arms = SOLVERS[solver].sharing, STRATEGIES["POMIS+"][0]
            labels = results.policies(experiment, algorithm=algorithm, arms=arms)
            usual = labels[0]  # listed first: the study's choice
            base = results.final(experiment, policy=usual)
            stated = printed(results, task, solver, "POMIS+")
            for label in labels:
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
