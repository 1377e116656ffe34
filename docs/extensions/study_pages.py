"""Add to pages, as they are read, what the study computes: verdicts, tables, figures and their code, ledger, lists.

Prose is in the page's own file, which also reads well on a Git host. Computed content is added here, from
data/reference, figures/, the configuration and the ledger, so that none of it is typed. A paper's page shows figures in
its text, as pictures, which get their captions here. The page also gets its verdicts, the figures that its text does
not show, and a list of its ledger entries; the arena's page gets its tables, and an algorithm's page the places where
it is played. What a Git host can only link to is shown here: the pages that an index lists become its table of
contents, and a link to a file that is a paragraph of its own becomes the file.
"""

from __future__ import annotations

import csv
import functools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from sphinx.application import Sphinx

from causal_bandits.policies.registry import ALGORITHMS
from experiments.config import read_paper
from experiments.settings import selection
from replication.judging.verdict_tables import (
    Row,
    faults,
    overview,
    read,
    read_readings,
)
from replication.tools.ledger import Entry, read_entries
from replication.tools.report.contents import gather, numbers_of
from replication.tools.report.page import write

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "data/reference/verdicts.csv"
READINGS = ROOT / "data/reference/verdict_readings.csv"
PUBLISHED = ROOT / "data/published"
#: What each figure shows, for those who cannot see it: docs/figures.yaml, by paper and name.
ALT_TEXTS = ROOT / "docs/figures.yaml"
#: The report of the committed verdicts, next to the first page.
REPORT = "report.html"
#: The arena has a page, figures and tables like a paper, but no claims, and its own folder.
ARENA = "arena"


class PageError(ValueError):
    """A page that cannot be made; the message names the file and what was expected."""


# The content of the pages.


def slugs() -> list[str]:
    """Return the papers of the study's configuration, in its order."""
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    return list(config["papers"])


@functools.cache
def ledger() -> Mapping[str, Entry]:
    """Read all entries of the ledger by id."""
    return read_entries(ROOT)


@functools.cache
def reference() -> list[dict[str, str]]:
    """Read the committed verdicts."""
    return list(read(REFERENCE).values())


@functools.cache
def readings() -> Mapping[str, Mapping[str, Row]]:
    """Read the committed verdicts under each reading, by claim and reading; nothing before the next full run."""
    return read_readings(READINGS) if READINGS.is_file() else {}


@functools.cache
def alt_texts() -> dict[str, dict[str, str]]:
    """Read the description of each figure by paper and name."""
    return dict(yaml.safe_load(ALT_TEXTS.read_text(encoding="utf-8")))


@functools.cache
def settings(slug: str) -> dict[str, Any]:
    """Read the configuration of a paper, or of the arena."""
    return read_paper(slug, ROOT, "src/arena/config/{paper}.yaml") if slug == ARENA else read_paper(slug, ROOT)


def home(slug: str) -> str:
    """Return the folder of a paper's committed figures and tables, relative to the top folder."""
    return f"src/arena/figures/{slug}" if slug == ARENA else f"figures/{slug}"


@functools.cache
def figures(slug: str) -> dict[str, dict[str, Any]]:
    """Return the figures of a paper's configuration by name."""
    return dict(settings(slug).get("figures", {}))


def alt_text(slug: str, name: str) -> str:
    """Return what a figure shows, in words.

    Raises
    ------
    PageError
        If there is no description.
    """
    text = alt_texts().get(slug, {}).get(name)
    if not text:
        raise PageError(
            f"docs/figures.yaml: {slug}: {name}: missing; expected what the figure shows, in a sentence or two"
        )
    return " ".join(text.split())


def escaped(text: str) -> str:
    """Escape text so that Markdown shows it as it is, also in a table cell."""
    for mark in "\\`*_{}[]<>$|#~":
        text = text.replace(mark, "\\" + mark)
    return " ".join(text.split())


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, whose cells are already Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def folded(summary: str, body: str) -> str:
    """Return a part of a page that opens on request, without scripts."""
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


# The pages.


#: A figure of a paper in the text of its page: a picture in a paragraph of its own.
PICTURE = re.compile(
    r"^!\[(?P<alt>[^\]]*)\]\(\.\./\.\./(?:src/arena/)?figures/(?P<slug>\w+)/(?P<name>\w+)\.png\)$", re.MULTILINE
)


def with_captions(text: str) -> str:
    """Return a paper's page with the caption from its configuration under each figure."""

    def captioned(found: re.Match[str]) -> str:
        slug, name = found["slug"], found["name"]
        return figure(slug, name, figures(slug)[name], f"../../{home(slug)}/{name}.png")

    return PICTURE.sub(captioned, text)


def paper_page(slug: str, text: str) -> str:
    """Return what follows a paper's prose: verdicts, the arena's tables, other figures, entries of the ledger."""
    apart = tables(slug) if slug == ARENA else []
    others = shown(slug, {found["name"] for found in PICTURE.finditer(text)})
    judged = [verdicts(slug)] if slug in slugs() else []
    parts = {"Verdicts": judged, "Tables": apart, "Other figures": others, "Ledger": [entries_of(slug)]}
    return "\n\n".join(text for heading, body in parts.items() if body for text in (f"## {heading}", *body))


def verdicts(slug: str) -> str:
    """Return the counts of a paper's committed verdicts, and a link to all of them in the report."""
    rows = [row for row in reference() if row["paper"] == slug]
    if not rows:
        return "Not run at published scale since its claims changed."
    parts = [
        "Of the committed run at published scale (`data/reference/verdicts.csv`); "
        "[what the words mean](../guide/verdicts.md).",
        f"{overview(rows)}\n\n{faults(rows)}",
    ]
    address = f"../{REPORT}#verdicts?paper={slug}"
    parts.append(f'<p><a href="{address}">All {len(rows)} verdicts, each with its reason and readings</a></p>')
    return "\n\n".join(parts)


def tables(slug: str) -> list[str]:
    """Return the committed tables of a paper, each under its caption."""
    found = []
    for name, item in settings(slug).get("tables", {}).items():
        with (ROOT / home(slug) / f"{name}.csv").open(newline="", encoding="utf-8") as file:
            header, *rows = ([escaped(cell) for cell in row] for row in csv.reader(file))
        found.append(folded(f"{name}: {escaped(item['caption'])}", table(header, rows)))
    return found


def shown(slug: str, besides: Collection[str]) -> list[str]:
    """Return the figures of a paper ``besides`` those that its text shows, each with its caption."""
    return [
        figure(slug, name, item, f"../../{home(slug)}/{name}.png")
        for name, item in figures(slug).items()
        if name not in besides
    ]


def figure(slug: str, name: str, item: Mapping[str, Any], path: str) -> str:
    """Return one figure as Markdown, or where it comes from if it is not committed."""
    if not (ROOT / home(slug) / f"{name}.png").exists():
        how = " It is made on request." if item.get("when") == "asked" else ""
        return f"`{slug}_{name}`, not among the committed figures.{how} {escaped(item['caption'])}"
    snakefile = "--snakefile src/arena/Snakefile " if slug == ARENA else ""
    tables = [table for table in numbers_of(name, settings(slug)) if (ROOT / home(slug) / f"{table}.csv").exists()]
    files = [f"[{table}.csv]({path.rpartition('/')[0]}/{table}.csv)" for table in tables]
    numbers = f" Numbers of these runs: {', '.join(files)}." if files else ""
    caption = f"{escaped(item['caption'])}{numbers} Made by `snakemake {snakefile}--cores 2 {slug}_{name}`."
    return f"```{{figure}} {path}\n:alt: {alt_text(slug, name)}\n\n{caption}\n```"


def entries_of(slug: str) -> str:
    """Return a table of a paper's ledger entries, including those about several papers whose place mentions it."""
    found = [entry for entry in ledger().values() if slug == entry.page or slug in entry.place]
    rows = [
        [cell.replace("|", r"\|") for cell in (f"[{e.id}](../ledger/{e.address})", e.title, e.place)] for e in found
    ]
    return table(("id", "what", "where the paper says it"), rows)


def played(algorithm: str) -> str:
    """Return where an algorithm is played: figures, tables and number of claims per paper, as reStructuredText."""
    found = []
    for slug in [*slugs(), ARENA]:
        names, count = _shows(slug).get(algorithm, []), 0 if slug == ARENA else _claims(slug)[algorithm]
        if names or count:
            claims = f"; claims that name it: {count}" if count else ""
            found.append(f"- :doc:`{slug} </papers/{slug}>`: {', '.join(names)}{claims}")
    return "Where it is played\n------------------\n\n" + ("\n".join(found) or "In tests alone.")


@functools.cache
def _shows(slug: str) -> Mapping[str, Sequence[str]]:
    """Return the figures and tables of a paper by the algorithms of the experiments that they read."""
    paper, found = settings(slug), defaultdict(list)
    for section in ("figures", "tables"):
        for name, item in paper.get(section, {}).items():
            experiments = (paper["experiments"][experiment] for experiment in item.get("experiments", []))
            for algorithm in sorted({entry["algorithm"] for e in experiments for entry in e["policies"].values()}):
                found[algorithm].append(name)
    return found


@functools.cache
def _claims(slug: str) -> Counter[str]:
    """Count the claims of a paper that name an algorithm as the one judged, or as the one it is compared with."""
    with (PUBLISHED / f"{slug}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    named: Counter[str] = Counter()
    for row in rows:
        texts = [row[key] for key in ("policy", "against") if row[key]]
        named.update(
            {str(selection(text, slug)["algorithm"]) for text in texts if "algorithm" in selection(text, slug)}
        )
    return named


def contents(pages: Iterable[str], caption: str = "") -> str:
    """Return a table of contents for the navigation, with a caption if there is one."""
    options = ":hidden:\n" + (f":caption: {caption}\n" if caption else "")
    return f"```{{toctree}}\n{options}\n" + "\n".join(pages) + "\n```"


#: A link to a page in the same folder, or in one below it.
_LINK = re.compile(r"\]\((?P<page>[a-z0-9_][\w/-]*)\.(?:md|rst)(?:#[\w-]+)?\)", re.IGNORECASE)


def listed(text: str) -> str:
    """Return an index with tables of contents of the pages that it links to, each under the heading of its links."""
    parts, found = re.split(r"^(?=## )", text, flags=re.MULTILINE), set[str]()
    for number, part in enumerate(parts):
        pages = [page for page in dict.fromkeys(link["page"] for link in _LINK.finditer(part)) if page not in found]
        found.update(pages)
        if pages:
            caption = part.partition("\n")[0].removeprefix("## ") if number else ""
            parts[number] = f"{part.rstrip()}\n\n{contents(pages, caption)}\n\n"
    return "".join(parts)


#: A link to a script, or to a page outside the documentation, as a paragraph of its own.
_FILE = re.compile(
    r"(?<=\n\n)\[[^\]]+\]\((?P<path>(?:(?:\.\./)*[\w./-]+\.(?P<kind>py|sh|yaml))|\.\./\.\./[\w/]+\.md)\)(?=\n\n|\n*\Z)"
)
_LANGUAGES = {"py": "python", "sh": "sh", "yaml": "yaml"}
#: The board, once for each theme.
_BOARD = re.compile(
    r'<picture>\s*<source [^>]*srcset="(?P<dark>[^"]+)">\s*<img alt="(?P<alt>[^"]+)" src="(?P<light>[^"]+)"[^>]*>\s*'
    r"</picture>"
)


def with_files(text: str) -> str:
    """Return a page with the contents of files that are linked in their own paragraphs, and a picture per theme."""

    def file(found: re.Match[str]) -> str:
        if not found["kind"]:
            return f"```{{include}} {found['path']}\n:start-line: 1\n```"
        return f"```{{literalinclude}} {found['path']}\n:language: {_LANGUAGES[found['kind']]}\n```"

    def picture(found: re.Match[str]) -> str:
        themes = (
            f"```{{image}} {found[theme]}\n:alt: {found['alt']}\n:class: only-{theme}\n```"
            for theme in ("light", "dark")
        )
        return "\n\n".join(themes)

    return _BOARD.sub(picture, _FILE.sub(file, text))


#: The parts of the documentation, in the order of the first page's table of contents.
PARTS = ("guide/index", "tutorials/index", "algorithms/index", "papers/index", "ledger/README", "api/index", "upstream")
#: Pages whose lists of links are tables of contents.
INDEXES = (
    "guide/index",
    "tutorials/index",
    "algorithms/index",
    "papers/index",
    "authors/index",
    "ledger/README",
    "upstream",
)
#: Search terms, by the page that explains them; other pages use them more often.
KEYWORDS = {
    "index": ("quickstart", "getting started"),
    "papers/lee2019": ("POMIS", "POMIS+"),
    "papers/lu2021": ("CN-UCB",),
    "papers/huang2022": ("D-UCB", "F-UCB"),
    "papers/xiong2023": ("CCPE-General", "CCPE-BGLM"),
    "papers/huang2024": ("LinUCB-PCB",),
}


#: A link to an algorithm's file, or to the folder of its kind, which a Git host shows.
_SOURCE = re.compile(r"\]\(\.\./\.\./src/causal_bandits/policies/(?P<kind>\w+)(?:/(?P<name>\w+)\.py)?\)")


#: A link to a folder, or to a page of Markdown, that is not part of the documentation.
_ELSEWHERE = re.compile(r"\[(?P<text>[^\[\]]+)\]\(\.\./\.\./(?P<path>(?!data/|docs/)(?:[\w./]+\.md|[\w/]+))\)")


def to_pages(text: str) -> str:
    """Return a page whose links to files of algorithms lead to the pages that are made from these files.

    A link out of the documentation, to something that no page shows, is replaced by its path.
    """
    text = _SOURCE.sub(
        lambda link: f"](../algorithms/{link['name']}.rst)" if link["name"] else f"](#{link['kind']})", text
    )
    return _ELSEWHERE.sub(
        lambda link: f"`{link['path']}`" if link["text"] == link["path"] else f"{link['text']} (`{link['path']}`)", text
    )


def add(app: Sphinx, page: str, source: list[str]) -> None:
    """Add to a page's text what the study knows about it."""
    folder, _, name = page.partition("/")
    text = to_pages(with_files(source[0]))
    if page == "index":
        text = text.replace("\n- **", "\n{.doors}\n- **", 1) + "\n" + contents([*PARTS, "authors/index"]) + "\n"
    elif page in INDEXES:
        text = listed(text.replace(f"](../{folder}/", "]("))
    elif folder == "papers":
        text = with_captions(text) + "\n\n" + paper_page(name, text) + "\n"
    elif folder == "algorithms" and name in ALGORITHMS:
        text += "\n\n" + played(name) + "\n"
    if page in KEYWORDS:
        title, _, rest = text.partition("\n")
        text = f"{title}\n\n```{{index}} {', '.join(f'! {word}' for word in KEYWORDS[page])}\n```\n{rest}"
    source[0] = text
    for path in (REFERENCE, READINGS, ALT_TEXTS):
        app.env.note_dependency(path)


def write_algorithms(app: Sphinx) -> None:
    """Write a page for each algorithm, from its class's docstring."""
    for name, path in ALGORITHMS.items():
        of_class = path.partition(":")[2]
        text = (
            f"{of_class}\n{'=' * len(of_class)}\n\nConfiguration files name it ``{name}``.\n\n"
            f".. currentmodule:: causal_bandits.policies\n.. autoclass:: {of_class}\n   :members:\n"
        )
        page = ROOT / f"docs/algorithms/{name}.rst"
        if not page.exists() or page.read_text(encoding="utf-8") != text:  # an untouched page is not built again
            page.write_text(text, encoding="utf-8")


def write_report(app: Sphinx, error: Exception | None) -> None:
    """Write the report of the committed verdicts, which pages link to; it has no curves, since no runs are kept."""
    if error is None and app.builder.format == "html":
        write(gather(REFERENCE.parent, ROOT), Path(app.outdir) / REPORT)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the steps that add to pages."""
    app.connect("builder-inited", write_algorithms)
    app.connect("source-read", add)
    app.connect("build-finished", write_report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
