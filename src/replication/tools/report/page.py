"""The page: contents in a template, with pictures, styles, scripts and data all inside one file."""

from __future__ import annotations

import csv
import importlib.resources
import json
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path

import jinja2
import vl_convert
from markdown_it import MarkdownIt
from markupsafe import Markup

from replication.judging.judges import Basis, Outcome
from replication.pipeline.atomic import whole
from replication.tools.report.contents import Contents, Item, Verdict
from replication.tools.report.curves import specification
from replication.tools.report.interval import Interval, interval

_OWN = importlib.resources.files(__package__)
_DATATABLES = importlib.resources.files("itables") / "html"


def write(contents: Contents, output: Path) -> None:
    """Write the page, whole or not at all."""
    with whole(output) as temporary:
        temporary.write_text(render(contents), encoding="utf-8")


def render(contents: Contents) -> str:
    """The page as HTML that needs no network and no other file."""
    loader = jinja2.FunctionLoader(lambda name: (_OWN / name).read_text(encoding="utf-8"))
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"markdown": _markdown, "picture": _picture, "grid": _grid, "class": _class}
    curves = {
        f"{paper.slug}-{name}": drawn
        for paper in contents.papers
        for name, path in paper.curves.items()
        if (drawn := specification(path)) is not None
    }
    return environment.get_template("page.html.jinja").render(
        contents=contents,
        counts=_counts(contents),
        outcomes=list(Outcome),
        bases=list(Basis),
        intervals={v.row["claim_id"]: _interval(v) for v in contents.verdicts},
        curves=sorted(curves),
        data=_script_data(curves),
        styles=Markup((_DATATABLES / "dt_bundle.css").read_text() + (_OWN / "page.css").read_text()),
        datatables=b64encode((_DATATABLES / "dt_bundle.js").read_bytes()).decode(),
        vega=Markup(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("</script", r"<\/script")),
        script=Markup((_OWN / "page.js").read_text()),
    )


def _counts(contents: Contents) -> dict[str, dict[str, int]]:
    """Outcomes by paper, and of all."""
    counts: dict[str, dict[str, int]]
    counts = {name: dict.fromkeys(Outcome, 0) for name in (*(paper.slug for paper in contents.papers), "all")}
    for verdict in contents.verdicts:
        for paper in (verdict.row["paper"], "all"):
            counts[paper][verdict.row["outcome"]] += 1
    return counts


def _interval(verdict: Verdict) -> Interval | None:
    row = verdict.row
    return interval(*(_number(row[name]) for name in ("published", "replicated", "ci_low", "ci_high")))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _markdown(text: str) -> Markup:
    return Markup(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))


def _picture(item: Item) -> str:
    """A PNG as the address of an image."""
    return f"data:image/png;base64,{b64encode(item.path.read_bytes()).decode()}"


def _grid(item: Item) -> list[list[str]]:
    """A table's rows, the header first."""
    with item.path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def _class(outcome: str) -> str:
    """An outcome as the name of a style."""
    return "v-" + outcome.replace(" ", "-")


def _script_data(data: Mapping[str, object]) -> Markup:
    """JSON that can stand in a script."""
    return Markup(json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"))
