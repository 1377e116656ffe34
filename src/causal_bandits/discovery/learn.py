"""Learn a causal graph from a table of discrete data: PC and GES, with tiers (huang2022, Fig. 3 and E.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph

Learner = Literal["pc", "ges"]
LEARNERS: tuple[Learner, ...] = get_args(Learner)


def learn(
    table: pd.DataFrame,
    learner: Learner,
    tiers: Sequence[Sequence[str]],
    counts: ArrayLike | None = None,
    significance: float = 0.01,
) -> PartiallyDirectedGraph:
    """Learn the graph of all DAGs that data and tiers cannot tell apart.

    The result depends on the table alone: not on the order of its rows or columns, nor on hash seeds. PC's result need
    not stand for any DAG where its tests contradict each other.

    Parameters
    ----------
    table : DataFrame
        One column per variable, one row per observation, or per joint state with its number in ``counts``. Every value
        is a state.
    learner : {"pc", "ges"}
        PC (stable) with pgmpy's chi-square tests of independence, or GES with the BIC.
    tiers : sequence of sequence of str
        Every column in exactly one tier; no edge leads from a tier into one that comes before it.
    counts : array of int, shape (rows,), optional
        How often each row occurs. Default: once.
    significance : float
        Level of PC's tests, in (0, 1). GES does not use it.

    Returns
    -------
    PartiallyDirectedGraph
        Edges across tiers are directed.

    Raises
    ------
    ValueError
        If tiers name a variable twice, one that the table lacks, or leave one out; if a column is constant (it is
        independent of everything and its tests have no degree of freedom), or holds missing values; or if an option is
        out of range.
    """
    from causal_bandits.discovery import tiered  # imports pgmpy, which takes seconds

    if learner not in LEARNERS:
        raise ValueError(f"learner {learner!r}: expected one of {', '.join(LEARNERS)}")
    if not 0 < significance < 1:
        raise ValueError(f"significance {significance}: expected a number between 0 and 1")
    tier_of = _tier_of(tiers, [str(v) for v in table.columns])
    number = _checked_counts(counts, len(table))
    data = table.loc[number > 0, sorted(tier_of)].reset_index(drop=True)
    number = number[number > 0]
    for variable in data.columns:
        if data[variable].isna().any():
            raise ValueError(f"column {variable!r} has missing values")
        if data[variable].nunique() < 2:
            raise ValueError(f"column {variable!r} is constant: leave it out")
    if learner == "ges":
        return tiered.ges(tiered.CountBIC(data, number.astype(np.float64)), data, tier_of)
    rows = data.loc[data.index.repeat(number)].reset_index(drop=True)
    return tiered.pc(rows, tier_of, "chi_square", significance)


def quantile_codes(values: ArrayLike, bins: int) -> NDArray[np.int64]:
    """Number of the quantile bin of each value: a continuous reward as a discrete variable (L38).

    Parameters
    ----------
    values : array, shape (n,)
    bins : int
        At least 2; values between the same two of the quantiles 1/bins, ..., (bins - 1)/bins share a bin.

    Returns
    -------
    int array, shape (n,), in 0..bins-1

    Raises
    ------
    ValueError
        If ``bins`` is below 2 or a value is not finite.
    """
    array = np.asarray(values, dtype=np.float64)
    if bins < 2:
        raise ValueError(f"bins {bins}: expected at least 2")
    if not np.isfinite(array).all():
        raise ValueError("values must be finite")
    edges = np.quantile(array, np.arange(1, bins) / bins)
    return np.searchsorted(edges, array, side="right").astype(np.int64)


def _tier_of(tiers: Sequence[Sequence[str]], columns: Sequence[str]) -> dict[str, int]:
    tier_of: dict[str, int] = {}
    for i, tier in enumerate(tiers):
        for variable in [tier] if isinstance(tier, str) else tier:
            if variable in tier_of:
                raise ValueError(f"{variable!r} stands in tiers {tier_of[variable] + 1} and {i + 1}")
            tier_of[variable] = i
    unknown, missing = sorted(set(tier_of).difference(columns)), sorted(set(columns).difference(tier_of))
    if unknown:
        raise ValueError(f"tiers: the table has no {', '.join(unknown)} (it has {', '.join(sorted(columns))})")
    if missing:
        raise ValueError(f"tiers: {', '.join(missing)} of the table stand in no tier")
    return tier_of


def _checked_counts(counts: ArrayLike | None, rows: int) -> NDArray[np.int64]:
    if counts is None:
        return np.ones(rows, dtype=np.int64)
    given = np.asarray(counts)
    number = given.astype(np.int64)
    if given.shape != (rows,) or (number != given).any() or (number < 0).any():
        raise ValueError(f"counts: expected {rows} whole numbers of at least 0")
    return number
