"""Ticks of logarithmic axes, as plain numbers that do not overlap."""

from __future__ import annotations

import math

from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

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
