"""How the paper names and orders what the study calls policies, cells and estimators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from replication.papers.huang2024 import eq_11
from replication.papers.huang2024.problems import LEVELS
from replication.pipeline import files
from replication.pipeline.results import Results

#: Rows of Table 1: X1 (slowest), X2, U1, U2. Arms count (X1, X2), contexts (U1, U2), so row = 4 * arm + context.
ROWS = 16

#: Columns of the stage ``bounds`` with their names in Table 1; the truth is exact and not among them.
COLUMNS = {name: label for name, label in eq_11.COLUMNS.items() if name != "truth"}

#: Fig. 4, in the order of its caption: what the paper calls a policy, and the settings that select it.
POLICIES: dict[str, dict[str, Any]] = {
    "LinUCB": {"algorithm": "lin_ucb", "warm_start": None},
    "LinUCB-PCB": {"algorithm": "lin_ucb_pcb", "warm_start": None},
    "LinUCB_Biased": {"algorithm": "lin_ucb", "warm_start": "biased"},
    "LinUCB_CP": {"algorithm": "lin_ucb", "warm_start": "cp"},
}


#: Experiments at other levels of the biases and sizes of the offline sample, with the file of their bounds.
AT_LEVELS = ("levels", "sizes")


def cell_name(row: int) -> str:
    """``x1 x2 | u1 u2`` of a row of Table 1 (0 to 15)."""
    x1, x2, u1, u2 = (row >> shift & 1 for shift in (3, 2, 1, 0))
    return f"{x1}{x2}|{u1}{u2}"


def published_column(results: Results, column: str) -> pd.Series:
    """A column of Table 1 as published, by row (0 to 15)."""
    return results.published_where(item="Table 1", column=column)["value"].astype(float).reset_index(drop=True)


def by_row(path: str | Path) -> pd.DataFrame:
    """A table of the stage ``bounds`` for all seeds, with the column ``row`` (0 to 15) of Table 1."""
    frame: pd.DataFrame = files.read(path).to_pandas()
    return frame.assign(row=4 * frame["arm"] + frame["context"])


def per_sample(path: str | Path, column: str) -> pd.DataFrame:
    """A column of a table of the stage ``bounds`` by cell, shape (offline samples, rows of Table 1)."""
    return by_row(path).pivot(index="seed", columns="row", values=column)


def covered_cells(frame: pd.DataFrame, truth: pd.Series, bounds: str = "", rounding: float = 0.0) -> pd.Series:
    """In how many of the 16 cells each sample's bounds contain the exact effect.

    ``frame`` is of `by_row`; ``bounds`` says which: "" or "confident_".
    """
    target, low, high = frame["row"].map(truth), frame[f"{bounds}lower"], frame[f"{bounds}upper"]
    return ((low <= target + rounding) & (target <= high + rounding)).groupby(frame["seed"]).sum()


def in_rows(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """A (contexts, arms) array as the 16 rows of Table 1."""
    return means.T.ravel()


def levels_played(results: Results) -> list[tuple[str, dict[str, Any]]]:
    """Experiments of `AT_LEVELS`, and of each the levels that are played: options of the problem by name."""
    found = []
    for experiment in AT_LEVELS:
        for policy in results.policies(experiment, algorithm=POLICIES["LinUCB-PCB"]["algorithm"]):
            settings = results.settings(experiment, policy)
            found.append((experiment, {name: settings[name] for name in LEVELS if name in settings}))
    return found


def at_level(frame: pd.DataFrame, level: dict[str, Any]) -> pd.DataFrame:
    """The rows of a table of the stage ``bounds`` that belong to a level."""
    return frame[(frame[list(level)] == pd.Series(level)).all(axis=1)]
