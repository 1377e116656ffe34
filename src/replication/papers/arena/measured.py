"""The arena's players beside what was measured of the same algorithms elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from experiments.results import Results
from replication.papers.arena.elsewhere import elsewhere
from replication.papers.arena.unknown_graph import rival_search, unknown_graph

#: In the column ``settings``, in place of an algorithm: the number is computed by `rival_search`, not played.
SEARCHING = "searching"


def measured(results: Results) -> pd.DataFrame:
    """Set the study's means beside those of ``data/tables/arena_measured.csv``.

    The difference is given in standard errors.

    The columns of that file beside experiment and settings (`elsewhere`): the metric, what the player is called, the
    mean, its standard error, the number of runs, and by what it was measured. Rows without a run that ended have no
    mean and no difference.
    """
    rows = []
    for row in elsewhere(results, "measured"):
        own = _runs(results, row["experiment"], row["selected"], row["metric"])
        mean, error = (own.mean(), own.std() / np.sqrt(len(own))) if len(own) > 1 else (np.nan, np.nan)
        digits = 4 if row["metric"] == "excess" else 0
        away = (mean - row["measured"]) / np.hypot(error, row["error"])
        rows.append(
            {
                "problem": row["experiment"],
                "plays": row["says"],
                "mean of": {"excess": "simple regret", "cumulative_regret": "regret"}[row["metric"]],
                "measured elsewhere": f"{row['measured']:.{digits}f} ({row['error']:.{digits}f})",
                "by": row["by"],
                "here": f"{mean:.{digits}f} ({error:.{digits}f})" if len(own) > 1 else "",
                "runs here": len(own),
                "difference, in standard errors": f"{away:.1f}" if len(own) > 1 else "",
            }
        )
    return pd.DataFrame(rows)


def _runs(results: Results, experiment: str, selected: Mapping[str, Any], metric: str) -> pd.Series:
    """The final values of all seeds that have one."""
    if selected["algorithm"] == SEARCHING:
        draws = sorted(set(results.finals[experiment]["draw"]))
        horizon = results.horizon(experiment)
        return pd.Series([rival_search(unknown_graph(draw=int(d)), horizon) for d in draws])
    return results.final(experiment, metric, **selected).dropna()
