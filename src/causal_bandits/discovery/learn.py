"""Learn a causal graph from discrete data by PC or GES, with tiers (huang2022, Fig. 3 and E.2)."""

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
    """Learn the graph that stands for all DAGs that the data and the tiers cannot tell apart.

    The result does not depend on the order of rows or columns, nor on hash seeds. If the tests of PC contradict each
    other, there need not be a DAG with the edges of its result.

    Parameters
    ----------
    table : DataFrame
        One column per variable; its values are the states. One row per observation, or one row per joint state with
        the number of its observations in ``counts``.
    learner : {"pc", "ges"}
        PC (its stable variant) with chi-square tests of independence, or GES with the BIC score.
    tiers : sequence of sequence of str
        Every column is in exactly one tier. No edge leads from a tier into an earlier one.
    counts : array of int, shape (rows,), optional
        How often each row occurs. Default: 1.
    significance : float
        The level of PC's tests, in (0, 1). GES does not use it.

    Returns
    -------
    PartiallyDirectedGraph
        Edges between different tiers are directed.

    Raises
    ------
    ModuleNotFoundError
        If pgmpy is not installed: it comes with the extra ``discovery``.
    ValueError
        If the tiers name a variable twice, name one that the table lacks, or leave one out; if a column has missing
        values, or is constant (its tests have no degrees of freedom); or if an option is out of range.
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
    """Assign each value the number of its quantile bin: make a continuous variable discrete (L38).

    Parameters
    ----------
    values : array, shape (n,)
    bins : int
        The number of bins, at least 2. The quantiles 1/bins, ..., (bins - 1)/bins separate them.

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
                raise ValueError(f"tiers: {variable!r} is in tiers {tier_of[variable] + 1} and {i + 1}, expected one")
            tier_of[variable] = i
    unknown, missing = sorted(set(tier_of).difference(columns)), sorted(set(columns).difference(tier_of))
    if unknown:
        raise ValueError(f"tiers: the table has no {', '.join(unknown)} (it has {', '.join(sorted(columns))})")
    if missing:
        raise ValueError(f"tiers: columns {', '.join(missing)} of the table are in no tier")
    return tier_of


def _checked_counts(counts: ArrayLike | None, rows: int) -> NDArray[np.int64]:
    if counts is None:
        return np.ones(rows, dtype=np.int64)
    given = np.asarray(counts)
    number = given.astype(np.int64)
    if given.shape != (rows,) or (number != given).any() or (number < 0).any():
        raise ValueError(f"counts: expected {rows} whole numbers of at least 0")
    return number
