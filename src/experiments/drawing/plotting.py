"""Draw all figures in one style, as files that do not change from run to run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

mpl.use("agg")

from pkgutil import resolve_name

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler
from matplotlib.ticker import NullLocator

from experiments.drawing.looks import COLOURS as COLOURS
from experiments.files import whole
from experiments.results import Results

if TYPE_CHECKING:
    from experiments.study import ItemJob


#: Width of the widest figure as saved, and of the margin on each side, in inches. On a telephone, in 360 of
#: its 390 pixels, the smallest text of a figure of this width is 8 pixels high.
WIDTH = 5.5
_MARGIN = 0.05
#: Size of the smallest text, in points; subscripts in formulas are smaller.
TEXT = 9.0

#: The title of a panel that cannot show what the paper draws.
UNREAD = "the published drawing could not be read"

#: What differs from Matplotlib's own style.
_STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": ".15",
    "axes.labelcolor": ".15",
    "axes.prop_cycle": cycler(color=list(COLOURS.values())),
    "text.color": ".15",
    "xtick.color": ".15",
    "ytick.color": ".15",
    "grid.color": ".8",
    "lines.solid_capstyle": "round",
    "patch.edgecolor": "w",
    "patch.force_edgecolor": True,
    "figure.dpi": 150,
    "savefig.dpi": 150,
    "savefig.bbox": "tight",
    "savefig.pad_inches": _MARGIN,
    "font.family": "DejaVu Sans",
    "font.size": TEXT,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.hashsalt": "causal-bandits",
    "pdf.fonttype": 42,
}

#: Fixed metadata, so that the same figure gives the same file.
_METADATA = {
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
    ".png": {"Software": None},
}


@contextmanager
def style() -> Iterator[None]:
    """Draw figures inside the block in the study's style, whatever the user's matplotlibrc says."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def draw(job: ItemJob, inputs: Mapping[str, Any], outputs: Sequence[str | Path]) -> None:
    """Draw one figure of a paper.

    Parameters
    ----------
    job : ItemJob
        Its functions return a `Figure`.
    inputs : mapping
        As for `Results.load`.
    outputs : sequence of path
        The format follows the suffix: .png, .pdf or .svg.
    """
    with style():
        figure: Figure = resolve_name(job.items)[job.item](Results.load(job, inputs))
        for output in map(Path, outputs):
            with whole(output) as temporary:
                figure.savefig(temporary, format=output.suffix[1:], metadata=_METADATA[output.suffix])
        plt.close(figure)


def canvas(
    rows: int = 1, columns: int = 1, *, height: float, width: float = WIDTH, **options: Any
) -> tuple[Figure, np.ndarray]:
    """Create a figure whose panels, titles and legends make room for each other.

    Parameters
    ----------
    rows, columns : int
        Numbers of rows and columns of panels.
    height, width : float
        Inches, as saved.
    **options
        Passed to `matplotlib.pyplot.subplots`.

    Returns
    -------
    Figure
    numpy.ndarray of Axes, shape (rows, columns)

    Raises
    ------
    ValueError
        If it is wider than a page (`WIDTH`).
    """
    if width > WIDTH:
        raise ValueError(f"{width} inches: expected at most {WIDTH}, the width of a page")
    size = (width - 2 * _MARGIN, height - 2 * _MARGIN)
    return plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False, **options)


def name_ends(axes: Axes, ends: Sequence[tuple[str, float, str]]) -> None:
    """Write the names of curves next to their ends, as close as possible but apart and not below the panel.

    Call it once everything that affects the size of ``axes`` is drawn.

    Parameters
    ----------
    axes : Axes
    ends : sequence of (name, value, colour)
        The value is the curve's at its end.
    """
    axes.figure.figure.draw_without_rendering()
    order = sorted(range(len(ends)), key=lambda i: ends[i][1])
    points = axes.transData.transform([(0, ends[i][1]) for i in order])[:, 1] * 72 / axes.figure.dpi
    lowest = axes.bbox.y0 * 72 / axes.figure.dpi
    for i, place, own in zip(order, apart(points, 1.25 * TEXT, lowest), points, strict=True):
        name, value, colour = ends[i]
        at = axes.get_yaxis_transform()
        offset = (4, place - own)
        axes.annotate(
            name, (1, value), xycoords=at, xytext=offset, textcoords="offset points", color=ink(colour), va="center"
        )


def ink(colour: str) -> str:
    """Darken a colour until text in it has a contrast of at least 4.5 with white (WCAG 2.2, criterion 1.4.3)."""
    rgb = mpl.colors.to_rgb(colour)

    def contrast(share: float) -> float:
        parts = [share * part for part in rgb]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 1.05 / (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05)

    share = next(s for s in np.linspace(1, 0, 101).tolist() if contrast(s) >= 4.5)
    return mpl.colors.to_hex((share * rgb[0], share * rgb[1], share * rgb[2]))


def apart(places: np.ndarray, least: float, lowest: float = -np.inf) -> np.ndarray:
    """Move ascending positions ``least`` apart and above ``lowest``, with the smallest sum of squared moves."""
    from scipy.optimize import isotonic_regression  # takes a third of a second, which figures without names save

    room = least * np.arange(len(places))
    return np.asarray(np.maximum(isotonic_regression(places - room).x, lowest) + room)


def thousands(*axes: Axis) -> None:
    """Write the numbers of an axis with commas: 300,000."""
    for axis in axes:
        axis.set_major_formatter("{x:,.0f}")


def plain(axis: Axis, values: Iterable[float]) -> None:
    """Give an axis ticks at these values only, written as plain numbers: 0.25, 15,000."""
    places = list(values)
    axis.set_ticks(places, [f"{place:,.10g}" for place in places])
    axis.set_minor_locator(NullLocator())


def draw_curve(
    axes: Axes,
    curve: pd.DataFrame,
    band: bool = True,
    **look: Any,
) -> None:
    """Draw a mean over rounds with its 95 % band.

    Parameters
    ----------
    axes : Axes
    curve : DataFrame
        As returned by `Results.curve`.
    band : bool
    **look
        Passed to `seaborn.lineplot`.
    """
    import seaborn as sns  # takes half a second, which figures without curves save

    # Arrays without names leave the axes' labels alone; the table is aggregated already.
    t, mean = curve["t"].to_numpy(), curve["mean"].to_numpy()
    sns.lineplot(x=t, y=mean, estimator=None, errorbar=None, legend=False, ax=axes, **{"linewidth": 1.4, **look})
    if band:
        axes.fill_between(curve["t"], curve["ci_low"], curve["ci_high"], color=look["color"], alpha=0.25, linewidth=0)
