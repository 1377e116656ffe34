"""Ranges of settings: a class states them once, and checks, docstrings and tests read them from there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

_Class = TypeVar("_Class", bound=type)


@dataclass(frozen=True)
class Interval:
    """Numbers from ``low`` to ``high``, with the ends that ``closed`` names; if ``integer``, whole numbers only.

    NaN, Booleans and strings are in no interval, and infinity is in none that is open at that end.
    """

    low: float
    high: float
    closed: Literal["left", "right", "both", "neither"] = "neither"
    integer: bool = False

    def __contains__(self, value: object) -> bool:
        types = (int, np.integer) if self.integer else (int, float, np.integer, np.floating)
        if isinstance(value, bool) or not isinstance(value, types):
            return False
        number: float = value  # type: ignore[assignment]
        above = number >= self.low if self.closed in ("left", "both") else number > self.low
        below = number <= self.high if self.closed in ("right", "both") else number < self.high
        return above and below

    def __str__(self) -> str:
        left, right = "[" if self.closed in ("left", "both") else "(", "]" if self.closed in ("right", "both") else ")"
        return f"{left}{self.low:g}, {self.high:g}{right}"


POSITIVE, NOT_NEGATIVE, FINITE = Interval(0, inf), Interval(0, inf, "left"), Interval(-inf, inf)
#: Whole numbers from 1.
COUNT = Interval(1, inf, "left", integer=True)
#: A confidence, which is a probability that is neither 0 nor 1.
CONFIDENCE = Interval(0, 1)

#: An interval, or several values of which one is allowed: words, None, and numbers in intervals.
Allowed: TypeAlias = Interval | tuple[Interval | str | None, ...]
Constraints: TypeAlias = Mapping[str, Allowed]


def check(name: str, value: object, allowed: Allowed) -> None:
    """Raise a ValueError that names the setting unless its value is allowed.

    Examples
    --------
    >>> check("discount", 0.5, Interval(0, 1, "right"))
    >>> check("budget", 0, (None, COUNT))
    Traceback (most recent call last):
        ...
    ValueError: budget=0: expected None or an integer in [1, inf)
    """
    parts = allowed if isinstance(allowed, tuple) else (allowed,)
    for part in parts:
        if value in part if isinstance(part, Interval) else type(value) is type(part) and value == part:
            return
    words = [str(part) for part in parts if not isinstance(part, Interval)]
    intervals = [part for part in parts if isinstance(part, Interval)]
    numbers = [f"{'an integer' if part.integer else 'a number'} in {part}" for part in intervals]
    raise ValueError(
        f"{name}={value!r}: expected " + (" or ".join(words + numbers) if numbers else f"one of {', '.join(words)}")
    )


def constrained(cls: _Class) -> _Class:
    """Let a class check its attribute ``constraints`` when an instance is made, and document it.

    The decorator belongs below ``@dataclass``. ``constraints`` maps fields to what is `Allowed`; those of base classes
    apply too. In the docstring, what is allowed takes the place of the type of a parameter.

    Examples
    --------
    >>> @dataclass
    ... @constrained
    ... class Policy:
    ...     constraints = {"discount": Interval(0, 1, "right")}
    ...     discount: float = 0.5
    >>> Policy(discount=float("nan"))
    Traceback (most recent call last):
        ...
    ValueError: discount=nan: expected a number in (0, 1]
    """
    constraints: dict[str, Allowed] = {}
    for base in reversed(cls.__mro__):
        constraints |= vars(base).get("constraints", {})
    further = getattr(cls, "__post_init__", None)

    def __post_init__(self: Any) -> None:
        for name, allowed in type(self).constraints.items():
            check(name, getattr(self, name), allowed)
        if further is not None:
            further(self)

    cls.constraints = constraints  # type: ignore[attr-defined]
    cls.__post_init__ = __post_init__  # type: ignore[attr-defined]
    cls.__doc__ = _documented(cls.__doc__ or "", constraints)
    return cls


def _documented(docstring: str, constraints: Constraints) -> str:
    """Write what is allowed where the parameters of a docstring have their types."""

    def header(line: re.Match[str]) -> str:
        indent, names = line.groups()
        kinds = {_type(constraints[name]) for name in names.split(", ") if name in constraints}
        return f"{indent}{names} : {kinds.pop()}" if len(kinds) == 1 else line[0]

    # Python 3.13 and later take the indentation away.
    return re.sub(r"^((?:    )?)(\w+(?:, \w+)*) : [^\n]+$", header, docstring, flags=re.MULTILINE)


def _type(allowed: Allowed) -> str:
    parts = allowed if isinstance(allowed, tuple) else (allowed,)
    numbers = [f"{'int' if part.integer else 'float'} in {part}" for part in parts if isinstance(part, Interval)]
    words = ", ".join(f'"{part}"' for part in parts if isinstance(part, str))
    return " or ".join([*([f"{{{words}}}"] if words else []), *numbers, *(["None"] if None in parts else [])])
