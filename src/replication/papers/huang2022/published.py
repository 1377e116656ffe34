"""Find what the paper prints of a policy by experiment and threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import yaml

from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from experiments.results import Results
from experiments.selection import selection
from experiments.settings import LOADER

#: The counts that a table prints: by policy, one for each of `THRESHOLDS`.
Counts = Mapping[str, Sequence[float]]


def printed_regret(results: Results, experiment: str, tau: float) -> str:
    """Find the regret that the paper prints of F-UCB at a threshold.

    Experiments on the same problem are one task: the paper's Adult-Video stands for its graph with and without the edge
    from sex to income.

    Raises
    ------
    ValueError
        If none is printed.
    """
    for row in results.published_where(judge="regret_of_column").to_dict("records"):
        if selection(row["policy"], "published").get("tau") == tau and _same_task(
            results, row["experiment"], experiment
        ):
            return str(row["value"])
    raise ValueError(f"{experiment}: no regret of F-UCB is published at tau = {tau:g}")


def printed_counts(results: Results, experiment: str) -> dict[str, dict[float, float]]:
    """Find the counts of unfair decisions that the paper prints for a task, by policy and threshold."""
    found: dict[str, dict[float, float]] = {}
    for row in results.published_where(judge="counts").to_dict("records"):
        if _same_task(results, row["experiment"], experiment):
            found |= by_threshold(_arguments(row["arguments"])["counts"])
    return found


def by_threshold(counts: Counts) -> dict[str, dict[float, float]]:
    """Pair the counts of every policy with the thresholds.

    Raises
    ------
    ValueError
        If a policy has not one for each.
    """
    return {policy: dict(zip(THRESHOLDS, of_policy, strict=True)) for policy, of_policy in counts.items()}


def _same_task(results: Results, one: str, other: str) -> bool:
    return one in results.plans and _problem(results, one) == _problem(results, other)


def _problem(results: Results, experiment: str) -> object:
    label, *_ = results.policies(experiment)
    return results.settings(experiment, label)["problem"]


@cache
def _arguments(text: str) -> dict[str, Counts]:
    found: dict[str, Counts] = yaml.load(text, LOADER)
    return found
