"""The arena's table of networks that people know and of random diagrams of two families."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from replication.papers.arena.players import ratio
from replication.papers.arena.wording import in_one_cell, ratio_text
from replication.pipeline.results import Results

#: The options that tell problems apart, by what the experiments' names begin with.
_APART = {"network": ("task",), "erdos_renyi": ("nodes", "confounders"), "scale_free": ("nodes", "confounders")}

#: Algorithms by the names that the table gives them, in its order.
_NAMES = {"thompson": "TS", "kl_ucb": "kl-UCB", "c_ts": "C-TS"}


def networks_table(results: Results) -> pd.DataFrame:
    """Regret of each algorithm on single variables and on the possibly optimal sets, and their ratio.

    A network is one problem, and its interval is over runs. Random diagrams differ between runs, and the interval of
    the ratio is over problems. The two kinds of rows are never averaged.
    """
    rows = []
    for experiment in results.plans:
        options = next((names for start, names in _APART.items() if experiment.startswith(start)), ())
        problems = {
            tuple((name, results.settings(experiment, policy)[name]) for name in options): None
            for policy in results.policies(experiment)
        }
        by = "seed" if experiment.startswith("network") else "draw"
        for problem, (algorithm, name) in _each(problems if options else [], results, experiment):
            chosen: dict[str, Any] = {**dict(problem), "algorithm": algorithm}
            single, diagram = (results.final(experiment, by=by, told=told, **chosen) for told in ("single", "diagram"))
            said = ", ".join(str(v) if option == "task" else f"{option} {v}" for option, v in problem)
            rows.append(
                {
                    "problem": said if experiment.startswith("network") else f"{experiment}: {said}",
                    "algorithm": name,
                    "rounds": results.horizon(experiment),
                    "one variable at most": in_one_cell(single),
                    "possibly optimal": in_one_cell(diagram),
                    "second over first": ratio_text(*ratio(diagram, single)),
                    "intervals over": f"{len(single)} {'runs' if by == 'seed' else 'problems'}",
                }
            )
    return pd.DataFrame(rows)


def _each(
    problems: Iterable[tuple[tuple[str, Any], ...]], results: Results, experiment: str
) -> list[tuple[tuple[tuple[str, Any], ...], tuple[str, str]]]:
    return [
        (problem, (algorithm, name))
        for problem in problems
        for algorithm, name in _NAMES.items()
        if results.policies(experiment, algorithm=algorithm, **dict(problem))
    ]
