"""Colours of figures, and how they draw policies: without Matplotlib, which is slow to import."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

#: Okabe and Ito's palette, safe for colour-blind readers; captions use its names. Their vermilion looks like a second
#: orange, so red is Tol's, which colour-blind readers distinguish better from orange and equally well from green.
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

#: A line style in Matplotlib's notation.
Line = str | tuple[int, tuple[int, ...]]


class Look(NamedTuple):
    """The settings that select a policy, its colour and its line style."""

    settings: Mapping[str, Any]
    colour: str
    line: Line = "-"
