"""Policies of huang2022 by the paper's names, and what the paper prints for each."""

from __future__ import annotations

from typing import Any

from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from experiments.drawing.looks import COLOURS, Look
from experiments.results import Results

#: The paper's names of the algorithms in Fig. 2b and Table 1, in its order.
NAMES = {"ucb": "UCB", "c_ucb": "C-UCB", "d_ucb": "D-UCB", "f_ucb": "F-UCB"}
#: All algorithms whose counts of unfair decisions the paper prints.
COUNTED = {**NAMES, "fair_lin_ucb": "Fair-LinUCB"}

#: How figures draw a policy, by its name.
POLICIES = {
    "F-UCB, fallback best": Look({"algorithm": "f_ucb", "fallback": "best"}, COLOURS["red"], (0, (4, 4))),
    "UCB": Look({"algorithm": "ucb"}, COLOURS["blue"]),
    "C-UCB": Look({"algorithm": "c_ucb"}, COLOURS["green"]),
    "D-UCB": Look({"algorithm": "d_ucb"}, COLOURS["orange"]),
    "F-UCB": Look({"algorithm": "f_ucb"}, COLOURS["red"]),
}

#: Graph learners (ledger L39), each with the table of the graphs that it learnt.
LEARNERS = {"PC": "discovery_pc", "GES": "discovery_ges"}

#: The paper's number of trials.
TRIALS = 5

#: What counts as an unfair round under each definition (`causal_bandits.play.unfairness`; ledger L50).
DEFINITIONS = {
    "exact": "exact discrepancy, the arm held fixed (Eq. 8)",
    "answer": "exact discrepancy, the policy's own answer (Definition 3)",
    "plugin": "estimated from the minimal separator's means (Eq. 10)",
    "plugin_parents": "estimated from the means of the reward's parents",
    "plugin_table": "estimated from the means of context and arm",
    "conservative": "upper bound UCB_Delta (Eq. 12)",
    "drawn": "difference of two drawn rewards",
    "drawn_answer": "difference of two drawn rewards, the policy's own answer",
    "worst": "difference of the drawn reward from the worst arm's mean",
}

#: Definitions that were chosen after seeing the published counts (ledger L82).
PICKED = ("drawn_answer", "worst")


#: F-UCB's threshold in Fig. 2b.
TAU = 0.3

#: The settings with which tables and figures show an algorithm, unless they say otherwise (ledger L48, L49, L51, L80).
SHOWN_WITH: dict[str, dict[str, Any]] = {
    "f_ucb": {"fallback": "safest", "alpha_r": 1.0, "alpha_c": 1.0},
    "ucb": {"context_free": False, "unplayed": "one"},
    "fair_lin_ucb": {"alpha": 1.0},
}


def settings_at(algorithm: str, tau: float) -> dict[str, Any]:
    """Return the settings that select a policy at a threshold; only F-UCB depends on it."""
    return {"algorithm": algorithm, **SHOWN_WITH.get(algorithm, {}), **({"tau": tau} if algorithm == "f_ucb" else {})}


# What the paper prints for a policy, by experiment and threshold.

#: The paper's number of rounds.
ROUNDS = 5_000
#: The tables of regrets and of unfair rounds, by experiment.
PRINTED_IN = {"email": "Table 1", "adult_bounds": "Table 2"}
#: The row of a count that is printed at every threshold: F-UCB's 0.
EVERY_TAU = "tau = 0.1 to 0.5"


def printed_regret(results: Results, experiment: str, tau: float) -> str:
    """Return the regret that the paper prints for F-UCB at a threshold.

    Experiments on the same problem are one task: the paper's Adult-Video covers its graph with and without the edge
    from sex to income.

    Raises
    ------
    ValueError
        If none is printed.
    """
    for task, table in PRINTED_IN.items():
        rows = results.published_where(place=table, column="regret of F-UCB", row=f"tau = {tau:g}")
        if len(rows) and _same_task(results, task, experiment):
            return str(rows["value"].item())
    raise ValueError(f"{experiment}: no regret of F-UCB is published at tau = {tau:g}")


def printed_counts(results: Results, experiment: str) -> dict[str, dict[float, float]]:
    """Return the counts of unfair decisions that the paper prints for a task, by policy and threshold."""
    found: dict[str, dict[float, float]] = {}
    for task, table in PRINTED_IN.items():
        if _same_task(results, task, experiment):
            found |= counts_in(results, table)
    return found


def counts_in(results: Results, table: str) -> dict[str, dict[float, float]]:
    """Return the counts of unfair decisions that a table of the paper prints, by policy and threshold.

    Raises
    ------
    ValueError
        If a policy has counts, but not one for each of `THRESHOLDS`.
    """
    found: dict[str, dict[float, float]] = {}
    for policy, name in COUNTED.items():
        rows = results.published_where(place=table, column=f"unfair decisions of {name} per run")
        printed = dict(zip(rows["row"], rows["value"], strict=True))
        if not printed:
            continue
        found[policy] = {}
        for tau in THRESHOLDS:
            count = printed.get(f"tau = {tau:g}", printed.get(EVERY_TAU))
            if count is None:
                raise ValueError(f"{table}: no count of {name} is published at tau = {tau:g}")
            found[policy][tau] = float(count)
    return found


def _same_task(results: Results, one: str, other: str) -> bool:
    return one in results.plans and _problem(results, one) == _problem(results, other)


def _problem(results: Results, experiment: str) -> object:
    label, *_ = results.policies(experiment)
    return results.settings(experiment, label)["problem"]
