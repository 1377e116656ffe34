"""Write ``report.html`` next to the newest verdicts.

Call: ``python -m replication.tools.report [--papers FOLDER ...]`` (`make report`); FOLDER is a paper outside the study.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from experiments.config import checkout, home_of
from experiments.settings import ConfigError
from replication.judging.verdict_tables import TableError
from replication.tools.pages import PageError
from replication.tools.reference import RESULTS, NoReferenceError
from replication.tools.report.contents import gather
from replication.tools.report.page import write
from replication.tools.report.printed import PrintedError
from replication.tools.verify import at_hand


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the report; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.report", description=__doc__)
    parser.add_argument("--papers", nargs="*", default=[], metavar="FOLDER", help="papers in folders of their own")
    papers = parser.parse_args(arguments).papers
    try:
        folder = at_hand(RESULTS)
        root = checkout()
        write(gather(folder, root, [home_of(paper, root) for paper in papers]), folder / "report.html")
    except (ConfigError, OSError, PageError, NoReferenceError, PrintedError, TableError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 1
    size = (folder / "report.html").stat().st_size / 1e6
    print(f"{folder / 'report.html'}: {size:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
