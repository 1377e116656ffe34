"""The committed verdicts of the study at published scale, and what the README shows of them.

``python -m replication.tools.reference`` (`make reference`) takes them from ``results/`` after a full run.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from replication.judging.verdict_tables import NOT_RUN, overview
from replication.pipeline.atomic import whole
from replication.pipeline.files import content_digest

FOLDER = Path("data/reference")
VERDICTS, SUMMARY, DIGESTS = "verdicts.csv", "verdicts.md", "digests.csv"
README = Path("README.md")
PUBLISHED = Path("data/published")
BEGIN, END = "<!-- verdicts: made by make reference -->\n", "<!-- /verdicts -->\n"


class NoReferenceError(Exception):
    """What is at hand cannot be the reference; in one line."""


def read_verdicts(path: str | Path) -> dict[str, dict[str, str]]:
    """The rows of a table of verdicts by claim, in order."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        return {row["claim_id"]: row for row in csv.DictReader(file)}


def read_digests(path: str | Path) -> dict[str, str]:
    """Digest of the content of every tidy table and stage table, by its path in the results."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        return {row["table"]: row["digest"] for row in csv.DictReader(file)}


def digests(results: Path) -> dict[str, str]:
    """As `read_digests`, of results at hand; the runs themselves are left out: tidy tables follow from them."""
    tables = (path for path in results.glob("*/*/*.parquet") if path.parts[-3] != "quick")
    return {path.relative_to(results).as_posix(): content_digest(path) for path in sorted(tables)}


def shown(text: str, rows: Sequence[Mapping[str, str]], published: Sequence[str]) -> str:
    """The README with the counts of verdicts between its two marks, and which of the ``published`` papers lack them.

    Raises
    ------
    NoReferenceError
        If the marks are not there.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise NoReferenceError(f"{README}: no lines {BEGIN.strip()!r} and {END.strip()!r} for the counts")
    lacking = [paper for paper in published if paper not in {row["paper"] for row in rows}]
    note = f"Not run at published scale since its claims changed: {', '.join(lacking)}.\n\n" if lacking else ""
    return before + begin + "\n" + overview(rows) + "\n\n" + note + end + after


def published_papers(folder: Path = PUBLISHED) -> list[str]:
    """Slugs of the papers that publish claims: their tables have more than a header."""
    return sorted(path.stem for path in folder.glob("*.csv") if len(path.read_text(encoding="utf-8").splitlines()) > 1)


def make(results: Path) -> int:
    """Take the results at hand as the reference; returns the number of verdicts.

    Raises
    ------
    NoReferenceError
        If a claim was left out: the reference is the study at published scale.
    OSError
        If results are missing or damaged.
    """
    rows = read_verdicts(results / VERDICTS)
    left_out = [claim for claim, row in rows.items() if row["why"].startswith(NOT_RUN)]
    if left_out:
        raise NoReferenceError(f"{results / VERDICTS}: {left_out[0]} was left out; expected the whole study")
    readme = shown(README.read_text(encoding="utf-8"), list(rows.values()), published_papers())
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in (VERDICTS, SUMMARY):
        with whole(FOLDER / name) as temporary:
            shutil.copyfile(results / name, temporary)
    with whole(FOLDER / DIGESTS) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("table", "digest"))
        papers = {row["paper"] for row in rows.values()}
        writer.writerows(item for item in digests(results).items() if item[0].split("/")[0] in papers)
    with whole(README) as temporary:
        temporary.write_text(readme, encoding="utf-8", newline="\n")
    return len(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the reference; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.reference", description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder of the results (results)")
    options = parser.parse_args(arguments)
    try:
        count = make(options.results)
    except (OSError, NoReferenceError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    print(f"{FOLDER}: {count} verdicts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
