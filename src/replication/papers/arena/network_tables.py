"""The arena's table of networks that people know and of random diagrams of two families."""

from __future__ import annotations

from typing import Any

import pandas as pd

from replication.papers.arena.players import ratio
from replication.papers.arena.wording import in_one_cell, ratio_text
from replication.pipeline.results import Results

#: The options that tell problems apart, by what the experiments' names begin with.
_APART = {"network": ("task",), "erdos_renyi": ("nodes", "confounders"), "scale_free": ("nodes", "confounders")}


def networks_table(results: Results) -> pd.DataFrame:
    """Regret of Thompson sampling on single variables and on the possibly optimal sets, and their ratio.

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
        for problem in problems if options else []:
            chosen: dict[str, Any] = dict(problem)
            single, diagram = (results.final(experiment, by=by, told=told, **chosen) for told in ("single", "diagram"))
            said = ", ".join(str(v) if name == "task" else f"{name} {v}" for name, v in problem)
            rows.append(
                {
                    "problem": said if experiment.startswith("network") else f"{experiment}: {said}",
                    "rounds": results.horizon(experiment),
                    "one variable at most": in_one_cell(single),
                    "possibly optimal": in_one_cell(diagram),
                    "second over first": ratio_text(*ratio(diagram, single)),
                    "intervals over": f"{len(single)} {'runs' if by == 'seed' else 'problems'}",
                }
            )
    return pd.DataFrame(rows)
