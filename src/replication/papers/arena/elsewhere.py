"""Numbers that were measured or printed elsewhere, in the files ``data/tables/arena_*.csv``.

Each row names an experiment and, in the column ``settings``, a player in it as published tables do: its algorithm, then
``name=value`` (`experiments.selection`). What the other columns are is said where a file is read.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from experiments.results import Results
from experiments.selection import selection


def elsewhere(results: Results, name: str) -> list[dict[str, Any]]:
    """Read the rows of a file, each with what selects the player in ``selected``; an empty cell is NaN.

    Parameters
    ----------
    results : Results
    name : str
        The file's name among the inputs of the table.

    Raises
    ------
    NotRunError
        If the configuration has no such file.
    ClaimError
        If settings cannot be read.
    """
    path = results.file(name)
    rows = [{str(column): cell for column, cell in row.items()} for row in pd.read_csv(path).to_dict("records")]
    return [{**row, "selected": selection(row["settings"], f"{path}, {row['says']}")} for row in rows]
