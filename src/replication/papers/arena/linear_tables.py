"""The arena's tables of algorithms for linear models: regret beside that which their authors show."""

from __future__ import annotations

import pandas as pd

from replication.papers.arena.elsewhere import elsewhere
from replication.papers.arena.wording import in_columns
from replication.pipeline.results import Results


def linear_authors(results: Results) -> pd.DataFrame:
    """Set mean cumulative regret beside the authors', one row per number that they show.

    The columns of ``data/tables/arena_linear.csv`` beside experiment and settings (`elsewhere`): the algorithm's name
    in the table, the round, the mean cumulative regret up to it, who shows it, and where it was read. Gaps of Yan &
    Tajer are counted as they print them (L243).
    """
    rows = []
    for shown in elsewhere(results, "authors"):
        experiment, selected = shown["experiment"], shown["selected"]
        curve = results.curve(experiment, **selected)
        curve = curve[curve["t"] <= shown["rounds"]]
        row = curve.sort_values("t").iloc[-1] if len(curve) else None
        options = [str(selected[name]) for name in ("width", "layers", "graph") if name in selected]
        rows.append(
            {
                "algorithm": shown["says"],
                "problem": ", ".join(options) or experiment,
                "rounds": shown["rounds"],
                "authors' regret": shown["regret"],
                "read from": shown["read_from"],
                "regret": float("nan") if row is None else round(float(row["mean"]), 1),
                "at round": 0 if row is None else int(row["t"]),
                "runs": len(results.final(experiment, **selected)),
            }
        )
    return pd.DataFrame(rows)


def linear_told(results: Results) -> pd.DataFrame:
    """Tabulate final regret by what the learner is told and how it plays.

    It is a mean over random problems with a 95 % interval.
    """
    rows = []
    for experiment in ("linear_told", "linear_maximum"):
        for policy in results.policies(experiment):
            settings = results.settings(experiment, policy)
            final = results.final(experiment, by="draw", policy=policy)
            name = "LinSEM-TS" if settings["algorithm"] == "linsem_ts" else f"LinSEM-UCB, {settings['maximum']}"
            rows.append(
                {
                    "algorithm": name,
                    "told": settings["told"],
                    "rounds": results.horizon(experiment),
                    **in_columns(final),
                    "problems": len(final),
                }
            )
    return pd.DataFrame(rows)
