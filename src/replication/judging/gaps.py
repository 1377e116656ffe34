"""Gaps: what a paper leaves open, and the ways to fill it.

A paper's ``claims.py`` lists each gap once, with its options, the default first. A claim is tested under some readings,
each a value for some options; of the gaps that its readings mention, all others have their default::

    FALLBACK = Gap("L48", "what is played if no arm is fair", {"the safest arm": "safest", "the best arm": "best"})
    SCALE = Gap("L49", "the scale of the bonus", {"scale 1": 1.0, "Theorem 3's": "theorem_3"})


    def plays(*options: Option) -> Reading[tuple[str, object]]:
        fallback, scale = filled(options, (FALLBACK, SCALE))
        return reading((fallback.value, scale.value), *options)


    EITHER = plays(), plays(FALLBACK["the best arm"]), plays(SCALE["Theorem 3's"])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Option(NamedTuple):
    """One way to fill a gap, by its name."""

    gap: Gap[Any]
    name: str

    @property
    def value(self) -> Any:
        """What a test takes for it."""
        return self.gap.options[self.name]


@dataclass(frozen=True, eq=False)
class Gap(Generic[T]):
    """Something that a paper leaves open.

    Attributes
    ----------
    ledger : str
        Ids of the entries about it.
    question : str
        What is open.
    options : dict from name to value
        Every way to fill it that is tried; the first is the default of every claim that meets the gap.
    """

    ledger: str
    question: str
    options: Mapping[str, T]

    @property
    def default(self) -> Option:
        """The first option."""
        return Option(self, next(iter(self.options)))

    def __getitem__(self, name: str) -> Option:
        """Return an option.

        Raises
        ------
        ValueError
            If there is none of this name.
        """
        if name not in self.options:
            raise ValueError(f"{self.question}: {name!r} is unknown; expected one of: {', '.join(self.options)}")
        return Option(self, name)

    def readings(self) -> list[Reading[T]]:
        """Return a reading for each option."""
        return [Reading(value, (self[name],)) for name, value in self.options.items()]


class Reading(NamedTuple, Generic[T]):
    """A value, and the options for which it stands."""

    value: T
    options: tuple[Option, ...]


def reading(value: T, *options: Option) -> Reading[T]:
    """Say for which options a value stands; without any, for all defaults."""
    return Reading(value, options)


def gaps_of(readings: Sequence[Reading[Any]]) -> tuple[Gap[Any], ...]:
    """Return the gaps that some readings mention, in order."""
    return tuple(dict.fromkeys(option.gap for each in readings for option in each.options))


def filled(options: Sequence[Option], gaps: Sequence[Gap[Any]]) -> tuple[Option, ...]:
    """Return an option of each gap: one that is given, otherwise its default.

    Raises
    ------
    ValueError
        If several options of one gap are given.
    """
    given = dict(options)
    if len(given) < len(options):
        raise ValueError(f"{', '.join(option.name for option in options)}: expected one option of each gap")
    return tuple(Option(gap, given.get(gap, gap.default.name)) for gap in gaps)


def name_of(options: Sequence[Option]) -> str:
    """Name a reading by what is not a default, or by all if everything is."""
    return ", ".join(o.name for o in options if o != o.gap.default) or ", ".join(o.name for o in options)
