"""Regret curves that a reader can hover over, toggle and zoom, as Vega-Lite specifications."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt
import pyarrow.compute as pc

from replication.pipeline.files import read

METRIC = "cumulative_regret"
COLUMNS = ("policy", "t", "mean", "ci_low", "ci_high")
DIGITS = 5


def specification(path: Path) -> dict[str, Any] | None:
    """The curves of one experiment: mean cumulative regret over rounds with its 95 % interval, a line per policy.

    Parameters
    ----------
    path : Path
        Its ``curves.parquet``.

    Returns
    -------
    dict or None
        None if there is nothing to draw: no policy with two checkpoints.
    """
    table = read(path, ["metric", *COLUMNS])
    table = table.filter(pc.equal(table["metric"], METRIC)).select(COLUMNS)
    if len(table) < 2 or pc.count_distinct(table["t"]).as_py() < 2:
        return None
    rows = [{name: _short(value) for name, value in row.items()} for row in table.to_pylist()]
    policies = list(dict.fromkeys(str(row["policy"]) for row in rows))
    shown = alt.selection_point(fields=["policy"], bind="legend", toggle="true", name="shown")
    zoom = alt.selection_interval(bind="scales", name="zoom")
    colour = alt.Color(
        "policy:N",
        sort=policies,
        scale=alt.Scale(scheme="tableau20"),
        legend=alt.Legend(
            orient="bottom", columns=2, labelLimit=320, symbolLimit=0, symbolOpacity=1, title="click to show some only"
        ),
    )
    faint = {"condition": {"param": "shown", "value": 1.0}, "value": 0.06}
    base = alt.Chart().encode(x=alt.X("t:Q", title="round"), y=alt.Y("mean:Q", title="cumulative regret"), color=colour)
    band = base.mark_area(strokeWidth=0).encode(
        y=alt.Y("ci_low:Q", title="cumulative regret"),
        y2="ci_high:Q",
        opacity=alt.condition(shown, alt.value(0.18), alt.value(0.02)),
    )
    line = base.mark_line(strokeWidth=1.6).encode(opacity=faint).add_params(shown, zoom)
    points = base.mark_point(size=60, filled=True).encode(
        opacity=alt.value(0.001), tooltip=[*(f"{name}:{'N' if name == 'policy' else 'Q'}" for name in COLUMNS)]
    )
    chart = alt.layer(band, line, points, data=alt.InlineData(values=rows)).properties(width="container", height=340)
    specified: dict[str, Any] = chart.to_dict()
    return specified


def _short(value: object) -> object:
    """Digits enough for a screen."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
