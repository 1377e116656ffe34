"""Summarise a finished run: outcomes per paper, and where to find everything.

``python -m replication.tools.summary`` prints the summary for the newest verdicts.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from experiments.settings import ConfigError
from replication.judging.claims import FAMILIES
from replication.judging.verdict_tables import Row, TableError, counts, held, read
from replication.tools.reference import NoReferenceError
from replication.tools.verify import at_hand, verify, without_reference


def summary(results: Path, figures: Path, own: Sequence[str] = ()) -> list[str]:
    """Return the lines of the summary, at most 15.

    Parameters
    ----------
    results : Path
        The folder that contains ``verdicts.csv``.
    figures : Path
        The folder of figures and tables.

    Raises
    ------
    TableError, OSError
        If the table of verdicts is missing or damaged.
    """
    rows = list(read(results / "verdicts.csv").values())
    lines = ["", "".join([f"{'hold':10}", *(f"{family:>{len(family) + 3}}" for family in FAMILIES)])]
    for paper in dict.fromkeys(row["paper"] for row in rows):
        found = counts(row for row in rows if row["paper"] == paper)
        cells = (f"{held(of):>{len(family) + 3}}" for family, of in found.items())
        lines.append("".join([f"{paper:10}", *cells]).rstrip())
    lines += ["", _compared(results, rows), f"verdicts: {results / 'verdicts.md'}"]
    report = f"python -m replication.tools.report --papers {' '.join(own)}" if own else "make report"
    return [*lines, f"figures and tables: {figures}/", f"next: {report}"]


def _compared(results: Path, rows: Sequence[Row]) -> str:
    """Say in a line what a comparison with the committed verdicts gives."""
    if not rows:
        return "no claims yet: compared with nothing"
    try:
        if set(new := without_reference(rows)) == {row["paper"] for row in rows}:
            return f"{', '.join(new)}: no committed verdicts, compared with nothing"
        _, agrees = verify(results)
    except (OSError, ConfigError, NoReferenceError, TableError) as error:
        return f"not compared with the whole study's verdicts: {' '.join(str(error).split())}"
    return (
        "nothing contradicts the whole study's verdicts"
        if agrees
        else "some verdicts differ from the whole study's: make verify"
    )


def at_end(results: Path, figures: Path, began: float, own: Sequence[str] = ()) -> None:
    """Print the summary at the end of a run that made the verdicts; ``began`` is its start (epoch)."""
    table = results / "verdicts.csv"
    try:
        if table.exists() and table.stat().st_mtime >= began:
            print("\n".join(summary(results, figures, own)))
    except (OSError, TableError) as error:  # the run is done, whatever is wrong with its summary
        print(f"no summary: {error}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the summary; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.summary", description=__doc__)
    parser.add_argument("--results", type=Path, default=None, help="folder of the results (default: the newest)")
    parser.add_argument("--before", type=float, default=math.inf, help="only if the verdicts are older (epoch)")
    options = parser.parse_args(arguments)
    try:
        folder = options.results or at_hand(Path("results"))
        if (folder / "verdicts.csv").stat().st_mtime >= options.before:
            return 0
        print("\n".join(summary(folder, folder / "figures" if folder.name == "quick" else Path("figures"))))
    except (OSError, NoReferenceError, TableError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
