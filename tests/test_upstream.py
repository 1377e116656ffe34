"""Defects of libraries that docs/upstream reports: each is still there, so what repairs it here is still needed."""

import runpy
from pathlib import Path

import pytest

REPORTS = sorted((Path(__file__).parents[1] / "docs/upstream").glob("*.md"))
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
