"""From runs to tidy tables: curves with confidence bands, and each seed's final values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import stats

from causal_bandits import runs

CONFIDENCE = 0.95
_KEYS = ("experiment", "policy", "seed", "t")
_NOT_METRICS = (*_KEYS, "draw")


def aggregate(run_files: Iterable[str | Path], curves: str | Path, finals: str | Path) -> None:
    """Aggregate all runs of one experiment.

    Parameters
    ----------
    run_files : iterable of path
        Files that `runs.simulate` wrote.
    curves : path
        Output, Parquet: one row per policy, checkpoint ``t`` and ``metric``, with columns ``n, mean, std, ci_low,
        ci_high`` (95 % interval of the mean over seeds, ledger L17, Student's t).
    finals : path
        Output, Parquet: one row per policy and seed, the values at the horizon.
    """
    frame = runs.read(run_files).to_pandas()
    frame = frame.astype({"experiment": str, "policy": str}).sort_values(["policy", "seed", "t"], ignore_index=True)
    runs.write(pa.Table.from_pandas(summarise(frame), preserve_index=False), curves)
    last = frame[frame["t"] == frame["t"].max()].reset_index(drop=True)
    runs.write(pa.Table.from_pandas(last, preserve_index=False), finals)


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean, standard deviation and 95 % interval of every metric per policy and checkpoint."""
    metrics = [column for column in frame.columns if column not in _NOT_METRICS]
    tidy = frame.melt(id_vars=list(_KEYS), value_vars=metrics, var_name="metric").dropna(subset="value")
    groups = tidy.groupby(["experiment", "policy", "metric", "t"], sort=True)["value"]
    table = groups.agg(n="size", mean="mean", std="std").reset_index()
    half = half_width(table["std"].to_numpy(), table["n"].to_numpy())
    return table.assign(ci_low=table["mean"] - half, ci_high=table["mean"] + half)


def half_width(std: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Half the 95 % interval of a mean of ``n`` values with standard deviation ``std`` (NaN for n = 1)."""
    quantile = stats.t.ppf(0.5 + CONFIDENCE / 2, np.maximum(n - 1, 1))
    return np.where(n > 1, quantile * std / np.sqrt(n), np.nan)


class NotRunError(LookupError):
    """A policy or experiment that the configuration does not have; figures, tables and verdicts do without it."""


@dataclass(frozen=True)
class Results:
    """What figures, tables and claims read.

    Attributes
    ----------
    curves, finals : dict from experiment to DataFrame
        As written by `aggregate`.
    published : DataFrame, indexed by claim_id
        The paper's published numbers (columns item, row, column, value, kind, note; all text).
    files : dict from name to path
        Further inputs that the configuration names.
    """

    curves: dict[str, pd.DataFrame]
    finals: dict[str, pd.DataFrame]
    published: pd.DataFrame
    files: dict[str, str]

    @classmethod
    def load(cls, experiments: Sequence[str], inputs: Mapping[str, Any]) -> Results:
        """Read the inputs of a job: ``curves`` and ``finals`` stand in the order of ``experiments``."""
        named = dict(inputs)

        def tables(kind: str) -> dict[str, pd.DataFrame]:
            paths = named.pop(kind, [])
            paths = [paths] if isinstance(paths, str) else paths
            return {e: pd.read_parquet(path) for e, path in zip(experiments, paths, strict=True)}

        curves, finals = tables("curves"), tables("finals")
        published = pd.read_csv(named.pop("published"), dtype=str, keep_default_na=False, index_col="claim_id")
        return cls(curves, finals, published, {name: str(path) for name, path in named.items()})

    def value(self, claim_id: str) -> float:
        """The published number of a claim."""
        return float(str(self.published.at[claim_id, "value"]))

    def horizon(self, experiment: str) -> int:
        """Rounds that an experiment was played."""
        if experiment not in self.finals:
            raise NotRunError(f"not in this configuration: experiment {experiment}")
        return int(self.finals[experiment]["t"].max())

    def final(self, experiment: str, policy: str, metric: str = "cumulative_regret", by: str = "seed") -> pd.Series:
        """The final value of every seed, indexed by seed; with ``by="draw"`` the mean of every random problem's seeds.

        Raises
        ------
        NotRunError
            If there is no such experiment, or no such policy in it.
        """
        if experiment not in self.finals:
            raise NotRunError(f"not in this configuration: experiment {experiment}")
        frame = self.finals[experiment]
        chosen = frame[frame["policy"] == policy]
        if chosen.empty:
            raise NotRunError(f"not in this configuration: policy {policy} of experiment {experiment}")
        return chosen.groupby(by)[metric].mean()
