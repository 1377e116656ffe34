"""The contents of the report.

They are gathered from the newest results, the configuration, the published numbers and the ledger.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from experiments.config import Home, home_of, read_paper
from experiments.drawing.looks import Look
from replication.judging.claims import Final, claims_of, module_of
from replication.judging.claims import Printed as PrintedClaim
from replication.judging.claims import read as read_printed
from replication.judging.confirmation import beside, other_runs
from replication.judging.matrix import Matrix, matrix
from replication.judging.verdict_tables import Row, read, read_readings
from replication.tools import pages, reference
from replication.tools.ledger import Entry, read_entries
from replication.tools.report.printed import Placed, Table, lay_out, tables_of

#: Prose about each paper, one file per slug.
PAPERS = Path("docs/papers")
#: What each figure shows, for those who cannot see it, by paper and name.
ALT_TEXTS = Path("docs/figures.yaml")


@dataclass(frozen=True)
class Item:
    """A figure or table of the report.

    It has a name, a caption, what it shows in words, the experiments it reads, the file to show, and, if it is a
    figure, the names of the tables with numbers from the same runs.
    """

    name: str
    kind: str
    caption: str
    alt: str
    experiments: tuple[str, ...]
    path: Path
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Printed:
    """A table as the paper prints it, with the claim of every cell."""

    table: Table
    grid: Sequence[Sequence[Placed | None]]


@dataclass(frozen=True)
class Paper:
    """What the report shows of one paper.

    It has a slug, a title, authors and venue, the outcome in a sentence, prose (Markdown), figures and tables, printed
    tables, the experiments' curves by name, with the names and looks of policies in the paper's figures, and its
    headlines under every reading.
    """

    slug: str
    title: str
    named: pages.Paper
    outcome: str
    prose: str
    items: tuple[Item, ...]
    printed: tuple[Printed, ...]
    curves: Mapping[str, Path]
    looks: Mapping[str, Look]
    matrix: Matrix | None


@dataclass(frozen=True)
class Verdict:
    """One published claim and what became of it.

    Attributes
    ----------
    row : mapping
        The verdict.
    committed : mapping or None
        The committed verdict, in the report of a small study.
    readings, quote, items
        The verdict under each reading, the paper's own words, and the figures and tables that show its experiments.
    """

    row: Row
    committed: Row | None
    readings: tuple[Row, ...]
    quote: str
    items: tuple[str, ...]


@dataclass(frozen=True)
class Contents:
    """Everything that the page shows.

    Attributes
    ----------
    small : bool
        Whether the results are those of `make quick`. The papers' texts describe the study at published scale.
    """

    small: bool
    papers: tuple[Paper, ...]
    verdicts: tuple[Verdict, ...]
    ledger: Mapping[str, Entry]
    provenance: Mapping[str, str]


def gather(folder: Path, root: Path = Path(), own: Sequence[Home] = ()) -> Contents:
    """Gather the contents of a report.

    Parameters
    ----------
    folder : Path
        Results of the study: ``results`` or ``results/quick``.
    root : Path
        The checkout's top folder.
    own : sequence of Home
        Papers in folders of their own whose results these are, too.

    Raises
    ------
    OSError
        If a file is missing: results are gathered when the study is done.
    TableError
        If a table of verdicts is damaged.
    PrintedError
        If a printed table has a cell without a claim.
    PageError
        If data/published/papers.yaml lacks a paper.
    """
    quick = folder.name == "quick"
    rows, readings = read(folder / "verdicts.csv"), read_readings(folder / "verdict_readings.csv")
    slugs = list(dict.fromkeys(row["paper"] for row in rows.values()))
    figures = (folder if quick else folder.parent) / "figures"
    homes = {slug: home_of(slug, root) for slug in slugs} | {home.slug: home for home in own}
    published = {slug: read_printed(home.root / home.published) for slug, home in homes.items()}
    others = other_runs(root)
    committed = beside(read(root / reference.FOLDER / reference.VERDICTS), others) if quick else {}
    rows = beside(rows, {} if quick else others)
    whole = list((committed or rows).values())  # outcomes in sentences are those at published scale
    papers = tuple(
        _paper(
            paper,
            [row for row in whole if row["paper"] == paper.slug],
            folder,
            figures,
            list(published[paper.slug].values()),
            root,
            matrix([row for row in rows.values() if row["paper"] == paper.slug], readings, claims_of(paper.slug)),
            homes[paper.slug],
        )
        for paper in [
            *pages.read_papers(root, [slug for slug in slugs if not homes[slug].own]),
            *(_unpresented(home) for home in own),
        ]
    )
    shown_in = {p.slug: _shown_in(p.items) for p in papers}
    read_by = {
        id_: dict.fromkeys(final.experiment for final in claim.reads(Final))
        for slug in homes
        for id_, claim in claims_of(slug).items()
    }
    verdicts = tuple(
        Verdict(
            row,
            committed.get(claim),
            tuple(readings.get(claim, {}).values()),
            printed.quote if (printed := published[row["paper"]].get(claim)) else "",
            tuple(name for experiment in read_by.get(claim, ()) for name in shown_in[row["paper"]][experiment]),
        )
        for claim, row in rows.items()
    )
    return Contents(
        small=quick,
        papers=papers,
        verdicts=verdicts,
        ledger=read_entries(root),
        provenance=_provenance(folder),
    )


def _unpresented(home: Home) -> pages.Paper:
    """Return how a paper in a folder of its own is presented: by its title alone."""
    empty = dict.fromkeys(("venue", "about", "claim", "found", "outcome"), "")
    return pages.Paper(home.slug, authors=read_paper(home)["title"], links={}, **empty)


def _paper(
    named: pages.Paper,
    rows: Sequence[Row],
    folder: Path,
    figures: Path,
    published: Sequence[PrintedClaim],
    root: Path,
    story: Matrix | None,
    home: Home,
) -> Paper:
    slug = named.slug
    settings = read_paper(home)
    alt = yaml.safe_load((root / ALT_TEXTS).read_text(encoding="utf-8")).get(slug, {})
    items = [
        Item(
            name,
            kind,
            entry["caption"],
            " ".join(alt.get(name, entry["caption"]).split()),
            tuple(entry.get("experiments", ())),
            path,
            tuple(table for table in numbers_of(name, settings) if (figures / slug / f"{table}.csv").exists())
            if kind == "figure"
            else (),
        )
        for kind, suffix in (("figure", "png"), ("table", "csv"))
        for name, entry in settings.get(f"{kind}s", {}).items()
        if (path := figures / slug / f"{name}.{suffix}").exists()  # missing: on request, or not in `quick`
    ]
    prose = root / PAPERS / f"{slug}.md"
    curves = {name: folder / slug / name / "curves.parquet" for name in settings["experiments"]}
    return Paper(
        slug,
        settings["title"],
        named,
        pages.sentence(named, rows),
        _prose(prose.read_text(encoding="utf-8")) if prose.exists() else "",
        tuple(items),
        tuple(Printed(table, lay_out(table, published)) for table in tables_of(slug)),
        {name: path for name, path in curves.items() if path.exists()},
        looks_of(slug),
        story,
    )


def numbers_of(figure: str, settings: Mapping[str, Any]) -> list[str]:
    """List the tables that read all experiments of a figure; only the table with the figure's name if there is one."""
    tables = settings.get("tables", {})
    read = set(settings["figures"][figure].get("experiments", ()))
    same = [name for name, table in tables.items() if read and read <= set(table.get("experiments", ()))]
    return [figure] if figure in tables else same


def looks_of(slug: str) -> Mapping[str, Look]:
    """Return what a paper's figures call the policies, and how they draw them."""
    looks: Mapping[str, Look] = getattr(module_of(slug, "policies"), "POLICIES", {})
    return looks


def _prose(page: str) -> str:
    """Return a paper's page from its first heading on, one level down; what comes before is shown elsewhere."""
    _, heading, text = page.partition("\n## ")
    return f"{heading}{text}".strip().replace("## ", "### ")


def _shown_in(items: Sequence[Item]) -> Mapping[str, dict[str, None]]:
    """Return the names of items by the experiment that they read; a figure and a table of one name count once."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for item in items:
        for experiment in item.experiments:
            found[experiment][item.name] = None
    return found


def _provenance(folder: Path) -> dict[str, str]:
    """Read where the newest file of runs comes from; nothing if no runs are kept."""
    runs = list(folder.glob("*/*/runs.parquet"))
    if not runs:
        return {}
    newest = max(runs, key=lambda path: path.stat().st_mtime)
    metadata: dict[bytes, bytes] = pq.read_schema(newest).metadata
    shown = {key.decode(): value.decode() for key, value in metadata.items() if key in _SHOWN}
    if "package_versions" in shown:
        versions = json.loads(shown["package_versions"])
        shown["package_versions"] = ", ".join(f"{package} {version}" for package, version in versions.items())
    return shown


_SHOWN = (b"git_commit", b"package_versions")
