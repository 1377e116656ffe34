"""Write ``report.html`` next to the newest verdicts.

Call: ``python -m replication.tools.report`` (`make report`).
"""

from __future__ import annotations

import sys

from replication.judging.verdict_tables import TableError
from replication.tools.pages import PageError
from replication.tools.reference import RESULTS, NoReferenceError
from replication.tools.report.contents import gather
from replication.tools.report.page import write
from replication.tools.report.printed import PrintedError
from replication.tools.verify import at_hand


def main() -> int:
    """Write the report; returns the exit status."""
    try:
        folder = at_hand(RESULTS)
        write(gather(folder), folder / "report.html")
    except (OSError, PageError, NoReferenceError, PrintedError, TableError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 1
    size = (folder / "report.html").stat().st_size / 1e6
    print(f"{folder / 'report.html'}: {size:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
