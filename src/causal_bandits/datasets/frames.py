"""Count the records of a data frame.

Its columns may be any categorical ones, of pandas, of polars, or of a mapping from names to columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from causal_bandits.datasets.tables import CountTable

#: The most cells of a table of counts, a few hundred megabytes.
MOST_CELLS = 50_000_000


def from_frame(
    frame: Any, variables: Sequence[str] | None = None, states: Mapping[str, Sequence[object]] | None = None
) -> CountTable:
    """Count how many records of a data frame have each joint state.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, pyarrow.Table, structured array, or mapping from str to sequence
        One row per record; a structured array is what `DiscreteSCM.sample` returns. Values are texts, whole numbers,
        truth values or members of a category. No library is needed beside the one that the frame comes from.
    variables : sequence of str, optional
        The columns to count; default: all.
    states : mapping from str to sequence, optional
        The values of some columns in the order of the states 0, 1, ...; a value may be one that no record has. By
        default the order of a column is that of its categories (pandas' ``Categorical``, polars' ``Enum``), or that of
        its values: smaller numbers first, False before True, texts (and polars' ``Categorical``) by alphabet.

    Returns
    -------
    CountTable
        Its labels are the values as text.

    Raises
    ------
    TypeError
        If ``frame`` is none of these, or a column is no sequence of values.
    ValueError
        If a column is missing or there twice, has missing values (the message says how many), values of several kinds,
        numbers that are not whole, or a value that ``states`` leaves out; if a column has no values and no states; or
        if the table would have too many cells.

    Examples
    --------
    >>> table = from_frame({"drug": ["yes", "no", "yes"], "well": [1, 0, 0]})
    >>> table.states
    {'drug': ('no', 'yes'), 'well': ('0', '1')}
    >>> table.counts
    array([[1, 0],
           [1, 1]])
    """
    named = columns_of(frame)
    columns = [name for name, _ in named]
    chosen = columns if variables is None else list(variables)
    for name in chosen:
        if columns.count(name) != 1:
            there = "twice" if name in columns else "not"
            raise ValueError(f"column {name!r}: {there} in the frame (it has {', '.join(columns)})")
    if not chosen:
        raise ValueError("variables: none given" if columns else "the frame has no columns")
    order, column_of = states or {}, dict(named)
    if unknown := sorted(set(order).difference(chosen)):
        raise ValueError(f"states: {', '.join(unknown)} not among the columns {', '.join(chosen)}")
    values, codes, rows = dict[str, list[Any]](), dict[str, np.ndarray[Any, Any]](), set[int]()
    for name in chosen:
        column = column_of[name]
        known = order[name] if name in order else _categories(column)
        values[name], codes[name] = _coded(name, column, known)
        rows.add(len(codes[name]))
    if len(rows) > 1:
        raise ValueError(f"the columns have different lengths: {', '.join(map(str, sorted(rows)))}")
    shape = tuple(len(labels) for labels in values.values())
    if prod(shape) > MOST_CELLS:
        raise ValueError(
            f"{len(chosen)} columns with {prod(shape)} joint states; at most {MOST_CELLS} can be counted: "
            "leave columns out, or merge values"
        )
    cell = np.zeros(max(rows, default=0), dtype=np.intp)
    for name in chosen:
        cell *= len(values[name])
        cell += codes.pop(name)
    counts = np.bincount(cell, minlength=prod(shape)).reshape(shape)
    return CountTable({name: tuple(map(str, labels)) for name, labels in values.items()}, counts)


def has_order(column: Any) -> bool:
    """Say whether the order of a column's values means something.

    That of texts does not, nor that of pandas' unordered categories: it is that of the alphabet.
    """
    dtype = getattr(column, "dtype", None)
    if _categories(column) is not None:
        return bool(getattr(dtype, "ordered", True))  # of pandas; polars' Enum has an order
    return not all(isinstance(value, str) for value in column)


def columns_of(frame: Any) -> list[tuple[str, Any]]:
    """List the columns of a frame with their names as text; see `from_frame`."""
    if isinstance(frame, np.ndarray) and frame.dtype.names:
        return [(name, frame[name]) for name in frame.dtype.names]
    if hasattr(frame, "collect_schema") and hasattr(frame, "collect"):  # a LazyFrame of polars
        frame = frame.collect()
    if hasattr(frame, "iloc") and hasattr(frame, "columns"):  # of pandas; by place, a name may stand twice
        return [(str(name), frame.iloc[:, i]) for i, name in enumerate(frame.columns)]
    if hasattr(frame, "column_names") and hasattr(frame, "to_pydict"):  # of pyarrow
        return list(zip(frame.column_names, (column.to_pylist() for column in frame.columns), strict=True))
    if hasattr(frame, "columns"):
        return [(str(name), frame[name]) for name in frame.columns]
    if not isinstance(frame, Mapping):
        raise TypeError(
            f"frame: a {type(frame).__name__}; expected a DataFrame of pandas or polars, a structured array, or a "
            "mapping from names to columns"
        )
    for name, column in frame.items():
        if isinstance(column, str | bytes) or not hasattr(column, "__len__"):
            raise TypeError(f"column {str(name)!r}: {column!r}; expected a sequence of values, one per record")
    return [(str(name), column) for name, column in frame.items()]


def _categories(column: Any) -> list[object] | None:
    """The categories of a column in their order; None if it has none of its own.

    Those of polars' Categorical are the values of all such columns of the process.
    """
    dtype = getattr(column, "dtype", None)
    if str(dtype).startswith("Categorical"):
        return None
    categories = getattr(dtype, "categories", None)  # of pandas' CategoricalDtype and of polars' Enum
    return None if categories is None else list(categories)


def _coded(name: str, column: Any, known: Iterable[object] | None) -> tuple[list[Any], np.ndarray[Any, Any]]:
    """A column's values in the order of their states, and the number of each record's state."""
    try:
        codes, there = _factorized(column)
    except TypeError:
        types = ", ".join(sorted({type(value).__name__ for value in column}))
        raise ValueError(f"column {name!r}: values of the types {types}; expected categories") from None
    kinds = [None if _is_missing(value) else _plain(value) for value in there]
    gone = np.array([kind is None for kind in kinds] + [True])  # the last for the code -1
    if gone[:-1].any() or (codes < 0).any():
        number = int(gone[codes].sum())
        raise ValueError(
            f"column {name!r}: {number} of {len(codes)} values are missing; leave the records out, or make "
            "'missing' a value of its own"
        )
    found = dict.fromkeys(kinds)
    given = None if known is None else [_plain(value) for value in known]
    values = _sorted(name, list(found)) if given is None else given
    if not values:
        raise ValueError(f"column {name!r}: no records, so its values are not known; give them by the argument states")
    number_of = {value: i for i, value in enumerate(values)}
    if absent := [value for value in found if value not in number_of]:
        raise ValueError(f"column {name!r}: the value {absent[0]!r} is not among its states {values}")
    if len({str(value) for value in values}) < len(values):
        raise ValueError(f"column {name!r}: two of its values {values} read alike")
    states = np.array([number_of[kind] for kind in kinds], dtype=_narrow(len(values)))
    return values, states[codes] if len(states) else np.zeros(0, dtype=np.int64)


def _narrow(states: int) -> type[np.signedinteger[Any]]:
    """The narrowest type for numbers of states: a table may have many millions of rows."""
    return np.int8 if states <= 127 else np.int64


#: Whole numbers between which no more lie are counted, not sorted.
_SPAN = 1 << 16


def _factorized(column: Any) -> tuple[np.ndarray[Any, Any], list[Any]]:
    """The different values of a column that records have, and the place of each record's among them.

    Libraries that know it are asked: categories have numbers already. The code of a missing value is -1, or that of a
    value that `_is_missing`.
    """
    dtype: Any = getattr(column, "dtype", None)
    if hasattr(column, "cat") and hasattr(dtype, "ordered"):  # pandas, categorical
        codes, categories = column.cat.codes.to_numpy(), list(column.cat.categories)
        return _occurring(codes, categories)
    if hasattr(column, "to_physical"):  # polars
        if column.null_count():
            column = column.to_list()
        elif str(dtype).startswith("Enum"):
            return _occurring(column.to_physical().to_numpy(), list(dtype.categories))
        elif str(dtype).startswith(("String", "Categorical")):
            there = column.unique(maintain_order=True)
            return column.replace_strict(there, range(len(there))).to_numpy(), there.to_list()
        else:
            column = column.to_numpy()
    elif isinstance(dtype, np.dtype) and dtype.kind in "biu":
        column = np.asarray(column)
    elif hasattr(column, "factorize"):  # pandas
        codes, there = column.factorize()
        return codes, list(there)
    if isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "biu" and len(column):
        low, high = int(column.min()), int(column.max())
        if high - low < _SPAN:
            codes = (column.astype(np.int64) if column.dtype.kind != "u" else column) - column.dtype.type(low)
            values = [bool(v) if column.dtype.kind == "b" else v for v in range(low, high + 1)]
            return _occurring(codes.astype(np.int64, copy=False), values)
        there, codes = np.unique(column, return_inverse=True)
        return codes, there.tolist()
    number_of: dict[Any, int] = {}
    codes = np.fromiter((number_of.setdefault(value, len(number_of)) for value in column), np.int64)
    return codes, list(number_of)


def _occurring(codes: np.ndarray[Any, Any], values: list[Any]) -> tuple[np.ndarray[Any, Any], list[Any]]:
    """Leave out values that no code stands for; codes may be -1."""
    occurs = np.zeros(len(values) + 1, dtype=bool)
    occurs[codes] = True
    renumbered = np.append(np.cumsum(occurs[:-1]) - 1, -1).astype(_narrow(len(values)))
    return renumbered[codes], [value for value, there in zip(values, occurs[:-1], strict=True) if there]


def text_of(value: object) -> str:
    """Return the label that `from_frame` gives to a value."""
    return str(_plain(value))


def _plain(value: Any) -> Any:
    """A value as Python has it; whole numbers as int, NumPy's as Python's."""
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_missing(value: Any) -> bool:
    """Say whether a value is None, NaN, or pandas' NA or NaT."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _sorted(name: str, values: list[Any]) -> list[Any]:
    for kind in (bool, int, str):
        if all(type(value) is kind for value in values):
            return sorted(values)
    if broken := [value for value in values if isinstance(value, float)]:
        raise ValueError(
            f"column {name!r}: {broken[0]!r} is no whole number; expected categories: divide the numbers into classes, "
            "for instance by causal_bandits.discovery.quantile_codes"
        )
    kinds = sorted({type(value).__name__ for value in values})
    raise ValueError(
        f"column {name!r}: values of the types {', '.join(kinds)}; expected all texts, whole numbers or truth values, "
        "or the argument states"
    )
