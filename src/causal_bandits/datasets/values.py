"""The values of variables in the order of their states, and states by value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import product
from typing import Any

from causal_bandits.datasets.frames import columns_of, text_of


class Values:
    """The values of variables in the order of their states; 1, 1.0 and "1" are the same value."""

    def __init__(self, states: Mapping[str, Sequence[Any]]) -> None:
        self.of: dict[str, tuple[Any, ...]] = {}
        for v, given in states.items():
            listed = not isinstance(given, str | Mapping | Set) and isinstance(given, Iterable)
            values = tuple(map(plain, given)) if listed else ()
            kinds = all(isinstance(x, str | int) or (isinstance(x, float) and math.isfinite(x)) for x in values)
            if not kinds or len(values) < 2 or len(set(map(text_of, values))) < len(values):
                raise ValueError(
                    f"states of {v}: {given!r}; expected a list of at least two different strings, numbers or Booleans"
                )
            self.of[v] = values
        self._numbers = {v: {text_of(value): i for i, value in enumerate(values)} for v, values in self.of.items()}

    def state(self, variable: str, value: Any) -> int:
        """Return the state that a value is, or raise a ValueError that lists the values."""
        known, value = self._numbers[variable], plain(value)
        found = known.get(text_of(value))
        if found is None and isinstance(value, bool | int | float) and value in (0, 1):
            found = known.get(str(int(value)), known.get(str(bool(value))))  # True for 1, and 1 for True
        if found is None:
            values = ", ".join(map(repr, self.of[variable]))
            raise ValueError(f"{variable} is {value!r}; expected one of {values} (its values are given in states)")
        return found

    def joint(self, variables: Sequence[str]) -> list[dict[str, int]]:
        """List the joint states of some variables, the last one changing fastest."""
        sizes = (range(len(self.of[v])) for v in variables)
        return [dict(zip(variables, states, strict=True)) for states in product(*sizes)]

    def labelled(self, states: Mapping[str, int]) -> dict[str, Any]:
        """Return the values of some variables' states."""
        return {v: self.of[v][state] for v, state in states.items()}


def plain(value: Any) -> Any:
    """Return a NumPy value as Python's own type."""
    return value.item() if hasattr(value, "item") else value


def in_order(role: str, names: str | Iterable[str]) -> tuple[str, ...]:
    """Return one name or several in their order (of a set: sorted); for anything else, raise a TypeError."""
    given: object = names  # whatever the type hints say
    if not isinstance(given, Iterable):
        raise TypeError(f"{role}: {given!r}; expected the name of a variable, or several")
    return (str(names),) if isinstance(names, str) else tuple(sorted(names) if isinstance(names, Set) else names)


def as_mapping(what: str, given: Any) -> dict[str, Any]:
    """Return names and values as a dictionary: of a mapping, of one row of a frame, or of a frame that has one row."""
    if type(given) is not dict:  # a plain dictionary, the usual case, needs none of these questions
        if hasattr(given, "columns"):
            rows = rows_of(what, given)
            if len(rows) != 1:
                raise ValueError(f"{what}: a data frame with {len(rows)} rows; expected one row")
            given = rows[0]
        given = given._asdict() if hasattr(given, "_asdict") else given
    if hasattr(given, "keys") and hasattr(given, "items"):
        return {str(v): plain(value) for v, value in given.items()}
    raise ValueError(f"{what}: {given!r}; expected a mapping from names to values, or one row of a data frame")


def rows_of(what: str, given: Any) -> list[Any]:
    """List the rows of a data frame as dictionaries, or the elements of anything else that has some."""
    if hasattr(given, "columns"):
        columns = dict(columns_of(given))
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise ValueError(f"{what}: {given!r}; expected a list, or a data frame with a row for each choice")
    return list(given)
