"""Draw every figure in one look, as files that do not change from run to run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.atomic import whole
from experiments.files import resolve
from experiments.jobs import ItemJob
from experiments.results import Results

#: Okabe & Ito's palette, safe for colour-blind readers.
COLOURS = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "red": "#D55E00",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
    "black": "#000000",
    "grey": "#8C8C8C",
}

#: The style "ticks" of seaborn, where it differs from matplotlib's, written out: loading seaborn takes a second.
_TICKS: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": ".15",
    "axes.labelcolor": ".15",
    "grid.color": ".8",
    "lines.solid_capstyle": "round",
    "patch.edgecolor": "w",
    "patch.force_edgecolor": True,
    "text.color": ".15",
    "xtick.color": ".15",
    "ytick.color": ".15",
}

_STYLE: dict[Any, Any] = {
    **_TICKS,
    "figure.dpi": 150,
    "savefig.dpi": 150,
    "savefig.bbox": "tight",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.hashsalt": "causal-bandits",
    "pdf.fonttype": 42,
}

#: Fixed metadata, so that the same figure is the same file.
_METADATA = {
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
    ".png": {"Software": None},
}


@contextmanager
def style() -> Iterator[None]:
    """Give figures drawn inside the block the study's look, whatever a user's matplotlibrc says."""
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
        As `Results.load`.
    outputs : sequence of path
        The format follows the suffix: .png, .pdf or .svg.
    """
    with style():
        figure: Figure = resolve(job.items)[job.item](Results.load(job, inputs))
        for output in map(Path, outputs):
            with whole(output) as temporary:
                figure.savefig(temporary, format=output.suffix[1:], metadata=_METADATA[output.suffix])
        plt.close(figure)


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
        Of `Results.curve`.
    band : bool
    **look
        For `matplotlib.axes.Axes.plot`.
    """
    axes.plot(curve["t"], curve["mean"], **{"linewidth": 1.4, **look})
    if band:
        axes.fill_between(curve["t"], curve["ci_low"], curve["ci_high"], color=look["color"], alpha=0.25, linewidth=0)
