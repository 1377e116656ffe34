"""Write ``report.html`` next to the newest verdicts.

Call: ``python -m replication.tools.report`` (`make report`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from replication.judging.verdict_tables import TableError
from replication.tools.pages import PageError
from replication.tools.reference import NoReferenceError
from replication.tools.report.contents import gather
from replication.tools.report.page import write
from replication.tools.report.printed import PrintedError
from replication.tools.verify import at_hand


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the report; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.report", description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder of the results (results)")
    options = parser.parse_args(arguments)
    try:
        folder = at_hand(options.results)
        write(gather(folder), folder / "report.html")
    except (OSError, PageError, NoReferenceError, PrintedError, TableError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    size = (folder / "report.html").stat().st_size / 1e6
    print(f"{folder / 'report.html'}: {size:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
