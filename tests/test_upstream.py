"""Defects of libraries that docs/upstream reports: each is still there, so what repairs it here is still needed."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

REPORTS = sorted((Path(__file__).parents[1] / "docs/upstream").glob("*.md"))
#: What must be in a report, in this order.
PARTS = ("Library", "What happens", "Expected", "Reproduce", "Repair here")
#: Libraries that only the environment of benchmarks/peers.lock has.
PEERS = ("causalrl",)


@pytest.mark.parametrize("report", REPORTS, ids=lambda path: path.stem)
def test_the_defect_is_still_there(report):
    """Once this fails the library has mended it: the repair that the report names can go, and the report with it."""
    library = report.stem.partition("-")[0]
    if library in PEERS:
        pytest.importorskip(library, reason=f"{library} is in the environment of benchmarks/peers.lock only")
    script = runpy.run_path(str(report.with_suffix(".py")))
    assert script["defect"]() is not None, f"mended: see **Repair here** in {report.name}"


@pytest.mark.parametrize("report", REPORTS, ids=lambda path: path.stem)
def test_a_report_is_whole_and_its_script_needs_nothing_of_ours(report):
    text, script = report.read_text(), report.with_suffix(".py").read_text()
    assert [part for part in re.findall(r"^\*\*([^*]+)\*\*", text, flags=re.MULTILINE) if part in PARTS] == list(PARTS)
    assert f"python docs/upstream/{report.stem}.py" in text
    assert "causal_bandits" not in script


def test_every_script_has_a_report():
    assert {path.stem for path in REPORTS[0].parent.glob("*.py")} == {path.stem for path in REPORTS}


def test_a_script_says_what_is_wrong():
    script = REPORTS[0].parent / "pgmpy-admg-ancestors.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("of Z: {'ancestors': set()")
