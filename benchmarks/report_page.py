"""Measure the report in headless Chromium: size, load time, requests, console errors, violations found by axe-core.

``PYTHONPATH=src:tests/support python benchmarks/report_page.py results/report.html`` prints the table and writes it
into docs/guide/report.md, between two marks. Without a path, a report is made first, from made-up verdicts on every
published claim and the committed figures. Violations and widths are those of the page with every part open and its
curves drawn. Needs Debian's chromium and chromium-driver, and axe-core (`npm install
axe-core`, or AXE=/path/axe.min.js).
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import sys
import tempfile
from pathlib import Path

from browser import AXE, chromium, look, missing, open_all, violations, visit
from made_report import made_results

from replication.tools.report.contents import gather
from replication.tools.report.page import write

GUIDE = Path("docs/guide/report.md")
BEGIN, END = "<!-- measures: made by benchmarks/report_page.py -->\n", "<!-- /measures -->\n"
WIDTHS = (390, 768, 1400)
MODES = ("light", "dark")
LOADS = 5
#: What the page says about its results.
SCALE = re.compile(r"This is the study at (.*)\.$", re.MULTILINE)


def measure(page: Path) -> list[list[str]]:
    """Return one row per width and mode."""
    rows = []
    with chromium() as driver:
        for width in WIDTHS:
            for mode in MODES:
                look(driver, width, mode)
                loads = []
                for _ in range(LOADS):
                    visit(driver, page)
                    loads.append(
                        driver.execute_script("return performance.getEntriesByType('navigation')[0].loadEventEnd")
                    )
                names = driver.execute_script("return performance.getEntriesByType('resource').map((e) => e.name)")
                requests = sum(not name.startswith(("data:", "blob:")) for name in names)
                open_all(driver)
                wide = driver.execute_script("return document.documentElement.scrollWidth > arguments[0]", width)
                found = violations(driver)
                for violation in found:
                    print(f"{width} {mode}: {violation}", file=sys.stderr)
                errors = sum(entry["level"] != "DEBUG" for entry in driver.get_log("browser"))
                load = statistics.median(loads) / 1000
                cells = [width, mode, f"{load:.2f}", requests, errors, len(found), "no" if wide else "yes"]
                rows.append([str(cell) for cell in cells])
    return rows


def main() -> None:
    """Print the table and write it into the guide."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, nargs="?", help="a report (default: one with made-up verdicts)")
    page = parser.parse_args().page
    if missing() or not AXE.exists():
        parser.exit(1, f"{missing() or f'{AXE}: no such file; npm install axe-core, or set AXE'}\n")
    given = page is not None
    with tempfile.TemporaryDirectory() as folder:
        if page is None:
            made_results(Path(folder) / "results")
            page = Path(folder) / "results/report.html"
            write(gather(page.parent), page)
        size = page.stat().st_size / 1e6
        (scale,) = SCALE.findall(page.read_text(encoding="utf-8"))
        rows = measure(page.resolve())
    head = ["width, px", "colours", "load, s", "requests", "console errors", "axe violations", "fits the width"]
    lines = [head, ["---:", "---", *["---:"] * 4, "---"], *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    busy = f"{os.cpu_count()} cores with a load average of {os.getloadavg()[0]:.1f}"
    what = f"the study at {scale}" if given else "made-up verdicts on every published claim, with the committed figures"
    told = f"The report of {what}: {size:.1f} MB. Load times are medians of {LOADS}, on {busy}."
    table = f"{told}\n\n{table}\n"
    print(table)
    text = GUIDE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    GUIDE.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
