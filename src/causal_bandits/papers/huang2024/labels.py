"""How the paper names and orders what the study calls policies, cells and estimators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray

from causal_bandits.evaluation.results import Results

#: Rows of Table 1: X1 (slowest), X2, U1, U2. Arms count (X1, X2), contexts (U1, U2), so row = 4 * arm + context.
ROWS = 16

#: Columns of the stage ``bounds`` with their names in Table 1; the truth is exact and not among them.
COLUMNS = {"cp": "CP", "biased": "Biased", "lower": "BCE lb", "upper": "BCE ub"}

#: Fig. 4, in the order of its caption: what the paper calls a policy, and the settings that select it.
POLICIES: dict[str, dict[str, Any]] = {
    "LinUCB": {"algorithm": "lin_ucb", "warm_start": None},
    "LinUCB-PCB": {"algorithm": "lin_ucb_pcb", "warm_start": None},
    "LinUCB_Biased": {"algorithm": "lin_ucb", "warm_start": "biased"},
    "LinUCB_CP": {"algorithm": "lin_ucb", "warm_start": "cp"},
}


def cell_name(row: int) -> str:
    """``x1 x2 | u1 u2`` of a row of Table 1 (0 to 15)."""
    x1, x2, u1, u2 = (row >> shift & 1 for shift in (3, 2, 1, 0))
    return f"{x1}{x2}|{u1}{u2}"


def published_column(results: Results, column: str) -> pd.Series:
    """A column of Table 1 as published, by row (0 to 15)."""
    return results.published_where(item="Table 1", column=column)["value"].astype(float).reset_index(drop=True)


def by_row(path: str | Path) -> pd.DataFrame:
    """A table of the stage ``bounds`` for all seeds, with the column ``row`` (0 to 15) of Table 1."""
    frame: pd.DataFrame = pq.read_table(path).to_pandas()
    return frame.assign(row=4 * frame["arm"] + frame["context"])


def covered_cells(frame: pd.DataFrame, truth: pd.Series) -> pd.Series:
    """In how many of the 16 cells each sample's bounds contain the exact effect; ``frame`` is of `by_row`."""
    target = frame["row"].map(truth)
    return ((frame["lower"] <= target) & (target <= frame["upper"])).groupby(frame["seed"]).sum()


def in_rows(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """A (contexts, arms) array as the 16 rows of Table 1."""
    return means.T.ravel()
