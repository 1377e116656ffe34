"""What the study knows, written into pages as they are read: verdicts, tables, figures and their code, ledger, lists.

Prose stands in the page's own file, which reads well without Sphinx too; what is computed is added here, from
data/reference, figures/, the configuration and the ledger, so nothing of it is typed. A page of a paper shows its
figures in the text, as pictures that a Git host shows too; here they get their captions. It also gets its verdicts, its
figures that its text does not show, and entries; that of the arena its tables; a page of an algorithm where it
is played; an entry of the ledger what it rests on and what cites it; the gallery every figure.
"""

from __future__ import annotations

import csv
import functools
import inspect
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml
from sphinx.application import Sphinx

from causal_bandits.policies.registry import ALGORITHMS
from experiments.loading import read_paper
from experiments.selection import selection
from replication.judging.claims import read_cells
from replication.judging.verdict_tables import (
    Row,
    chosen_in_view,
    faults,
    headlines,
    overview,
    printed_means,
    read,
    read_readings,
)
from replication.tools.ledger import FOLDER as LEDGER
from replication.tools.ledger import Entry, grouped, read_citations, read_entries
from replication.tools.report.contents import gather
from replication.tools.report.page import write

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "data/reference/verdicts.csv"
READINGS = ROOT / "data/reference/verdict_readings.csv"
PUBLISHED = ROOT / "data/published"
#: What each figure shows, for those who do not see it: docs/figures.yaml, by paper and name.
ALT_TEXTS = ROOT / "docs/figures.yaml"
#: The report of the committed verdicts, beside the first page.
REPORT = "report.html"
#: It has a page, figures and tables as a paper has, no claims, and a folder of its own.
ARENA = "arena"


class PageError(ValueError):
    """A page that cannot be made; the message names the file and what was expected."""


# What the pages are made of.


def slugs() -> list[str]:
    """The papers of the study's configuration, in its order."""
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    return list(config["papers"])


@functools.cache
def ledger() -> Mapping[str, Entry]:
    """All entries of the ledger by id."""
    return read_entries(ROOT / LEDGER)


@functools.cache
def citations() -> Mapping[str, Sequence[str]]:
    """Claims of the committed verdicts by the entry that they cite."""
    return read_citations(REFERENCE, ledger())


@functools.cache
def reference() -> list[dict[str, str]]:
    """The committed verdicts."""
    return list(read(REFERENCE).values())


@functools.cache
def readings() -> Mapping[str, Mapping[str, Row]]:
    """What the committed verdicts say under each reading, by claim and reading; nothing before the next full run."""
    return read_readings(READINGS) if READINGS.is_file() else {}


@functools.cache
def published() -> Mapping[str, Row]:
    """What the papers publish, by claim."""
    return {cells["claim_id"]: cells for slug in slugs() for cells in read_cells(PUBLISHED / f"{slug}.csv")}


@functools.cache
def alt_texts() -> dict[str, dict[str, str]]:
    """The description of each figure by paper and name."""
    return dict(yaml.safe_load(ALT_TEXTS.read_text(encoding="utf-8")))


@functools.cache
def settings(slug: str) -> dict[str, Any]:
    """The configuration of a paper, or of the arena."""
    return read_paper(slug, ROOT, "src/arena/config/{paper}.yaml") if slug == ARENA else read_paper(slug, ROOT)


def home(slug: str) -> str:
    """The folder of a paper's committed figures and tables, from the top folder."""
    return f"src/arena/figures/{slug}" if slug == ARENA else f"figures/{slug}"


@functools.cache
def figures(slug: str) -> dict[str, dict[str, Any]]:
    """The figures of a paper's configuration by name."""
    return dict(settings(slug).get("figures", {}))


def alt_text(slug: str, name: str) -> str:
    """What a figure shows.

    Raises
    ------
    PageError
        If nobody has said.
    """
    text = alt_texts().get(slug, {}).get(name)
    if not text:
        raise PageError(
            f"docs/figures.yaml: {slug}: {name}: missing; expected what the figure shows, in a sentence or two"
        )
    return " ".join(text.split())


def escaped(text: str) -> str:
    """Text as Markdown that shows it as it is, in a cell of a table too."""
    for mark in "\\`*_{}[]<>$|#~":
        text = text.replace(mark, "\\" + mark)
    return " ".join(text.split())


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the cells are Markdown already."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def folded(summary: str, body: str) -> str:
    """A part of a page that opens on request; works without scripts."""
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


# The pages.


#: A figure of a paper in the text of its page: a picture in a paragraph of its own.
PICTURE = re.compile(
    r"^!\[(?P<alt>[^\]]*)\]\(\.\./\.\./(?:src/arena/)?figures/(?P<slug>\w+)/(?P<name>\w+)\.png\)$", re.MULTILINE
)


def with_captions(text: str) -> str:
    """A paper's page with the caption of its configuration under each figure."""

    def captioned(found: re.Match[str]) -> str:
        slug, name = found["slug"], found["name"]
        return figure(slug, name, figures(slug)[name], f"../../{home(slug)}/{name}.png")

    return PICTURE.sub(captioned, text)


def paper_page(slug: str, text: str) -> str:
    """What follows a paper's prose: verdicts, tables if made on request, other figures, entries of the ledger."""
    apart = tables(slug) if slug == ARENA else []
    others = shown(slug, {found["name"] for found in PICTURE.finditer(text)})
    judged = [verdicts(slug)] if slug in slugs() else []
    parts = {"Verdicts": judged, "Tables": apart, "Other figures": others, "Ledger": [entries_of(slug)]}
    return "\n\n".join(text for heading, body in parts.items() if body for text in (f"## {heading}", *body))


def verdicts(slug: str) -> str:
    """The committed verdicts of a paper: its headlines, counts, and where the report lists them all."""
    rows = [row for row in reference() if row["paper"] == slug]
    if not rows:
        return "Not run at published scale since its claims changed."
    parts = [
        "Of the committed run at published scale (`data/reference/verdicts.csv`); "
        "[what the words mean](../guide/verdicts.md).",
        *([headlines(rows, readings(), published(), of_one=True)] if any(row["headline"] for row in rows) else []),
        chosen_in_view(rows),
        f"{overview(rows)}\n\n{faults(rows)}",
    ]
    address = f"../{REPORT}#verdicts?paper={slug}"
    parts.append(f'<p><a href="{address}">All {len(rows)} verdicts, each with its reason and readings</a></p>')
    return "\n\n".join(parts)


def tables(slug: str) -> list[str]:
    """The committed tables of a paper, each under its caption."""
    found = []
    for name, item in settings(slug).get("tables", {}).items():
        with (ROOT / home(slug) / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            header, *rows = ([escaped(cell) for cell in row] for row in csv.reader(file))
        found.append(folded(f"{name}: {escaped(item['caption'])}", table(header, rows)))
    return found


def shown(slug: str, besides: Collection[str]) -> list[str]:
    """The figures of a paper ``besides`` those that its text shows, each with its caption."""
    return [
        figure(slug, name, item, f"../../{home(slug)}/{name}.png")
        for name, item in figures(slug).items()
        if name not in besides
    ]


def figure(slug: str, name: str, item: Mapping[str, Any], path: str) -> str:
    """One figure as Markdown, or where it comes from if it is not committed."""
    if not (ROOT / home(slug) / f"{name}.png").exists():
        how = " It is made on request." if item.get("on_request") else ""
        return f"`{slug}_{name}`, not among the committed figures.{how} {escaped(item['caption'])}"
    return f"```{{figure}} {path}\n:alt: {alt_text(slug, name)}\n\n{escaped(item['caption'])}\n```"


def entries_of(slug: str) -> str:
    """The ledger's entries that concern a paper, as a table."""
    found = [entry for entry in ledger().values() if slug in entry.papers]
    if not found:
        return "No entries."
    rows = [(f"[{e.id}](../ledger/{e.path.as_posix()})", escaped(e.title), escaped(e.place), e.status) for e in found]
    return table(("id", "what", "where the paper says it", "status"), rows)


def gallery() -> str:
    """Every figure of every paper, and of the arena, with the function that draws it."""
    parts = []
    for slug in [*slugs(), ARENA]:
        parts.append(f"## {slug}\n\n{escaped(settings(slug)['title'])} ([its page](papers/{slug}.md)).")
        for name, item in figures(slug).items():
            code = folded(f"The code that draws {name}", _code(slug, name))
            where = "--snakefile src/arena/Snakefile " if slug == ARENA else ""
            command = f"`snakemake {where}--cores 2 {slug}_{name}` makes it."
            shows = figure(slug, name, item, f"../{home(slug)}/{name}.png")
            parts.append(f"({slug}-{name})=\n\n### {slug}: {name}\n\n{shows}\n\n{command}\n\n{code}")
    return "\n\n".join(parts)


def _code(slug: str, name: str) -> str:
    module = import_module("arena.figures" if slug == ARENA else f"replication.papers.{slug}.figures")
    function = module.FIGURES[name]
    function = inspect.unwrap(function.func if isinstance(function, functools.partial) else function)
    path = Path(inspect.getsourcefile(function) or "").relative_to(ROOT)
    return (
        f"```{{literalinclude}} ../{path.as_posix()}\n:pyobject: {function.__name__}\n:caption: {path.as_posix()}\n```"
    )


def entry_page(entry: Entry, cited: Sequence[str]) -> str:
    """An entry of the ledger with its front matter as text."""
    parts = [f"# {entry.id}: {escaped(entry.title)}"]
    facts = [("Papers", ", ".join(f"[{slug}](../../papers/{slug}.md)" for slug in entry.papers))]
    facts += [("Place", escaped(entry.place)), ("Status", entry.status)]
    facts += [("Evidence", "; ".join(_evidence(*item) for item in entry.evidence))]
    facts += [("Verdicts that cite it", grouped(cited))]
    parts.append("\n".join(f"- {name}: {text}" for name, text in facts if text))
    parts += [f"## {heading}\n\n{text}" for heading, text in entry.sections.items()]
    return "\n\n".join(parts) + "\n"


def _evidence(kind: str, target: str) -> str:
    slug, _, name = target.partition("/")
    if kind == "figure" and name in figures(slug):
        return f"figure [{target}](#{slug}-{name})"
    if kind == "table" and (ROOT / home(slug) / f"{name}.csv").exists():
        return f"table [{target}](../../../{home(slug)}/{name}.csv)"
    return f"{kind} `{target}`"


def played(algorithms: Iterable[str]) -> str:
    """Where algorithms are played: a row each with its reference, figures, tables, and numbers of claims."""
    rows = []
    for algorithm in algorithms:
        module, _, name = ALGORITHMS[algorithm].partition(":")
        shows, claims = [], []
        for slug in [*slugs(), ARENA]:
            names = _shows(slug).get(algorithm, [])
            if names:
                shows.append(f"[{slug}](../papers/{slug}.md): {', '.join(names)}")
            if slug != ARENA and (count := _claims(slug)[algorithm]):
                claims.append(f"{slug}: {count}")
        link = f"{{py:obj}}`{algorithm} <causal_bandits.policies.{name}>`"
        file = f"`{module.removeprefix('causal_bandits.').replace('.', '/')}.py`"
        rows.append((link, file, "; ".join(shows) or "in tests alone", "; ".join(claims) or "none"))
    header = ("algorithm", "file", "figures and tables that show it", "claims that name it")
    return "## Where it is played\n\n" + table(header, rows)


@functools.cache
def _shows(slug: str) -> Mapping[str, Sequence[str]]:
    """The figures and tables of a paper by the algorithms of the experiments that they read."""
    paper, found = settings(slug), defaultdict(list)
    for section in ("figures", "tables"):
        for name, item in paper.get(section, {}).items():
            experiments = (paper["experiments"][experiment] for experiment in item.get("experiments", []))
            for algorithm in sorted({entry["algorithm"] for e in experiments for entry in e["policies"].values()}):
                found[algorithm].append(name)
    return found


@functools.cache
def _claims(slug: str) -> Counter[str]:
    """How many of a paper's claims name an algorithm as the one judged, or the one that it is held against."""
    with (PUBLISHED / f"{slug}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    named: Counter[str] = Counter()
    for row in rows:
        texts = [row[key] for key in ("policy", "against") if row[key]]
        named.update(
            {str(selection(text, slug)["algorithm"]) for text in texts if "algorithm" in selection(text, slug)}
        )
    return named


def all_headlines() -> str:
    """The headlines of all papers, and how many facts have which outcome."""
    rows = reference()
    parts = [
        "## What holds",
        "The claims that each paper's abstract rests on ([what the words mean](../guide/verdicts.md)).",
    ]
    for slug in slugs():
        of_paper = [row for row in rows if row["paper"] == slug and row["headline"]]
        if of_paper:
            parts += [f"### {slug}", headlines(of_paper, readings(), published(), of_one=True)]
    counts = [overview(rows), faults(rows), printed_means(rows, published())]
    return "\n\n".join([*parts, chosen_in_view(rows), "### All claims", *counts])


def contents(pages: Iterable[str], *, hidden: bool = True) -> str:
    """A table of contents."""
    return "```{toctree}\n" + (":hidden:\n" if hidden else ":maxdepth: 1\n") + "\n" + "\n".join(pages) + "\n```"


def ledger_contents() -> str:
    """The ledger's entries by paper, for the navigation."""
    by_folder = defaultdict(list)
    for entry in ledger().values():
        by_folder[entry.folder].append(entry.path.with_suffix("").as_posix())
    return "\n\n".join(contents(pages) for _, pages in sorted(by_folder.items()))


def upstream_contents() -> str:
    """The reports of defects in libraries, those that there are."""
    pages = sorted(path.stem for path in (ROOT / "docs/upstream").glob("*.md"))
    return contents((f"upstream/{page}" for page in pages), hidden=False) if pages else "There are none."


#: What is added to a page, by its name.
ADDED: dict[str, Callable[[], str]] = {
    "gallery": gallery,
    "ledger/README": ledger_contents,
    "papers/index": lambda: f"{contents([*slugs(), ARENA])}\n\n{all_headlines()}",
    "upstream": upstream_contents,
}


def add(app: Sphinx, page: str, source: list[str]) -> None:
    """Add to a page's text what the study knows of it."""
    folder, _, name = page.partition("/")
    if page in ADDED:
        source[0] += "\n\n" + ADDED[page]() + "\n"
    elif folder == "papers":
        source[0] = with_captions(source[0]) + "\n\n" + paper_page(name, source[0]) + "\n"
    elif folder == "algorithms" and name in ALGORITHMS:
        source[0] += "\n\n" + played([name]) + "\n"
    elif folder == "ledger":
        (entry,) = [e for e in ledger().values() if e.path.with_suffix("").as_posix() == name]
        source[0] = entry_page(entry, citations()[entry.id])
    else:
        return
    for path in (REFERENCE, READINGS, ALT_TEXTS):
        app.env.note_dependency(path)


def write_report(app: Sphinx, error: Exception | None) -> None:
    """Write the report of the committed verdicts, which pages link to; it has no curves, since no runs are kept."""
    if error is None and app.builder.format == "html":
        write(gather(REFERENCE.parent, ROOT), Path(app.outdir) / REPORT)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what is added."""
    app.connect("source-read", add)
    app.connect("build-finished", write_report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
