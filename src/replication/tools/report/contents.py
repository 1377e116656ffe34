"""What the report shows.

It is gathered from the results at hand, the configuration, the published numbers and the ledger.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import yaml

from experiments.loading import read_paper
from replication.judging.claims import read_cells
from replication.judging.verdict_tables import Row, read, read_readings
from replication.tools.ledger import Entry, read_entries
from replication.tools.report.printed import Placed, Table, lay_out, tables_of

#: Prose about each paper, one file per slug.
PAPERS = Path("docs/papers")
#: What each figure shows, for those who do not see it, by paper and name.
ALT_TEXTS = Path("docs/figures.yaml")


@dataclass(frozen=True)
class Item:
    """A figure or table of the report.

    It has a name, a caption, what it shows in words, the experiments it reads, and the file to show.
    """

    name: str
    kind: str
    caption: str
    alt: str
    experiments: tuple[str, ...]
    path: Path


@dataclass(frozen=True)
class Printed:
    """A table as the paper prints it, with the claim of every cell."""

    table: Table
    grid: Sequence[Sequence[Placed | None]]


@dataclass(frozen=True)
class Paper:
    """What the report shows of one paper.

    It has slug, title, prose (Markdown), figures and tables, printed tables, and the experiments' curves by name.
    """

    slug: str
    title: str
    prose: str
    items: tuple[Item, ...]
    printed: tuple[Printed, ...]
    curves: Mapping[str, Path]


@dataclass(frozen=True)
class Verdict:
    """One row of the board.

    It has the verdict, its readings, the published claim, and the items of its experiment.
    """

    row: Row
    readings: tuple[Row, ...]
    claim: Row
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


def gather(folder: Path, root: Path = Path()) -> Contents:
    """Gather the contents of a report.

    Parameters
    ----------
    folder : Path
        Results of the study: ``results`` or ``results/quick``.
    root : Path
        The checkout's top folder.

    Raises
    ------
    OSError
        If a file is missing: results are gathered when the study is done. Logs may be missing; then the report has no
        times.
    TableError
        If a table of verdicts is damaged.
    PrintedError
        If a printed table has a cell without a claim.
    """
    quick = folder.name == "quick"
    rows, readings = read(folder / "verdicts.csv"), read_readings(folder / "verdict_readings.csv")
    slugs = list(dict.fromkeys(row["paper"] for row in rows.values()))
    figures = folder / "figures" if quick else root / "figures"
    published = {slug: read_cells(root / f"data/published/{slug}.csv") for slug in slugs}
    papers = tuple(_paper(slug, folder, figures, published[slug], root) for slug in slugs)
    claims = {row["claim_id"]: row for cells in published.values() for row in cells}
    shown_in = {p.slug: _shown_in(p.items) for p in papers}
    verdicts = tuple(
        Verdict(
            row,
            tuple(readings.get(claim, {}).values()),
            claims[claim],
            tuple(shown_in[row["paper"]][claims[claim]["experiment"]]),
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


def _paper(slug: str, folder: Path, figures: Path, published: Sequence[Row], root: Path) -> Paper:
    settings = read_paper(slug, root)
    alt = yaml.safe_load((root / ALT_TEXTS).read_text(encoding="utf-8")).get(slug, {})
    items = [
        Item(
            name,
            kind,
            entry["caption"],
            " ".join(alt.get(name, entry["caption"]).split()),
            tuple(entry.get("experiments", ())),
            path,
        )
        for kind, suffix in (("figure", "png"), ("table", "csv"))
        for name, entry in settings.get(f"{kind}s", {}).items()
        if (path := figures / slug / f"{name}.{suffix}").exists()  # what is on request, or no part of `quick`, is not
    ]
    prose = root / PAPERS / f"{slug}.md"
    curves = {name: folder / slug / name / "curves.parquet" for name in settings["experiments"]}
    return Paper(
        slug,
        settings["title"],
        _prose(prose.read_text(encoding="utf-8")),
        tuple(items),
        tuple(Printed(table, lay_out(table, published)) for table in tables_of(slug)),
        {name: path for name, path in curves.items() if path.exists()},
    )


def _prose(page: str) -> str:
    """A paper's page without its title, its headings one level further down, as they stand in the report."""
    _, _, text = page.partition("\n")
    return text.strip().replace("## ", "### ")


def _shown_in(items: Sequence[Item]) -> Mapping[str, list[str]]:
    """Names of the items that read an experiment."""
    found: dict[str, list[str]] = defaultdict(list)
    for item in items:
        for experiment in item.experiments:
            found[experiment].append(item.name)
    return found


def _provenance(folder: Path) -> dict[str, str]:
    """Read from the newest file of runs where it comes from; nothing where no runs are kept."""
    runs = list(folder.glob("*/*/runs.parquet"))
    if not runs:
        return {}
    newest = max(runs, key=lambda path: path.stat().st_mtime)
    metadata: dict[bytes, bytes] = pq.read_schema(newest).metadata
    return {key.decode(): value.decode() for key, value in metadata.items() if key in _SHOWN}


_SHOWN = (b"git_commit", b"package_versions")
