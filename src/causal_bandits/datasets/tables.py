"""Joint counts of discrete variables.

A small file of such counts is all that a study of binarised data needs from its records.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_bandits.errors import CausalBanditsError

COUNT = "count"
STATES = "states"

#: Label of the state that represents a missing value.
MISSING = "missing"


class DataError(CausalBanditsError):
    """A data file is malformed; the message names the file, the line and what was expected."""


@dataclass(frozen=True, eq=False)
class CountTable:
    """The number of records in each joint state.

    Parameters
    ----------
    states : mapping of str to tuple of str
        The meanings of each variable's states 0, 1, ...; the order of the variables is that of the axes.
    counts : ndarray of int64, shape (states of the first variable, states of the second, ...)
        Numbers of records, >= 0.
    provenance : mapping
        Where the counts come from and how they were made; the values must be JSON values.

    Raises
    ------
    ValueError
        If shapes do not match, a count is negative, a name cannot be a column's header, or a meaning is not unique.
    """

    states: Mapping[str, tuple[str, ...]]
    counts: NDArray[np.int64]
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shape = tuple(len(labels) for labels in self.states.values())
        if not shape or 0 in shape or self.counts.shape != shape:
            raise ValueError(f"counts have shape {self.counts.shape}; expected {shape}, the numbers of states")
        if not np.issubdtype(self.counts.dtype, np.integer) or (self.counts < 0).any():
            raise ValueError("counts must be integers >= 0")
        most = np.iinfo(np.int8).max
        if large := [name for name, labels in self.states.items() if len(labels) > most]:
            raise ValueError(
                f"{large[0]} has {len(self.states[large[0]])} states; expected at most {most}: merge values, or "
                "leave it out"
            )
        for name, labels in self.states.items():
            if not name.strip() or name.startswith("#") or len(name.splitlines()) > 1 or name == COUNT:
                raise ValueError(
                    f"{name!r} cannot name a variable: expected one line of text other than {COUNT!r} that does not "
                    "begin with #"
                )
            if len(set(labels)) != len(labels):
                raise ValueError(f"{name}: two of its states {labels} have the same meaning")
        for key in self.provenance:
            if not key.isidentifier() or key == STATES:
                raise ValueError(
                    f"{key!r} cannot be a key of the provenance: expected an identifier other than {STATES!r}"
                )

    def __repr__(self) -> str:
        names = ", ".join(f"{name} ({len(labels)} states)" for name, labels in self.states.items())
        return f"CountTable({names}; {self.total} records)"

    @property
    def variables(self) -> tuple[str, ...]:
        """Names, in the order of the axes."""
        return tuple(self.states)

    @property
    def total(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @cached_property
    def cells(self) -> NDArray[np.int8]:
        """Every joint state, shape (cells, variables), in the order of ``counts.ravel()``."""
        return np.stack([axis.ravel() for axis in np.indices(self.counts.shape, dtype=np.int8)], axis=1)

    def marginal(self, variables: Sequence[str]) -> CountTable:
        """The counts of some variables, in the order given.

        Raises
        ------
        ValueError
            If a variable is unknown or given twice.
        """
        unknown = [name for name in variables if name not in self.states]
        if unknown or len(set(variables)) != len(variables) or not variables:
            raise ValueError(f"expected distinct variables among {', '.join(self.states)}, got {list(variables)}")
        kept = [self.variables.index(name) for name in variables]
        summed = self.counts.sum(axis=tuple(axis for axis in range(self.counts.ndim) if axis not in kept))
        order = [sorted(kept).index(axis) for axis in kept]
        return CountTable({name: self.states[name] for name in variables}, summed.transpose(order), self.provenance)

    def known(self, variables: Sequence[str]) -> CountTable:
        """The counts of some variables over the records in which none of them is missing (others may be).

        Raises
        ------
        ValueError
            As for `marginal`.
        """
        table = self.marginal(variables)
        index = [[i for i, label in enumerate(labels) if label != MISSING] for labels in table.states.values()]
        states = {
            name: tuple(table.states[name][i] for i in kept) for name, kept in zip(table.states, index, strict=True)
        }
        return CountTable(states, table.counts[np.ix_(*index)], table.provenance)

    def text(self) -> str:
        """Return the table as the text of a file.

        It has a line ``# key: JSON`` per fact, with the meanings of the states first, then a CSV of all cells.
        """
        out = io.StringIO()
        facts = {STATES: {name: list(labels) for name, labels in self.states.items()}, **self.provenance}
        for key, value in facts.items():
            out.write(f"# {key}: {json.dumps(value, allow_nan=False)}\n")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([*self.variables, COUNT])
        writer.writerows([*map(int, cell), int(n)] for cell, n in zip(self.cells, self.counts.ravel(), strict=True))
        return out.getvalue()

    @classmethod
    def read(cls, path: str | Path) -> CountTable:
        """Read a file that contains the output of `text`; Windows line ends and cells in any order are accepted.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        DataError
            If a header is missing or garbled, a column is missing, a value is not a number in its range, or a cell is
            missing or occurs twice; the message names the file, the line and what was expected.
        """
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(f"{path}: no such file")
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")  # reading turns every line end into \n
        facts: dict[str, Any] = {}
        first = 0
        while first < len(lines) and lines[first].startswith("#"):
            key, value = _fact(path, first + 1, lines[first])
            if key in facts:
                raise DataError(f"{path}, line {first + 1}: {key} occurs twice")
            facts[key] = value
            first += 1
        states = _states(path, facts.pop(STATES, None))
        counts = _counts(path, lines, first, states)
        return cls(states, counts, facts)


def _fact(path: Path, number: int, line: str) -> tuple[str, Any]:
    match = re.fullmatch(r"# (\w+): (.*)", line)
    try:
        if match and match[1].isidentifier():
            return match[1], json.loads(match[2])
    except json.JSONDecodeError:
        pass
    raise DataError(f"{path}, line {number}: {line!r}, expected '# key: JSON value'")


def _states(path: Path, value: Any) -> dict[str, tuple[str, ...]]:
    """Check and return the fact ``states``."""
    if not isinstance(value, dict) or not value:
        raise DataError(f"{path}: no line '# {STATES}: {{variable: [meaning of state 0, ...]}}'")
    for name, labels in value.items():
        if not isinstance(labels, list) or not labels or not all(isinstance(label, str) for label in labels):
            raise DataError(f"{path}: the states of {name} are {labels!r}, expected a list of their meanings")
    return {name: tuple(labels) for name, labels in value.items()}


def _counts(path: Path, lines: list[str], first: int, states: Mapping[str, tuple[str, ...]]) -> NDArray[np.int64]:
    """Check and return the counts in the cells below the facts."""
    expected = [*states, COUNT]
    header = next(csv.reader([lines[first]]), []) if first < len(lines) else []
    if header != expected:
        missing = [name for name in expected if name not in header]
        detail = f"column {', '.join(missing)} is missing" if missing else f"columns {', '.join(header)}"
        raise DataError(f"{path}, line {first + 1}: {detail}; expected {','.join(expected)}")
    counts = np.zeros(tuple(map(len, states.values())), np.int64)
    seen: dict[tuple[int, ...], int] = {}
    for number, line in enumerate(lines[first + 1 :], start=first + 2):
        if not line.strip():
            continue
        values = line.split(",")
        if len(values) != len(expected):
            raise DataError(f"{path}, line {number}: {len(values)} columns, expected {len(expected)}")
        for name, value in zip(expected, values, strict=True):
            top = np.iinfo(np.int64).max if name == COUNT else len(states[name]) - 1
            if not (value.isascii() and value.isdigit()) or int(value) > top:
                wanted = "a whole number >= 0" if name == COUNT else f"a state from 0 to {top}"
                raise DataError(f"{path}, line {number}: {name} is {value!r}, expected {wanted}")
        cell = tuple(map(int, values[:-1]))
        if cell in seen:
            raise DataError(f"{path}, line {number}: the cell {cell} already occurs in line {seen[cell]}")
        seen[cell] = number
        counts[cell] = int(values[-1])
    if len(seen) != counts.size:
        lacking = next(cell for cell in np.ndindex(counts.shape) if cell not in seen)
        raise DataError(f"{path}: {len(seen)} cells, expected {counts.size}; the first missing one is {lacking}")
    return counts
