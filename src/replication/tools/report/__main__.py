"""Write ``report.html`` next to the newest verdicts.

Call: ``python -m replication.tools.report`` (`make report`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from replication.judging.verdict_tables import TableError
from replication.tools.pages import PageError
from replication.tools.reference import RESULTS, NoReferenceError
from replication.tools.report.contents import gather
from replication.tools.report.page import write
from replication.tools.report.printed import PrintedError
from replication.tools.verify import at_hand


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the report; return the exit status."""
    argparse.ArgumentParser(prog="python -m replication.tools.report", description=__doc__).parse_args(arguments)
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
