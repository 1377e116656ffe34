"""Colours of figures, and how they draw a policy: without Matplotlib, which readers of names do not need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

#: Okabe & Ito's palette, safe for colour-blind readers; captions call a colour by its name here. Their vermilion reads
#: as a second orange, so red is Tol's, which colour-blind readers tell better from orange and as well from green.
COLOURS = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "red": "#CC3311",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
    "black": "#000000",
    "grey": "#8C8C8C",
}

#: A line as Matplotlib writes it.
Line = str | tuple[int, tuple[int, ...]]


class Look(NamedTuple):
    """What selects a policy, its colour, and its line."""

    settings: Mapping[str, Any]
    colour: str
    line: Line = "-"
