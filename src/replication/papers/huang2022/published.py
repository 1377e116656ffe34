"""Find what the paper prints of a policy by the experiment and settings that its claim names."""

from __future__ import annotations

from functools import cache

import yaml

from experiments.results import Results
from experiments.selection import selection
from experiments.settings import LOADER


def printed(results: Results, judge: str, experiment: str, algorithm: str, tau: float) -> str | None:
    """Find the published value of a judge's claim about an algorithm at a threshold.

    Parameters
    ----------
    results : Results
        Experiments on the same problem are one task: the paper's Adult-Video stands for its graph with and without the
        edge from sex to income.
    judge : str
        ``regret_of_column`` for regrets, ``unfair_decisions`` for counts.
    experiment, algorithm : str
    tau : float

    Returns
    -------
    str or None
        None where the paper prints none.
    """
    for row in results.published_where(judge=judge).to_dict("records"):
        of_row = named(row["arguments"], row["policy"])
        same = (of_row["algorithm"], of_row.get("tau")) == (algorithm, tau)
        if (
            same
            and row["experiment"] in results.plans
            and _task(results, row["experiment"]) == _task(results, experiment)
        ):
            return str(row["value"])
    return None


def _task(results: Results, experiment: str) -> object:
    label, *_ = results.policies(experiment)
    return results.settings(experiment, label)["problem"]


@cache
def named(arguments: str, policy: str) -> dict[str, object]:
    """Read what a published row says in its arguments and of its policy, together."""
    return {**yaml.load(arguments, LOADER), **selection(policy, "published")}
