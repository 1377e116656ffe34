"""Colours and styles of lines that the arena's figures share."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from itertools import product
from typing import Literal, TypeVar

from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from experiments.drawing.plotting import COLOURS

Name = TypeVar("Name", bound=Hashable)

#: Shades for values that have an order, such as numbers of variables.
SHADES = ("#a6cee3", "#1f78b4", "#08306b")
#: Colours for names that have no order, such as algorithms.
HUES = (*(COLOURS[name] for name in ("blue", "orange", "green", "red", "purple", "sky", "grey")), "#7F4F24")

Style = Literal["-", "--", ":"]
_STYLES: tuple[Style, ...] = ("-", "--", ":")


def shades(values: Iterable[Name]) -> dict[Name, str]:
    """Give each value, in order, a shade of its own.

    Raises
    ------
    ValueError
        If there are more values than shades.
    """
    found = list(dict.fromkeys(values))
    if len(found) > len(SHADES):
        raise ValueError(f"{len(found)} values ({', '.join(map(str, found))}): expected at most {len(SHADES)}")
    return dict(zip(found, SHADES, strict=False))


def hues(names: Iterable[Name]) -> dict[Name, tuple[str, Style]]:
    """Give each name a colour, and a style of line where there are more names than colours.

    Raises
    ------
    ValueError
        If there are more names than pairs of both.
    """
    found, pairs = list(dict.fromkeys(names)), [(colour, style) for style, colour in product(_STYLES, HUES)]
    if len(found) > len(pairs):
        raise ValueError(f"{len(found)} names: expected at most {len(pairs)}")
    return dict(zip(found, pairs, strict=False))


#: Axes over fewer powers of ten have ticks at 1, 2 and 5 times each of them; longer axes at the powers alone.
FEW = 1.5


def plain_ticks(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers; to be called when all that decides its range is drawn."""
    low, high = axis.get_view_interval()
    steps = (1.0, 2.0, 5.0) if math.log10(high / low) < FEW else (1.0,)
    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _said(value)))
    axis.set_minor_formatter(NullFormatter())


def _said(value: float) -> str:
    """Write a number in full, but powers of ten from 1,000,000 on as such."""
    power = round(math.log10(value))
    return f"$10^{power}$" if power >= 6 and math.isclose(value, 10.0**power) else f"{value:,.6g}"
