"""The committed verdicts of the study at published scale.

``python -m replication.tools.reference`` (`make reference`) copies them from ``results/`` after a full run.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import shutil
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from experiments.files import content_digest, whole
from replication.judging.claims import read_cells
from replication.judging.generic import judges_of
from replication.judging.judges import Because
from replication.judging.scale import SCALE, limits
from replication.judging.verdict_tables import TableError, read
from replication.tools.terms import came_and_went, terms, unmarked

FOLDER = Path("data/reference")
#: The folder of a run's results; those of a small run are below it.
RESULTS = Path("results")
VERDICTS, READINGS, SUMMARY, DIGESTS = "verdicts.csv", "verdict_readings.csv", "verdicts.md", "digests.csv"
#: The table of digests of every claim's terms, and the header of its first column.
TERMS, CLAIM = "terms.csv", "claim_id"
PUBLISHED = Path("data/published")
FIGURES = Path("figures")


class NoReferenceError(Exception):
    """These results cannot become the reference, or there are none; in one line."""


def read_digests(path: str | Path, of: str = "table") -> dict[str, str]:
    """Read the digests of all tables, keyed by path, or of the terms of all claims, keyed by claim.

    Tables of results are tidy tables and stage tables. ``of`` is the header of the first column.

    Raises
    ------
    TableError
        If the file is not a table of digests.
    """
    try:
        with Path(path).open(newline="", encoding="utf-8") as file:
            header, *rows = list(csv.reader(file)) or [[]]
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableError(f"{path}: {error}") from None
    if header != [of, "digest"] or any(len(row) != len(header) for row in rows):
        raise TableError(f"{path}: expected the columns {of},digest and two cells in each row")
    return {name: digest for name, digest in rows}


def digests(results: Path) -> dict[str, str]:
    """Compute the digests of the tables of the current results and of figures/, by path.

    The runs themselves are left out, since tidy tables follow from them.
    """
    tables = (p for p in results.glob("*/*/*.parquet") if p.parts[-3] != "quick" and p.name != "runs.parquet")
    return {path.relative_to(results).as_posix(): content_digest(path) for path in sorted(tables)}


def figure_digests(papers: Collection[str]) -> dict[str, str]:
    """Digest the bytes of every table under figures/ of these papers, by path."""
    tables = sorted(path for path in FIGURES.glob("*/*.csv") if path.parent.name in papers)
    return {path.as_posix(): hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest() for path in tables}


def write_digests(found: Mapping[str, str], path: Path, of: str = "table") -> None:
    """Write a table of digests atomically, in the form that `read_digests` reads."""
    with whole(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((of, "digest"))
        writer.writerows(found.items())


def published_papers(folder: Path = PUBLISHED) -> list[str]:
    """Return the slugs of the papers that have claims: their tables have more than a header."""
    return sorted(path.stem for path in folder.glob("*.csv") if len(path.read_text(encoding="utf-8").splitlines()) > 1)


def terms_of(papers: Collection[str], root: Path) -> dict[str, str]:
    """Digest the terms of every claim of these papers, and print which claims are new and which are gone.

    Raises
    ------
    NoReferenceError
        If terms changed since the reference in this checkout was made, and the claim's cell ``in_view`` is empty or
        unchanged.
    """
    now: dict[str, str] = {}
    for paper in sorted(papers):
        now |= terms(paper, judges_of(paper), root / PUBLISHED, root)
    path = root / FOLDER / TERMS
    before = read_digests(path, CLAIM) if path.exists() else {}
    cells = [row for paper in papers for row in read_cells(root / PUBLISHED / f"{paper}.csv")]
    marks_before = {claim: row["in_view"] for claim, row in read(root / FOLDER / VERDICTS).items()} if before else {}
    changed = unmarked(before, now, marks_before, {row["claim_id"]: row["in_view"] for row in cells})
    if changed:
        raise NoReferenceError(
            f"{changed[0]}: its cells, readings, experiments or the numbers of its judge changed after the reference "
            "was made, but its cell in_view did not; expected a ledger entry there, and what the other choice gives"
        )
    if before and (changes := came_and_went(before, now)):
        print(changes)
    return now


def make(results: Path) -> int:
    """Make the current results the reference; return the number of verdicts.

    Raises
    ------
    NoReferenceError
        If the study was smaller than at published scale or left a claim out, or as for `terms_of`.
    TableError, OSError
        If results are missing or damaged.
    """
    if less := limits(results):
        raise NoReferenceError(f"{results / SCALE}: {less}; expected the study at published scale")
    rows = read(results / VERDICTS)
    left_out = [claim for claim, row in rows.items() if row["because"] == Because.NOT_RUN]
    if left_out:
        raise NoReferenceError(f"{results / VERDICTS}: {left_out[0]} was left out; expected the whole study")
    papers = {row["paper"] for row in rows.values()}
    fixed = terms_of(papers, Path())
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in (VERDICTS, READINGS, SUMMARY):
        with whole(FOLDER / name) as temporary:
            shutil.copyfile(results / name, temporary)
    tables = {table: digest for table, digest in digests(results).items() if table.split("/")[0] in papers}
    write_digests(tables | figure_digests(papers), FOLDER / DIGESTS)
    write_digests(fixed, FOLDER / TERMS, CLAIM)
    return len(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the reference; return the exit status."""
    argparse.ArgumentParser(prog="python -m replication.tools.reference", description=__doc__).parse_args(arguments)
    try:
        count = make(RESULTS)
    except (OSError, NoReferenceError, TableError) as error:
        print(f"reference: {error}", file=sys.stderr)
        return 1
    print(f"{FOLDER}: {count} verdicts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
