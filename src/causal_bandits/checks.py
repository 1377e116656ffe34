"""Checks of settings: numbers in a range, and choices among words."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import NamedTuple

import numpy as np

_RANGE = re.compile(r"(?:(\S+) or )?(integer in )?(([\[(])(\S+), (\S+)([\])]))")


def check_numbers(settings: object, **ranges: str) -> None:
    """Raise a ValueError unless each of the named attributes is a number in its range.

    A comparison with NaN is false, so ``if x < 0: raise ...`` lets NaN pass. Here NaN, Booleans and strings are in no
    range, and infinity is in no range that is open at that end.

    Parameters
    ----------
    settings : object
        For instance a policy.
    **ranges : str
        Attribute = interval, for instance ``(0, inf)`` or ``[0, 1)``; ``integer in [1, inf)``; or with one word that is
        allowed instead of a number, ``None or (0, inf)`` or ``count or (0, inf)``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> check_numbers(SimpleNamespace(discount=0.5, budget=100), discount="(0, 1]", budget="integer in [1, inf)")
    >>> check_numbers(SimpleNamespace(discount=float("nan")), discount="(0, 1]")
    Traceback (most recent call last):
        ...
    ValueError: discount=nan: expected a number in (0, 1]
    """
    for name, interval in ranges.items():
        check_number(name, getattr(settings, name), interval)


def check_number(name: str, value: object, interval: str) -> None:
    """Raise a ValueError unless a number is in its range (see `check_numbers`)."""
    expected = _range(interval)
    if not expected.holds(value):
        raise ValueError(f"{name}={value!r}: expected {expected.words}")


class _Range(NamedTuple):
    word: str | None
    types: tuple[type, ...]
    low: float
    high: float
    closed: tuple[bool, bool]
    words: str

    def holds(self, value: object) -> bool:
        if value is None:
            return self.word == "None"
        if isinstance(value, str):
            return value == self.word != "None"
        if isinstance(value, bool) or not isinstance(value, self.types):
            return False
        number: float = value  # type: ignore[assignment]
        above = number >= self.low if self.closed[0] else number > self.low
        below = number <= self.high if self.closed[1] else number < self.high
        return above and below


@cache
def _range(text: str) -> _Range:
    found = _RANGE.fullmatch(text)
    if found is None:
        raise ValueError(f"range {text!r}: expected for instance '(0, inf)' or 'None or integer in [1, inf)'")
    word, integer, interval, left, low, high, right = found.groups()
    types = (int, np.integer) if integer else (int, float, np.integer, np.floating)
    words = f"{'' if word is None else f'{word} or '}{'an integer' if integer else 'a number'} in {interval}"
    return _Range(word, types, float(low), float(high), (left == "[", right == "]"), words)


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Raise a ValueError if a setting is not one of its choices."""
    if value not in choices:
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(choices)}")
