"""UCB+ and its rivals beside what was measured with the code of its authors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from causal_bandits.problems.construction.arena.unknown_graph import rival_search, unknown_graph
from experiments.results import Results
from experiments.selection import selection

#: In the column ``settings``, in place of an algorithm: the number is computed by `rival_search`, not played.
SEARCHING = "searching"


def measured(results: Results) -> pd.DataFrame:
    """Set the study's means beside those of ``data/measured.csv``.

    The difference is given in standard errors.

    The columns of that file: the experiment; the player's settings as published tables have them, its algorithm and
    then ``name=value`` (`selection`); what the player is called; the mean regret, its standard error, and the number of
    runs. Without runs there is no mean here and no difference.

    Raises
    ------
    NotRunError
        If the configuration has no such file.
    ClaimError
        If settings cannot be read.
    """
    path, rows = results.file("measured"), []
    for row in pd.read_csv(path).to_dict("records"):
        own = _runs(results, row["experiment"], selection(row["settings"], f"{path}, {row['says']}"))
        mean, error = (own.mean(), own.std() / np.sqrt(len(own))) if len(own) > 1 else (np.nan, np.nan)
        away = (mean - row["measured"]) / np.hypot(error, row["error"])
        rows.append(
            {
                "problem": row["experiment"],
                "plays": row["says"],
                "regret by the authors' code": f"{row['measured']:.0f} ({row['error']:.0f})",
                "regret here": f"{mean:.0f} ({error:.0f})" if len(own) > 1 else "",
                "runs here": len(own),
                "difference, in standard errors": f"{away:.1f}" if len(own) > 1 else "",
            }
        )
    return pd.DataFrame(rows)


def _runs(results: Results, experiment: str, selected: Mapping[str, Any]) -> pd.Series:
    """Return the final regret of all seeds."""
    if selected["algorithm"] == SEARCHING:
        draws = sorted(set(results.finals[experiment]["draw"]))
        horizon = results.horizon(experiment)
        return pd.Series([rival_search(unknown_graph(draw=int(d)), horizon) for d in draws])
    return results.final(experiment, **selected)
