"""The arena's table of algorithms for linear models: what wrong edges cost them."""

from __future__ import annotations

import pandas as pd

from replication.papers.arena.wording import in_columns
from replication.pipeline.results import Results


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
