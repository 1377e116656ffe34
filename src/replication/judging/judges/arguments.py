"""Constraints on the arguments of judges beyond their types.

Claims are checked against them before any job starts.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal, Union


@dataclass(frozen=True)
class Expected:
    """A constraint on an argument, in words and as a check, for an ``Annotated`` type."""

    what: str
    holds: Callable[[Any], bool]


@dataclass(frozen=True)
class Named:
    """Marks an argument that names things which only `binding` can check.

    They are ``claims``, or ``checkpoints`` or ``milestones`` of the experiment.
    """

    things: str


def _increasing(over: Mapping[str, Sequence[float]], least: int) -> bool:
    if len(over) != 1:
        return False
    ((_, points),) = over.items()
    return len(points) >= least and all(a < b for a, b in pairwise(points))


#: A number of trials or rounds.
Count = Annotated[int, Expected("at least 1", lambda n: n >= 1)]

Positive = Annotated[float, Expected("a number above 0", lambda x: x > 0)]

NotNegative = Annotated[float, Expected("a number of at least 0", lambda x: x >= 0)]

#: The probability of something that may fail: not 0, which says nothing; 1 is "always".
Probability = Annotated[float, Expected("a probability above 0 and at most 1", lambda p: 0 < p <= 1)]

Percent = Annotated[float, Expected("above 0 and at most 100", lambda x: 0 < x <= 100)]

#: One setting and the values at which claims about it are judged.
Along = Annotated[
    Mapping[str, Sequence[float]],
    Expected("one setting and at least two increasing values of it", lambda over: _increasing(over, 2)),
]

#: One setting and the values at which a law of growth is judged: at least three, since two cannot determine it.
Sizes = Annotated[
    Mapping[str, Sequence[float]],
    Expected(
        "one setting and at least three increasing positive values of it",
        lambda over: _increasing(over, 3) and min(next(iter(over.values()))) > 0,
    ),
]

#: A round at which the experiment records values.
Checkpoint = Annotated[int, Named("checkpoints")]
#: A round, one of the milestones of the claim's experiment.
Milestone = Annotated[int, Named("milestones")]

#: Other claims of the paper that are numbers.
Claims = Annotated[list[str], Named("claims")]


def fits(value: object, hint: Any) -> bool:
    """Return whether a YAML value has a judge's annotated type."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        kind, *more = inner
        return fits(value, kind) and all(check.holds(value) for check in more if isinstance(check, Expected))
    if origin in (Union, types.UnionType):
        return any(fits(value, kind) for kind in inner)
    if origin is Literal:
        return value in inner
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, dict) and all(fits(k, inner[0]) and fits(v, inner[1]) for k, v in value.items())
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return isinstance(value, list) and all(fits(item, inner[0]) for item in value)
    return isinstance(value, hint)


def in_words(hint: Any) -> str:
    """Describe in words what a judge's annotated type expects."""
    if typing.get_origin(hint) is Annotated:
        kind, *more = typing.get_args(hint)
        return next((check.what for check in more if isinstance(check, Expected)), in_words(kind))
    if typing.get_origin(hint) in (Union, types.UnionType):
        return " or ".join(in_words(kind) for kind in typing.get_args(hint) if kind is not type(None))
    if isinstance(origin := typing.get_origin(hint), type) and issubclass(origin, list | Sequence):
        return f"a list, each {in_words(typing.get_args(hint)[0])}"
    if typing.get_origin(hint) is Literal:
        return " or ".join(map(repr, typing.get_args(hint)))
    return hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint)
