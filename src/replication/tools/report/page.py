"""The page: contents in templates, with pictures, styles, scripts and data all inside one file."""

from __future__ import annotations

import csv
import importlib.resources
import json
import struct
from base64 import b64encode
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import jinja2
import vl_convert
import yaml
from markupsafe import Markup

from experiments.files import whole
from replication.judging.claims import FAMILIES
from replication.judging.judges import Outcome
from replication.judging.matrix import Matrix, outcome_of
from replication.judging.verdict_tables import (
    Row,
    chosen_in_view,
    counts,
    family_of,
    headline,
    held,
    is_counted,
    other_outcomes,
    three_digits,
    value_of,
)
from replication.tools.report.contents import Contents, Item, Paper, Printed, Verdict
from replication.tools.report.curves import specification
from replication.tools.report.formulas import LETTERS, SIGNS, formula
from replication.tools.report.interval import Place, places
from replication.tools.report.prose import to_html

_OWN = importlib.resources.files(__package__)
#: Number of verdicts that are shown until a reader asks for all.
FEW = 50
_SCRIPTS = ("theme", "pictures", "peek", "strips", "verdicts", "curves")


def write(contents: Contents, output: Path) -> None:
    """Write the page atomically."""
    with whole(output) as temporary:
        temporary.write_text(render(contents), encoding="utf-8")


def render(contents: Contents) -> str:
    """Make the page as HTML that needs no network and no other file."""
    loader = jinja2.FunctionLoader(lambda name: (_OWN / "templates" / name).read_text(encoding="utf-8"))
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    entries = contents.ledger.keys()
    rows = {verdict.row["claim_id"]: verdict.row for verdict in contents.verdicts}
    environment.filters |= {
        "formula": formula,
        "markdown": lambda text: to_html(text, entries),
        "picture": _picture,
        "download": _download,
        "grid": _grid,
        "class": _class,
        "family": family_of,
        "three": three_digits,
        "others": other_outcomes,
        "places": _places,
        "legend": lambda printed: _legend(printed, rows),
        "main_picture": _main_picture,
    }
    stories = {paper.slug: _story(paper.matrix) for paper in contents.papers}
    curves = {
        f"{paper.slug}-{name}": drawn
        for paper in contents.papers
        for name, path in paper.curves.items()
        if (drawn := specification(path, paper.looks)) is not None
    }
    figure = environment.get_template("figure.html.jinja")
    return environment.get_template("page.html.jinja").render(
        contents=contents,
        rows=rows,
        names={paper.slug: paper.named for paper in contents.papers},
        findings=_findings,
        counts=_counts(contents),
        families=FAMILIES,
        held=held,
        words=yaml.safe_load((_OWN / "words.yaml").read_text(encoding="utf-8")),
        outcomes=list(Outcome),
        told={v.row["claim_id"]: headline(v.row, v.readings) for v in contents.verdicts},
        in_view=chosen_in_view,
        strips=stories,
        strips_data=_script_data({slug: story["judged"] for slug, story in stories.items()}),
        few=FEW,
        typed=LETTERS | SIGNS,
        prose={paper.slug: _prose(paper, entries, figure) for paper in contents.papers},
        curves=sorted(curves),
        data=_script_data(curves),
        style=Markup((_OWN / "style.css").read_text(encoding="utf-8")),
        vega=_vega() if curves else "",
        scripts=[Markup((_OWN / f"scripts/{name}.js").read_text(encoding="utf-8")) for name in _SCRIPTS],
    )


def _vega() -> Markup:
    """Return the code that draws curves, as a script that can be embedded in a page."""
    return Markup(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("</script", r"<\/script"))


def _prose(paper: Paper, entries: Collection[str], figure: jinja2.Template) -> dict[str, object]:
    """Return a paper's text with its figures in place, and the names of these figures, which are not shown again."""
    figures = {item.name: item for item in paper.items if item.kind == "figure"}
    shown: list[str] = []

    def picture(path: str) -> Markup | None:
        place = PurePosixPath(path)
        name = place.stem
        if place.parent.name != paper.slug or name not in figures:
            return None
        again = name in shown  # ids are unique
        shown.append(name)
        caption = figures[name].caption
        return Markup(figure.render(paper=paper.slug, item=figures[name], caption=caption, again=again))

    return {"html": to_html(paper.prose, entries, picture), "shown": shown}


def _story(found: Matrix | None) -> dict[str, Any]:
    """Return the readings of a paper, and the style, outcome and value of each of its headlines under each of them."""
    if found is None:
        return {"readings": (), "judged": [], "best": "", "sentence": ""}
    untested = ("v-open", "not tested", "")
    judged = [
        [(_class(row["outcome"]), outcome_of(row), _value(row)) if row else untested for row in rows]
        for rows in found.judged
    ]
    return {"readings": found.readings, "judged": judged, "best": found.best, "sentence": found.sentence()}


def _value(row: Row) -> str:
    interval = f" ({three_digits(row['ci_low'])} to {three_digits(row['ci_high'])})" if row["ci_low"] else ""
    return three_digits(row["replicated"]) + interval


def _main_picture(paper: Paper, chosen: Mapping[str, str]) -> Item | None:
    """Return the figure of a paper's main result, or else its first; None if it has none."""
    figures = {item.name: item for item in paper.items if item.kind == "figure"}
    return figures.get(chosen.get(paper.slug, "")) or next(iter(figures.values()), None)


def _counts(contents: Contents) -> dict[str, dict[str, Counter[str]]]:
    """Count claims by paper, family of kinds and outcome."""
    rows = [verdict.row for verdict in contents.verdicts]
    return {paper.slug: counts(row for row in rows if row["paper"] == paper.slug) for paper in contents.papers}


def _legend(printed: Printed, rows: Mapping[str, Row]) -> list[tuple[str, int]]:
    """Count the cells of a printed table by outcome, for outcomes that occur."""
    counted = Counter(rows[cell.claim]["outcome"] for line in printed.grid for cell in line if cell)
    return [(word, counted[word]) for word in Outcome if counted[word]]


def _places(verdict: Verdict) -> dict[str, Place]:
    row = verdict.row
    numbers = {"published": _number(row["published"]), "replicated": value_of(row)}
    return places(**numbers, low=_number(row["ci_low"]), high=_number(row["ci_high"]))


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _download(path: Path) -> str:
    """Return a file's content as the address of a link."""
    return f"data:text/csv;base64,{b64encode(path.read_bytes()).decode()}"


def _findings(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Return a paper's headlines, in order, and its other claims that are counted, by outcome."""
    rows = list(filter(is_counted, rows))
    headlines = [row for row in rows if row["headline"]]
    others = [row for row in rows if not row["headline"]]
    return headlines, sorted(others, key=lambda row: list(Outcome).index(Outcome(row["outcome"])))


def _picture(item: Item) -> dict[str, object]:
    """Return a PNG as an HTML image with its bytes as the address, and with its size, so the page does not shift."""
    content = item.path.read_bytes()
    width, height = struct.unpack(">II", content[16:24])
    return {"address": f"data:image/png;base64,{b64encode(content).decode()}", "width": width, "height": height}


def _grid(item: Item) -> list[list[str]]:
    """Read a table's rows, header first."""
    with item.path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def _class(outcome: str) -> str:
    """Return the name of an outcome's style."""
    return "v-" + outcome.replace(" ", "-")


def _script_data(data: Mapping[str, object]) -> Markup:
    """Return data as JSON that can be embedded in a script."""
    return Markup(json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"))
