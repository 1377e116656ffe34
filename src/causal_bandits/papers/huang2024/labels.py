"""How the paper names and orders what the study calls policies, cells and estimators."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray

from causal_bandits.evaluation.results import Results

#: Rows of Table 1: X1 (slowest), X2, U1, U2. Arms count (X1, X2), contexts (U1, U2), so row = 4 * arm + context.
ROWS = 16

#: Columns of Table 1 with the names they have in the stage ``bounds``; the truth is exact and not among them.
COLUMNS = {"cp": "CP", "biased": "Biased", "lower": "BCE lb", "upper": "BCE ub"}

#: Fig. 4, in the order of its caption.
POLICIES = {
    "lin_ucb": "LinUCB",
    "lin_ucb_pcb": "LinUCB-PCB",
    "lin_ucb_biased": "LinUCB_Biased",
    "lin_ucb_cp": "LinUCB_CP",
}

#: Rounds behind Fig. 4.
HORIZON = 15_000

#: Other widths of LinUCB's intervals than the default 1, with the endings of their policies (ledger L55).
ALPHAS = {0.25: "025", 0.5: "05", 2.0: "2"}


def cell_name(row: int) -> str:
    """``x1 x2 | u1 u2`` of a row of Table 1 (0 to 15)."""
    x1, x2, u1, u2 = (row >> shift & 1 for shift in (3, 2, 1, 0))
    return f"{x1}{x2}|{u1}{u2}"


def published_column(results: Results, name: str) -> NDArray[np.float64]:
    """A column of Table 1 as published, one number per row."""
    return np.array([results.value(f"huang2024.table1.{row + 1}.{name}") for row in range(ROWS)])


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
