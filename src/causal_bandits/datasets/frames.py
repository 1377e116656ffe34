"""Count the joint states of the records of a data frame.

Any categorical columns will do: from pandas, from polars, or from a mapping of names to columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from causal_bandits.datasets.tables import CountTable

#: The largest number of cells in a table of counts, a few hundred megabytes.
MOST_CELLS = 50_000_000


def from_frame(
    frame: Any, variables: Sequence[str] | None = None, states: Mapping[str, Sequence[object]] | None = None
) -> CountTable:
    """Count how many records of a data frame have each joint state.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pyarrow.Table, structured array, or mapping from str to sequence
        One row per record; `DiscreteSCM.sample` returns a structured array. Values are strings, whole numbers, Booleans
        or categories. No library is needed apart from the one that the frame comes from.
    variables : sequence of str, optional
        The columns to count; default: all.
    states : mapping from str to sequence, optional
        The values of some columns in the order of the states 0, 1, ...; values that no record has are allowed. By
        default the order of a column is that of its categories (pandas' ``Categorical``, polars' ``Enum``), or that of
        its values: smaller numbers first, False before True, strings (and polars' ``Categorical``) in alphabetical
        order.

    Returns
    -------
    CountTable
        Its labels are the values as strings.

    Raises
    ------
    TypeError
        If ``frame`` is none of these, or a column is not a sequence of values.
    ValueError
        If a column is missing or occurs twice, has missing values (the message says how many), values of several types,
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
    """Return whether the order of a column's values is meaningful.

    That of strings and of pandas' unordered categories is not: it is merely alphabetical.
    """
    dtype = getattr(column, "dtype", None)
    if _categories(column) is not None:
        return bool(getattr(dtype, "ordered", True))  # pandas; polars' Enum is ordered
    return not all(isinstance(value, str) for value in column)


def columns_of(frame: Any) -> list[tuple[str, Any]]:
    """List the columns of a frame with their names as strings; see `from_frame`."""
    if isinstance(frame, np.ndarray) and frame.dtype.names:
        return [(name, frame[name]) for name in frame.dtype.names]
    if hasattr(frame, "collect_schema") and hasattr(frame, "collect"):  # a polars LazyFrame
        frame = frame.collect()
    if hasattr(frame, "iloc") and hasattr(frame, "columns"):  # pandas; by position, since a name may occur twice
        return [(str(name), frame.iloc[:, i]) for i, name in enumerate(frame.columns)]
    if hasattr(frame, "column_names") and hasattr(frame, "to_pydict"):  # pyarrow
        return list(zip(frame.column_names, (column.to_pylist() for column in frame.columns), strict=True))
    if hasattr(frame, "columns"):
        return [(str(name), frame[name]) for name in frame.columns]
    if not isinstance(frame, Mapping):
        raise TypeError(
            f"frame: a {type(frame).__name__}; expected a pandas or polars DataFrame, a structured array, or a "
            "mapping from names to columns"
        )
    for name, column in frame.items():
        if isinstance(column, str | bytes) or not hasattr(column, "__len__"):
            raise TypeError(f"column {str(name)!r}: {column!r}; expected a sequence of values, one per record")
    return [(str(name), column) for name, column in frame.items()]


def _categories(column: Any) -> list[object] | None:
    """Return the categories of a column in their order; None if the column defines none.

    A polars Categorical does not: its categories are the values of all such columns in the process.
    """
    dtype = getattr(column, "dtype", None)
    if str(dtype).startswith("Categorical"):
        return None
    categories = getattr(dtype, "categories", None)  # pandas' CategoricalDtype or polars' Enum
    return None if categories is None else list(categories)


def _coded(name: str, column: Any, known: Iterable[object] | None) -> tuple[list[Any], np.ndarray[Any, Any]]:
    """Return a column's values in the order of their states, and the index of each record's state."""
    try:
        codes, there = _factorized(column)
    except TypeError:
        types = ", ".join(sorted({type(value).__name__ for value in column}))
        raise ValueError(f"column {name!r}: values of types {types}; expected categories") from None
    kinds = [None if is_missing(value) else _plain(value) for value in there]
    gone = np.array([kind is None for kind in kinds] + [True])  # the last for the code -1
    if gone[:-1].any() or (codes < 0).any():
        number = int(gone[codes].sum())
        raise ValueError(
            f"column {name!r}: {number} of {len(codes)} values are missing; leave these records out, or make "
            "'missing' a separate value"
        )
    found = dict.fromkeys(kinds)
    given = None if known is None else [_plain(value) for value in known]
    values = _sorted(name, list(found)) if given is None else given
    if not values:
        raise ValueError(f"column {name!r}: no records, so its values are unknown; give them in the argument states")
    number_of = {value: i for i, value in enumerate(values)}
    if absent := [value for value in found if value not in number_of]:
        raise ValueError(f"column {name!r}: the value {absent[0]!r} is not among its states {values}")
    if len({str(value) for value in values}) < len(values):
        raise ValueError(f"column {name!r}: two of its values {values} are the same as strings")
    states = np.array([number_of[kind] for kind in kinds], dtype=_narrow(len(values)))
    return values, states[codes] if len(states) else np.zeros(0, dtype=np.int64)


def _narrow(states: int) -> type[np.signedinteger[Any]]:
    """Return the narrowest type for indices of states: a table may have many millions of rows."""
    return np.int8 if states <= 127 else np.int64


#: Whole numbers whose range is smaller than this are counted, not sorted.
_SPAN = 1 << 16


def _factorized(column: Any) -> tuple[np.ndarray[Any, Any], list[Any]]:
    """Return a code for each record's value, and the distinct values that the codes index.

    Codes that a library already has, such as those of categories, are reused. The code of a missing value is -1, or
    that of a value for which `is_missing` is true.
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
    """Leave out the values that no code refers to; codes may be -1."""
    occurs = np.zeros(len(values) + 1, dtype=bool)
    occurs[codes] = True
    renumbered = np.append(np.cumsum(occurs[:-1]) - 1, -1).astype(_narrow(len(values)))
    return renumbered[codes], [value for value, there in zip(values, occurs[:-1], strict=True) if there]


def text_of(value: object) -> str:
    """Return the label that `from_frame` gives to a value."""
    return str(_plain(value))


def _plain(value: Any) -> Any:
    """Return a NumPy value as Python's type, and a whole number as int."""
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, or pandas' NA or NaT."""
    if isinstance(value, float):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _sorted(name: str, values: list[Any]) -> list[Any]:
    for kind in (bool, int, str):
        if all(type(value) is kind for value in values):
            return sorted(values)
    if broken := [value for value in values if isinstance(value, float)]:
        raise ValueError(
            f"column {name!r}: {broken[0]!r} is not a whole number; expected categories: divide the numbers into "
            "classes, for instance with causal_bandits.discovery.quantile_codes"
        )
    kinds = sorted({type(value).__name__ for value in values})
    raise ValueError(
        f"column {name!r}: values of types {', '.join(kinds)}; expected only strings, only whole numbers or only "
        "Booleans, or the argument states"
    )
