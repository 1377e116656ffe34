"""Prepare lee2019's comparison: the published curves of Fig. 5."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.csv

from experiments.stages import Builder, Generators

#: Columns of the file of curves: which curve, the round, the regret and its 95 % band.
COLUMNS = ("task", "solver", "strategy", "t", "regret", "band_low", "band_high")


def published_curves(seeds: Iterable[int], generators: Generators, path: str) -> pa.Table:
    """Read published curves into a table; no random numbers are drawn.

    Parameters
    ----------
    path : path
        CSV with `COLUMNS`, sorted by ``t`` within a curve.

    Raises
    ------
    ValueError
        If the columns are not `COLUMNS`.
    """
    table = pyarrow.csv.read_csv(path)
    if tuple(table.column_names) != COLUMNS:
        raise ValueError(f"{path}: columns {', '.join(table.column_names)}; expected {', '.join(COLUMNS)}")
    return table


STAGES: dict[str, Builder] = {"published_curves": published_curves}
