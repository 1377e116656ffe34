"""Read the tables of the stage ``bounds``: each offline sample's estimates for every row of Table 1."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from causal_bandits.arrays import FloatArray
from causal_bandits.problems.huang2024 import LEVELS
from experiments import files
from experiments.results import Results
from replication.papers.huang2024.table1 import ROW_COLUMNS, printed_column

#: Experiments at different levels of bias or sizes of the offline sample, with the bounds that each learns from.
BOUNDS_AT_LEVELS = {"levels": "bounds_levels", "sizes": "bounds_sizes"}


def published_column(results: Results, column: str) -> FloatArray:
    """Read a column of Table 1 as published, shape (16,)."""
    rows = results.published_where(place="Table 1", column=column)
    return printed_column([{str(k): str(v) for k, v in row.items()} for row in rows.to_dict("records")], column)


def by_row(path: str | Path) -> pd.DataFrame:
    """Read a table of the stage ``bounds`` and add the column ``row``, the row of Table 1 (0 to 15)."""
    frame: pd.DataFrame = files.read(path).to_pandas()
    return frame.assign(row=4 * frame["arm"] + frame["context"])


def per_sample(path: str | Path, column: str) -> pd.DataFrame:
    """Read a column of a table of the stage ``bounds``, shape (offline samples, rows of Table 1)."""
    return by_row(path).pivot(index="seed", columns="row", values=column)


def cp_per_sample(path: str | Path) -> FloatArray:
    """Read the estimate CP for a very large number of samples (`bounds.cp_samples`), shape (samples, 16).

    It is NaN in a row without data.
    """
    return _cp_per_sample(str(path), Path(path).stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _cp_per_sample(path: str, modified: int) -> FloatArray:
    table = files.read(path)
    cp = np.stack([table[name].to_numpy() for name in ROW_COLUMNS], axis=1) / 1000
    cp[cp < 0] = np.nan
    cp.flags.writeable = False
    return cp


def covered_rows(frame: pd.DataFrame, effect: FloatArray, bounds: str = "", rounding: float = 0.0) -> pd.Series:
    """Count, for each sample, the rows among the 16 whose bounds contain the exact effect.

    Parameters
    ----------
    frame : DataFrame
        As `by_row` reads it.
    effect : array, shape (16,)
    bounds : "" or "confident_"
        Which bounds of the table: the paper's, or those that are valid for a finite sample (ledger L93).
    rounding : float
        How far outside its bounds an effect may lie, at least 0.
    """
    target = np.asarray(effect)[frame["row"].to_numpy()]
    low, high = frame[f"{bounds}lower"], frame[f"{bounds}upper"]
    inside: pd.Series = ((low <= target + rounding) & (target <= high + rounding)).groupby(frame["seed"]).sum()
    return inside


def levels_played(results: Results) -> list[tuple[str, dict[str, Any]]]:
    """List each experiment of `BOUNDS_AT_LEVELS` with each level at which it is played.

    A level maps the problem's options to values.
    """
    found = []
    for experiment in BOUNDS_AT_LEVELS:
        for policy in results.policies(experiment, algorithm="lin_ucb_pcb"):
            settings = results.settings(experiment, policy)
            found.append((experiment, {name: settings[name] for name in LEVELS if name in settings}))
    return found


def at_level(frame: pd.DataFrame, level: dict[str, Any]) -> pd.DataFrame:
    """Select the rows of a table of the stage ``bounds`` that belong to a level."""
    return frame[(frame[list(level)] == pd.Series(level)).all(axis=1)]
