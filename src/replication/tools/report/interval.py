"""A published value beside the replicated one and its interval, as places on a line."""

from __future__ import annotations

from dataclasses import dataclass

#: Share of the line that stays free on either side.
MARGIN = 0.08


@dataclass(frozen=True)
class Interval:
    """Places from 0 to 100 on a line; None for what is not there.

    Attributes
    ----------
    published, replicated, low, high : float or None
    """

    published: float | None
    replicated: float | None
    low: float | None
    high: float | None


def interval(
    published: float | None, replicated: float | None, low: float | None, high: float | None
) -> Interval | None:
    """Places of the values on a line that holds them all; None if there are not two different ones."""
    values = [value for value in (published, replicated, low, high) if value is not None]
    if not values or min(values) == max(values):
        return None
    start, length = min(values), max(values) - min(values)

    def place(value: float | None) -> float | None:
        if value is None:
            return None
        return round(100 * (MARGIN + (1 - 2 * MARGIN) * (value - start) / length), 2)

    return Interval(place(published), place(replicated), place(low), place(high))
