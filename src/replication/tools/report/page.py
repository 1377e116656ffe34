"""The page: contents in templates, with pictures, styles, scripts and data all inside one file."""

from __future__ import annotations

import csv
import importlib.resources
import json
import struct
from base64 import b64encode
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import jinja2
import vl_convert
from markupsafe import Markup

from experiments.atomic import whole
from replication.judging.claims import ERROR, MISPRINT, SLIP
from replication.judging.judges import Basis, Because, Outcome
from replication.judging.verdict_tables import (
    FITTED,
    WORDS,
    Row,
    by_fact,
    chosen_in_view,
    headline,
    three_digits,
    value_of,
    word_of,
)
from replication.tools.board import DARK, LIGHT, count, findings
from replication.tools.report.contents import Contents, Item, Paper, Printed, Verdict
from replication.tools.report.curves import specification
from replication.tools.report.formulas import LETTERS, SIGNS, formula
from replication.tools.report.prose import to_html

_OWN = importlib.resources.files(__package__)
#: Verdicts that are shown until a reader asks for all.
FEW = 50
_SCRIPTS = ("theme", "pictures", "peek", "verdicts", "curves")


def write(contents: Contents, output: Path) -> None:
    """Write the page, whole or not at all."""
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
        "picture": lambda item: read_picture(item.path),
        "download": _download,
        "grid": _grid,
        "class": _class,
        "word": word_of,
        "three": three_digits,
        "places": _places,
        "legend": lambda printed: _legend(printed, rows),
    }
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
        findings=findings,
        count=count,
        counts=_counts(contents),
        words=MEANINGS,
        outcomes=WORDS,
        told={v.row["claim_id"]: headline(v.row, v.readings, {v.row["claim_id"]: v.claim}) for v in contents.verdicts},
        in_view=chosen_in_view,
        here={verdict.row["claim_id"]: verdict.here for verdict in contents.verdicts},
        bases=list(Basis),
        few=FEW,
        typed=LETTERS | SIGNS,
        prose={paper.slug: _prose(paper, entries, figure) for paper in contents.papers},
        curves=sorted(curves),
        data=_script_data(curves),
        style=Markup((_OWN / "style.css").read_text(encoding="utf-8")),
        squares=_squares(),
        vega=_vega() if curves else "",
        scripts=[Markup((_OWN / f"scripts/{name}.js").read_text(encoding="utf-8")) for name in _SCRIPTS],
    )


def _vega() -> Markup:
    """What draws curves, as a script that can stand in a page."""
    return Markup(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").replace("</script", r"<\/script"))


def _prose(paper: Paper, entries: Collection[str], figure: jinja2.Template) -> dict[str, object]:
    """A paper's text with the figures that it shows, and the names of these, which are not shown twice."""
    figures = {item.name: item for item in paper.items if item.kind == "figure"}
    shown: list[str] = []

    def picture(path: str) -> Markup | None:
        place = PurePosixPath(path)
        name = place.stem
        if place.parent.name != paper.slug or name not in figures:
            return None
        again = name in shown  # an id stands once
        shown.append(name)
        caption = figures[name].caption
        return Markup(figure.render(paper=paper.slug, item=figures[name], caption=caption, again=again))

    return {"html": to_html(paper.prose, entries, picture), "shown": shown}


def _counts(contents: Contents) -> dict[str, dict[str, int]]:
    """Count facts by paper and outcome, and of all."""
    counts: dict[str, dict[str, int]]
    counts = {name: dict.fromkeys(WORDS, 0) for name in (*(paper.slug for paper in contents.papers), "all")}
    for fact in by_fact(verdict.row for verdict in contents.verdicts):
        for paper in (fact["paper"], "all"):
            counts[paper][word_of(fact)] += 1
    return counts


def _legend(printed: Printed, rows: Mapping[str, Row]) -> list[tuple[str, int]]:
    """How many cells of a printed table have each outcome, those that occur."""
    counted = Counter(word_of(rows[cell.claim]) for line in printed.grid for cell in line if cell)
    return [(word, counted[word]) for word in WORDS if counted[word]]


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
    """A file as the address of a link."""
    return f"data:text/csv;base64,{b64encode(path.read_bytes()).decode()}"


def _squares() -> Markup:
    """Colours of the squares, which are those of the board in README."""
    return Markup("\n").join(
        Markup(".squares .{} {{ background: {}; border-color: {}; color: {}; }}").format(_class(word), *each)
        for word in WORDS
        for each in [
            [
                f"light-dark({light}, {dark})".replace("none", "transparent")
                for light, dark in zip(LIGHT.squares[word], DARK.squares[word], strict=True)
            ]
        ]
    )


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


# A PNG as an image of the page: its bytes stand in the address, its size beside it, so that nothing moves.

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class PictureError(ValueError):
    """A file that is no PNG; the message names it."""


@dataclass(frozen=True)
class Picture:
    """The address of an image that holds its bytes, and its width and height in pixels."""

    address: str
    width: int
    height: int


def read_picture(path: Path) -> Picture:
    """Read a PNG.

    Raises
    ------
    PictureError
        If the file is no PNG.
    OSError
        If it is missing.
    """
    content = path.read_bytes()
    if len(content) < 24 or not content.startswith(_SIGNATURE) or content[12:16] != b"IHDR":
        raise PictureError(f"{path}: no PNG; expected a figure as the study draws it")
    width, height = struct.unpack(">II", content[16:24])
    return Picture(f"data:image/png;base64,{b64encode(content).decode()}", width, height)


# A published value beside the replicated one and its interval, as places on a line.

#: Share of the line that stays free on either side, in percent, and how far apart two numbers are written.
MARGIN, APART = 8, 14


@dataclass(frozen=True)
class Place:
    """Where a value lies on the line, in percent, and its text; empty where it would cover another."""

    at: float
    text: str


def places(
    *, published: float | None, replicated: float | None, low: float | None, high: float | None
) -> dict[str, Place]:
    """Lay the values out on a line that holds them all; nothing without two different values.

    The published value is written above the line, all others below it. Zero is there where no number is published,
    since a difference is held against it, and where it lies no further off than the values are wide.
    """
    given = {"published": published, "replicated": replicated, "low": low, "high": high}
    values = {name: value for name, value in given.items() if value is not None}
    if not values or min(values.values()) == max(values.values()):
        return {}
    width = max(values.values()) - min(values.values())
    if published is None or (min(values.values()) <= width and max(values.values()) >= -width):
        values["zero"] = 0
    start, end = min(values.values()), max(values.values())
    found: dict[str, Place] = {}
    for name, value in values.items():
        at = round(MARGIN + (100 - 2 * MARGIN) * (value - start) / (end - start), 2)
        below = [place.at for other, place in found.items() if other != "published" and place.text]
        covers = name != "published" and any(abs(at - other) < APART for other in below)
        found[name] = Place(at, "" if covers else three_digits(f"{value:.12g}"))
    return found


# What a verdict's words mean, in a sentence each; each outcome has a mark that stands beside its colour.

OUTCOMES = {
    Outcome.HOLDS: "The claim holds under every reading of the paper that counts.",
    Outcome.DEPENDS: "It holds under some readings of the paper and fails under others.",
    Outcome.FAILS: "It fails under every reading that counts. A number fails if it is further from ours than sampling "
    "error explains.",
    Outcome.OPEN: "It is not decided; the word next to it says why.",
    FITTED: "The number was used to fill in what the paper omits, so it is no evidence either way.",
}

#: One character each, so that no outcome is told by its colour alone.
MARKS = {
    Outcome.HOLDS: "✓",
    Outcome.DEPENDS: "±",
    Outcome.FAILS: "✗",
    Outcome.OPEN: "?",
    FITTED: "=",
}

BECAUSE = {
    Because.OMITTED: "The paper omits what decides it.",
    Because.UNTESTABLE: "No result could contradict the claim, or the paper has too few trials to confirm its number.",
    Because.NOT_RUN: "This configuration of the study leaves it out.",
    Because.SEEDS: "More seeds would decide, or the difference is too near the border; the reason says which.",
}

#: What is wrong in the paper itself, of a claim that fails by exact computation.
FAULTS = {
    ERROR: "A statement, an algorithm or a number of the paper is wrong in a way that matters.",
    SLIP: "Pseudo-code or a formula contains a mistake, but the intended version is clear and works.",
    MISPRINT: "A letter, a name or a number is printed wrongly; nothing else depends on it.",
}

BASES = {
    Basis.EXACT: "Computed; nothing was sampled.",
    Basis.SIMULATED: "Tested on runs with random seeds.",
    Basis.IDENTITY: "True by construction; no other result was possible.",
    Basis.FITTED: "The number was used to fill in what the paper omits.",
}

#: What templates call them.
MEANINGS = {"OUTCOMES": OUTCOMES, "MARKS": MARKS, "BECAUSE": BECAUSE, "FAULTS": FAULTS, "BASES": BASES}
