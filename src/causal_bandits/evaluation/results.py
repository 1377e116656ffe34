"""What figures, tables and claims read: tidy tables by experiment, published numbers, other files by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd


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
