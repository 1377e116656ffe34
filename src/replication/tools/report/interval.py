"""Place a published value, the replicated one and its interval on a line."""

from __future__ import annotations

from dataclasses import dataclass

from replication.judging.verdict_tables import three_digits

#: Share of the line that stays free on each side, in percent, and how far apart two numbers are written.
MARGIN, APART = 8, 14


@dataclass(frozen=True)
class Place:
    """The position of a value on the line, in percent, and its text, empty if it would cover another."""

    at: float
    text: str


def places(
    *, published: float | None, replicated: float | None, low: float | None, high: float | None
) -> dict[str, Place]:
    """Lay out the values on a line that includes them all; empty unless two values differ.

    The published value is written above the line, all others below it. Zero is included if no number is published (a
    difference is then compared with zero), or if it is no further from the values than these are from each other.
    """
    given = {"published": published, "replicated": replicated, "low": low, "high": high}
    values = {name: value for name, value in given.items() if value is not None}
    if not values or min(values.values()) == max(values.values()):
        return {}
    width = max(values.values()) - min(values.values())
    if published is None or (min(values.values()) <= width and max(values.values()) >= -width):
        values["zero"] = 0
    start, end = min(values.values()), max(values.values())
    found: dict[str, Place] = {}
    for name, value in values.items():
        at = round(MARGIN + (100 - 2 * MARGIN) * (value - start) / (end - start), 2)
        below = [place.at for other, place in found.items() if other != "published" and place.text]
        covers = name != "published" and any(abs(at - other) < APART for other in below)
        found[name] = Place(at, "" if covers else three_digits(f"{value:.12g}"))
    return found
