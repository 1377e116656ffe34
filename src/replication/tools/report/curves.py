"""Regret curves that readers can point at, zoom, and switch on and off, as Vega-Lite specifications."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import altair as alt
import pyarrow as pa
import pyarrow.compute as pc

from experiments.drawing.looks import COLOURS, Line, Look
from experiments.drawing.tabulate import told_apart
from experiments.files import read
from experiments.results import Plan

METRIC = "cumulative_regret"
COLUMNS = ("policy", "t", "mean", "ci_low", "ci_high", "n")
#: The tooltip of a point: the title and type of each column.
TOLD = {
    "policy": ("policy", "N"),
    "t": ("round", "Q"),
    "mean": ("mean", "Q"),
    "ci_low": ("95 % interval from", "Q"),
    "ci_high": ("to", "Q"),
    "n": ("seeds", "Q"),
}
DIGITS = 5
#: Maximum number of rounds shown of a curve: more would make the page larger, but no line smoother.
ROUNDS = 60
#: Matplotlib's line styles as Vega's; further lines of the same colour have longer dashes, each of a different length.
_DASHES = {"-": (1, 0), "--": (6, 3), "-.": (6, 2, 1, 2), ":": (2, 2)}


def specification(path: Path, looks: Mapping[str, Look]) -> dict[str, Any] | None:
    """Draw the curves of one experiment, with a line per policy.

    The curves show the mean cumulative regret over rounds with its 95 % interval.

    Parameters
    ----------
    path : Path
        Its ``curves.parquet``.
    looks : mapping
        Names, colours and lines of the paper's figures. Policies that are in no figure come after these and
        get further colours.

    Returns
    -------
    dict or None
        A Vega-Lite specification. Its parameter ``hidden`` lists policies that are switched off; ``usermeta`` has the
        name, colour and dashes of each policy for a legend. None if there is nothing to draw: no policy with two
        checkpoints.
    """
    table = read(path, ["metric", *COLUMNS])
    table = table.filter(pc.equal(table["metric"], METRIC)).select(COLUMNS)
    if len(table) < 2 or pc.count_distinct(table["t"]).as_py() < 2:
        return None
    table = table.filter(pc.is_in(table["t"], value_set=pa.array(_shown(table["t"].unique().to_pylist()))))
    legend = _legend(list(dict.fromkeys(table["policy"].to_pylist())), Plan.read(path), looks)
    names = [line["name"] for line in legend.values()]
    colours, dashes = ([line[look] for line in legend.values()] for look in ("colour", "dash"))
    hidden = alt.param(name="hidden", value=[])
    # Not the nearest point from a distance: there Vega-Lite's tooltip loses the policy, which is not a number.
    near = alt.selection_point(fields=["policy", "t"], on="pointerover", clear="pointerout", empty=False, name="near")
    zoom = alt.selection_interval(  # with the shift key, so that scrolling the page does not stop at a chart
        bind="scales",
        on="[pointerdown[event.shiftKey], window:pointerup] > window:pointermove!",
        translate="[pointerdown[event.shiftKey], window:pointerup] > window:pointermove!",
        zoom="wheel![event.shiftKey]",
        name="zoom",
    )
    base = (
        alt.Chart()
        .transform_filter("indexof(hidden, datum.policy) < 0")
        .encode(
            x=alt.X("t:Q", title="round"),
            y=alt.Y("mean:Q", title="cumulative regret"),
            color=alt.Color("policy:N", scale=alt.Scale(domain=names, range=colours), legend=None),
        )
    )
    band = base.mark_area(strokeWidth=0, opacity=0.18).encode(
        y=alt.Y("ci_low:Q", title="cumulative regret"), y2="ci_high:Q"
    )
    line = base.mark_line(strokeWidth=1.6).encode(
        strokeDash=alt.StrokeDash("policy:N", scale=alt.Scale(domain=names, range=dashes), legend=None)
    )
    points = base.mark_point(size=110, filled=True).encode(
        opacity=alt.condition(near, alt.value(1), alt.value(0.001)),
        tooltip=[alt.Tooltip(f"{name}:{kind}", title=title) for name, (title, kind) in TOLD.items()],
    )
    rows = [row | {"policy": legend[row["policy"]]["name"]} for row in table.to_pylist()]
    chart = (
        alt.layer(band, line.add_params(zoom), points.add_params(near), data=_data(rows))
        .add_params(hidden)
        .properties(
            width="container",
            height=340,
            description="cumulative regret over rounds",
            usermeta={"policies": list(legend.values())},
        )
    )
    specified: dict[str, Any] = chart.to_dict()
    return specified


def _legend(labels: Sequence[str], plan: Plan, looks: Mapping[str, Look]) -> dict[str, dict[str, Any]]:
    """Choose names, colours and dashes of all policies: no two share a name, or both colour and dashes."""
    alike: dict[str, list[str]] = defaultdict(list)
    for label in labels:
        named = [name for name, (settings, *_) in looks.items() if label in plan.matching(settings)]
        alike[max(named, key=lambda name: len(looks[name].settings), default="")].append(label)
    legend, taken, others = {}, set(), cycle(COLOURS.values())
    for look in sorted(alike, key=[*looks, ""].index):  # first those that figures name
        group = alike[look]
        apart = told_apart({label: plan.settings[label] for label in group}) if look else {}
        for label in sorted(group, key=lambda label: _natural(apart.get(label, ""))):
            colour, line = looks[look][1:] if look else (next(others), "-")
            dash = next(dash for dash in _dashes(line) if (colour, dash) not in taken)
            taken.add((colour, dash))
            parts = [look.replace("$", "").replace("\\delta", "δ"), apart[label]] if look else label.split(",")
            name = ", ".join(part.strip() for part in parts if part)
            legend[label] = {"name": name, "colour": colour, "dash": list(dash)}
    return legend


def _natural(text: str) -> list[tuple[str, float]]:
    """Return a sort key that orders strings by the numbers in them: nodes 30 before nodes 100."""
    return [(word, float(number or 0)) for word, number in re.findall(r"([^\d]*)(\d*\.?\d*)", text)]


def _dashes(first: Line) -> Iterator[tuple[int, ...]]:
    """Yield the dashes of a line style, then all others, endlessly."""
    yield _DASHES[first] if isinstance(first, str) else first[1]
    yield from _DASHES.values()
    length = 8
    while True:
        yield (length, 3, 2, 3)
        length += 3


def _shown(rounds: list[int]) -> list[int]:
    """Choose the rounds to show: evenly spaced, back from the last one."""
    rounds = sorted(rounds)
    return rounds[:: -math.ceil(len(rounds) / ROUNDS)]


def _data(rows: Sequence[Mapping[str, object]]) -> alt.InlineData:
    """Write rows as CSV, which is half as long as JSON, since JSON repeats the names of the columns in each row."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_short(row[name]) for name in COLUMNS] for row in rows)
    types = {name: "string" if kind == "N" else "number" for name, (_, kind) in TOLD.items()}
    return alt.InlineData(values=text.getvalue(), format=alt.CsvDataFormat(type="csv", parse=types))


def _short(value: object) -> object:
    """Round a number to enough digits for a screen."""
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else value
