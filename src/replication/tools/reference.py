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
from replication.judging.judges import Why
from replication.judging.scale import SCALE, limits
from replication.judging.verdict_tables import TableError, read

FOLDER = Path("data/reference")
#: The folder of a run's results; those of a small run are below it.
RESULTS = Path("results")
VERDICTS, READINGS, SUMMARY, DIGESTS = "verdicts.csv", "verdict_readings.csv", "verdicts.md", "digests.csv"
PUBLISHED = Path("data/published")
FIGURES = Path("figures")


class NoReferenceError(Exception):
    """These results cannot become the reference, or there are none; in one line."""


def read_digests(path: str | Path) -> dict[str, str]:
    """Read the digests of all tables (tidy tables and stage tables), keyed by path.

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
    if header != ["table", "digest"] or any(len(row) != len(header) for row in rows):
        raise TableError(f"{path}: expected the columns table,digest and two cells in each row")
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


def write_digests(found: Mapping[str, str], path: Path) -> None:
    """Write a table of digests atomically, in the form that `read_digests` reads."""
    with whole(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("table", "digest"))
        writer.writerows(found.items())


def published_papers(folder: Path = PUBLISHED) -> list[str]:
    """Return the slugs of the papers that have claims: their tables have more than a header."""
    return sorted(path.stem for path in folder.glob("*.csv") if len(path.read_text(encoding="utf-8").splitlines()) > 1)


def make(results: Path) -> int:
    """Make the current results the reference; return the number of verdicts.

    Raises
    ------
    NoReferenceError
        If the study was smaller than at published scale or left a claim out.
    TableError, OSError
        If results are missing or damaged.
    """
    if less := limits(results):
        raise NoReferenceError(f"{results / SCALE}: {less}; expected the study at published scale")
    rows = read(results / VERDICTS)
    left_out = [claim for claim, row in rows.items() if row["why"] == Why.NOT_RUN]
    if left_out:
        raise NoReferenceError(f"{results / VERDICTS}: {left_out[0]} was left out; expected the whole study")
    papers = {row["paper"] for row in rows.values()}
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in (VERDICTS, READINGS, SUMMARY):
        with whole(FOLDER / name) as temporary:
            shutil.copyfile(results / name, temporary)
    tables = {table: digest for table, digest in digests(results).items() if table.split("/")[0] in papers}
    write_digests(tables | figure_digests(papers), FOLDER / DIGESTS)
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
