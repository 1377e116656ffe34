"""From runs to tidy tables: curves with confidence bands, and each seed's final values."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import stats

from causal_bandits import files

CONFIDENCE = 0.95
_KEYS = ("experiment", "policy", "seed", "t")
_NOT_METRICS = (*_KEYS, "draw")


def aggregate(run_files: Iterable[str | Path], curves: str | Path, finals: str | Path) -> None:
    """Aggregate all runs of one experiment.

    Parameters
    ----------
    run_files : iterable of path
        Files that `simulate.simulate` wrote.
    curves : path
        Output, Parquet: one row per policy, checkpoint ``t`` and ``metric``, with columns ``n, mean, std, ci_low,
        ci_high`` (95 % interval of the mean over seeds, ledger L17, Student's t). A run that has ended is in no later
        average: ``n`` says how many went on to ``t``.
    finals : path
        Output, Parquet: one row per policy and seed, the values at the end of its run.
    """
    frame = files.read(run_files).to_pandas()
    frame = frame.astype({"experiment": str, "policy": str}).sort_values(["policy", "seed", "t"], ignore_index=True)
    files.write(pa.Table.from_pandas(summarise(frame), preserve_index=False), curves)
    last = frame[_is_last(frame)].reset_index(drop=True)
    files.write(pa.Table.from_pandas(last, preserve_index=False), finals)


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean, standard deviation and 95 % interval of every metric per policy and checkpoint."""
    along = frame[~_is_last(frame)]  # a run's outcome stands in its last row alone, and has no curve
    metrics = [
        column
        for column in frame.columns
        if column not in _NOT_METRICS and (along.empty or not along[column].isna().all())
    ]
    frame = frame[frame["t"].isin({*along["t"], frame["t"].max()})]  # runs end between checkpoints too
    tidy = frame.melt(id_vars=list(_KEYS), value_vars=metrics, var_name="metric").dropna(subset="value")
    groups = tidy.groupby(["experiment", "policy", "metric", "t"], sort=True)["value"]
    table = groups.agg(n="size", mean="mean", std="std").reset_index()
    half = half_width(table["std"].to_numpy(), table["n"].to_numpy())
    return table.assign(ci_low=table["mean"] - half, ci_high=table["mean"] + half)


def half_width(std: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Half the 95 % interval of a mean of ``n`` values with standard deviation ``std`` (NaN for n = 1)."""
    quantile = stats.t.ppf(0.5 + CONFIDENCE / 2, np.maximum(n - 1, 1))
    return np.where(n > 1, quantile * std / np.sqrt(n), np.nan)


def _is_last(frame: pd.DataFrame) -> pd.Series[bool]:
    """Which rows are the last of their policy and seed."""
    return frame["t"] == frame.groupby(["policy", "seed"])["t"].transform("max")
