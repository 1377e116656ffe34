"""Learn a causal graph from discrete data by PC or GES, with tiers and known edges.

Tiers are as in huang2022, Fig. 3 and E.2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from causal_bandits.datasets.frames import columns_of
from causal_bandits.graphs.admg import ADMG, Edge, listing
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph

Learner = Literal["pc", "ges"]
LEARNERS: tuple[Learner, ...] = get_args(Learner)
#: With more different numbers a column is taken for a measurement that was not divided into classes.
MOST_NUMBERS = 50


def learn(
    table: Any,
    learner: Learner,
    tiers: Sequence[Sequence[str]] | None = None,
    counts: ArrayLike | None = None,
    significance: float = 0.01,
    forbidden: Iterable[Edge] = (),
    required: Iterable[Edge] = (),
) -> PartiallyDirectedGraph:
    """Learn the graph that represents all DAGs that respect the known edges and fit the data equally well.

    The result does not depend on the order of rows or columns, nor on hash seeds. If the tests of PC contradict each
    other, there need not be a DAG with the edges of its result.

    Parameters
    ----------
    table : pandas or polars DataFrame, pyarrow.Table, structured array, or mapping from str to sequence
        One column per variable; its values are the states. One row per observation, or one row per joint state with
        the number of its observations in ``counts``.
    learner : {"pc", "ges"}
        PC (its stable variant) with chi-square tests of independence, or GES with the BIC score.
    tiers : sequence of sequence of str, optional
        Every column is in exactly one tier. No edge leads from a tier into an earlier one. Default: one tier.
    counts : array of int, shape (rows,), optional
        How often each row occurs. Default: 1.
    significance : float
        The level of PC's tests, in (0, 1). GES does not use it.
    forbidden, required : iterable of (str, str), optional
        Edges ``cause -> effect`` that must be absent, and that must be present. To exclude an edge in both directions,
        forbid both.

    Returns
    -------
    PartiallyDirectedGraph
        Edges between different tiers are directed, and so are those with one direction forbidden or required.

    Raises
    ------
    ModuleNotFoundError
        If pgmpy is not installed: it comes with the extra ``discovery``.
    ValueError
        If the tiers name a variable twice, name one that the table lacks, or leave one out; if a column has missing
        values, is constant (its tests have no degrees of freedom), has numbers that are not whole, more than 50
        different ones or hardly any records of each value, or has other values than strings, numbers, Booleans and
        categories of pandas; if a known edge names an unknown column, contradicts the tiers or another known edge, or
        required edges form a cycle; or if an option is out of range.

    Examples
    --------
    >>> rows = {"rain": [0, 0, 1, 1] * 50, "wet": [0, 0, 1, 1] * 45 + [0, 1, 1, 1] * 5}
    >>> learn(rows, "ges", forbidden=[("wet", "rain")])
    PartiallyDirectedGraph(['rain', 'wet'], [('rain', 'wet')], [])
    """
    from causal_bandits.discovery import tiered  # imports pgmpy, which takes seconds

    if learner not in LEARNERS:
        raise ValueError(f"learner {learner!r}: expected one of {', '.join(LEARNERS)}")
    if not 0 < significance < 1:
        raise ValueError(f"significance {significance}: expected a number between 0 and 1")
    table = _pandas(table)
    columns = [str(v) for v in table.columns]
    if twice := [v for v in columns if columns.count(v) > 1]:
        raise ValueError(f"column {twice[0]!r} occurs twice")
    if not columns:
        raise ValueError("the table has no columns")
    tier_of = _tier_of([columns] if tiers is None else tiers, columns)
    needed = _edges("required", required, tier_of)
    barred = _edges("forbidden", forbidden, tier_of) | {(b, a) for a, b in needed}
    _check_required(needed, barred, tier_of)
    if barred:  # then a tier and a forbidden edge may together exclude both directions
        barred |= {(a, b) for a in tier_of for b in tier_of if tier_of[a] > tier_of[b]}
    number = _checked_counts(counts, len(table))
    data = table.loc[number > 0, sorted(tier_of)].reset_index(drop=True)
    number = number[number > 0]
    for variable in data.columns:
        _check_states(data[variable], number)
    if learner == "ges":
        score = tiered.CountBIC(data, number.astype(np.float64), needed)
        learned = tiered.ges(score, data, tier_of, barred)
        if lost := needed - learned.directed:
            raise ValueError(f"required: GES found no graph with {_arrows(lost)}; use the learner 'pc'")
        return learned
    rows = data.loc[data.index.repeat(number)].reset_index(drop=True)
    return tiered.pc(rows, tier_of, "chi_square", significance, barred, needed)


def quantile_codes(values: ArrayLike, bins: int) -> NDArray[np.int64]:
    """Assign each value the index of its quantile bin, to discretise a continuous variable (L38).

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


def _pandas(table: Any) -> pd.DataFrame:
    """Convert a table of any kind to a pandas DataFrame whose column names are strings."""
    if isinstance(table, pd.DataFrame):
        return table.rename(columns=str)
    return pd.DataFrame({name: list(column) for name, column in columns_of(table)})


def _check_states(column: pd.Series[Any], number: NDArray[np.int64]) -> None:
    """Raise a ValueError unless the values of a column are states; categories of pandas always are."""
    name, records = f"column {column.name!r}", int(number.sum())
    if column.isna().any():
        raise ValueError(f"{name} has missing values")
    try:
        found = [value.item() if isinstance(value, np.generic) else value for value in column.unique()]
    except TypeError:  # not hashable
        found = [column.iloc[0]]
    numbers = [value for value in found if isinstance(value, Real) and not isinstance(value, bool)]
    kinds = {"number" if isinstance(value, Real) else type(value).__name__ for value in found}
    if len(found) < 2 and kinds <= {"number", "str"}:
        raise ValueError(f"{name} is constant: leave it out")
    if isinstance(column.dtype, pd.CategoricalDtype):
        return
    if (broken := any(value % 1 for value in numbers)) or len(numbers) > MOST_NUMBERS:
        what = "numbers that are not whole" if broken else f"{len(numbers)} different numbers"
        raise ValueError(
            f"{name} has {what}: expected states; divide them into bins with quantile_codes, or make them strings if "
            "each number is a state"
        )
    if len(kinds) > 1 or not kinds <= {"number", "str"}:
        raise ValueError(f"{name} has values of type {listing(kinds)}; expected strings, whole numbers or Booleans")
    if len(found) > MOST_NUMBERS and records < 5 * len(found):
        raise ValueError(
            f"{name} has {len(found)} different values in {records} records: merge values, or leave it out"
        )


def _edges(role: str, edges: Iterable[Edge], known: Collection[str]) -> frozenset[Edge]:
    found = frozenset((str(a), str(b)) for a, b in edges)
    if unknown := {v for edge in found for v in edge}.difference(known):
        raise ValueError(f"{role}: the table has no {listing(unknown)} (it has {listing(known)})")
    if loops := [a for a, b in found if a == b]:
        raise ValueError(f"{role}: an edge joins {loops[0]!r} to itself")
    return found


def _check_required(required: frozenset[Edge], barred: frozenset[Edge], tier_of: Mapping[str, int]) -> None:
    """Raise a ValueError if no graph has the required edges."""
    if both := required & barred:
        raise ValueError(f"required: {_arrows(both)}, which is forbidden, or required the other way round")
    if back := {(a, b) for a, b in required if tier_of[a] > tier_of[b]}:
        raise ValueError(f"required: {_arrows(back)}, which leads from a tier into an earlier one")
    try:
        ADMG(required)
    except ValueError as error:
        raise ValueError(f"required: {error}") from None


def _arrows(edges: Iterable[Edge]) -> str:
    return ", ".join(f"{a} -> {b}" for a, b in sorted(edges))


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
