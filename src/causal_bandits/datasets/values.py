"""The values of variables in the order of their states, and states by value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from causal_bandits.datasets.frames import text_of


class Values:
    """The values of variables in the order of their states; 1, 1.0 and "1" are the same value."""

    def __init__(self, states: Mapping[str, Sequence[Any]]) -> None:
        self.of: dict[str, tuple[Any, ...]] = {}
        for v, given in states.items():
            listed = not isinstance(given, str | Mapping) and isinstance(given, Iterable)
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


def as_mapping(what: str, given: Any) -> dict[str, Any]:
    """Return names and values as a dictionary: of a mapping, or of one row of a pandas frame."""
    given = given._asdict() if hasattr(given, "_asdict") else given
    if hasattr(given, "keys") and hasattr(given, "items"):
        return {str(v): plain(value) for v, value in given.items()}
    raise ValueError(f"{what}: {given!r}; expected a mapping from names to values, or one row of a data frame")
