"""What a report gathers of a small study made by hand, and that its page shows all of it."""

import csv
import os
import re
import shutil
import struct
from pathlib import Path

import pyarrow as pa
import pytest

from replication.judging import verdict_tables
from replication.judging.claims import COLUMNS
from replication.pipeline import files
from replication.tools.report import contents, page
from replication.tools.report.contents import Cost, gather
from replication.tools.report.printed import Cell, Head, Line, Placed, Table

PAPER = {
    "title": "A paper",
    "experiments": {"e": {}, "f": {}},
    "figures": {"fig1": {"caption": "One", "experiments": ["e"]}, "fig2": {"caption": "Not made"}},
    "tables": {"table1": {"caption": "Two", "experiments": ["e", "f"]}},
}
#: A table as a paper prints it: x.a beside nothing.
PRINTED = Table("x", "Table 1", "Owls", ((Head("n"), Head("ours")),), (Line((Head("1"),), (Cell("r", "c"), None)),))
PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + b"rest"
#: claim_id, experiment, outcome, published, replicated.
ROWS = [
    ("x.b", "e", "holds", "2", "2.5"),
    ("x.a", "f", "fails", "<1>", "3"),
    ("x.c", "", "holds", "", ""),
]
ENTRY = """---
title: what is said
place: Table 1
status: measured
evidence:
  - verdict: x.a
---

## Wrong

Nothing.

## Evidence

None.

## Effect

None.
"""


def write_csv(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(params=["results", "results/quick"])
def gathered(request, tmp_path, monkeypatch):
    """The scale's folder, and the contents of its report."""
    monkeypatch.setattr(contents, "read_paper", lambda slug, root: PAPER)
    monkeypatch.setattr(contents, "tables_of", lambda slug: [PRINTED])
    folder, quick = tmp_path / request.param, request.param.endswith("quick")
    figures = folder / "figures" if quick else tmp_path / "figures"
    known = dict.fromkeys(verdict_tables.COLUMNS, "") | {"n": "0", "reason": "told", "basis": "exact"}
    verdicts = [
        known
        | {"paper": "x", "claim_id": claim, "item": "Table 1", "ledger": "E01"}
        | {"outcome": outcome, "published": published, "replicated": replicated}
        | ({"statement": "All owls sleep.", "headline": "yes"} if claim == "x.b" else {})
        for claim, _, outcome, published, replicated in ROWS
    ]
    folder.mkdir(parents=True)
    verdict_tables.write(verdicts, folder / "verdicts.csv")
    under = [verdicts[1] | {"reading": name, "default": yes} for name, yes in (("as printed", "yes"), ("by night", ""))]
    verdict_tables.write(under, folder / "verdict_readings.csv", verdict_tables.READING_COLUMNS)
    empty = dict.fromkeys(COLUMNS, "")
    claims = [
        empty | {"claim_id": claim, "experiment": name, "note": f"of {claim}"} for claim, name, *_ in reversed(ROWS)
    ]
    claims[1] |= {"item": "Table 1", "row": "r", "column": "c", "kind": "mean"}
    write_csv(tmp_path / "data/published/x.csv", claims)
    write_csv(figures / "x/table1.csv", [{"player": "night owl", "regret": "7"}])
    (figures / "x/fig1.png").write_bytes(PNG)
    for name, text in {
        "docs/papers/x.md": "# A paper\n\nIf <i> > 2, E01.\n\n## Part\n",
        "docs/figures.yaml": "x: {fig1: 'Two owls,\n  asleep.'}",
        "docs/ledger/x/E01-a.md": ENTRY,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    logs = tmp_path / ("logs/quick" if quick else "logs")
    for stage, name, took in (
        ("simulate", "x/e/1", (2, 1, 90)),
        ("simulate", "x/f/2", (3.5, 2, 80)),
        ("judge", "x", (1, 1, 70)),
    ):
        path = logs / stage / f"{name}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("started\nended after {} s; {} s of CPU, {} MB\n".format(*took))
    (logs / "simulate/x/e/running.log").write_text("started\n")
    (logs / "judge/y.log").write_text("started\nended after 1 s; 1 s of CPU, 1 MB\n")
    for time, commit in ((2, "new"), (1, "old")):
        path = folder / f"x/e/runs/ucb/{commit}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(pa.table({"t": [1]}).replace_schema_metadata({"git_commit": commit, "code": "0"}), path)
        os.utime(path, (time, time))
    return quick, gather(folder, tmp_path)


def test_everything_stands_in_the_order_of_the_verdicts(gathered):
    quick, found = gathered
    assert found.small == quick
    (paper,) = found.papers
    assert (paper.slug, paper.title, paper.prose) == ("x", "A paper", "If <i> > 2, E01.\n\n### Part")
    assert [(item.kind, item.name, item.caption, item.alt) for item in paper.items] == [
        ("figure", "fig1", "One", "Two owls, asleep."),
        ("table", "table1", "Two", "Two"),
    ]
    assert [(printed.table, printed.grid) for printed in paper.printed] == [(PRINTED, [[Placed("x.a", 1), None]])]
    assert [(v.row["claim_id"], v.claim["note"], v.items) for v in found.verdicts] == [
        ("x.b", "of x.b", ("fig1", "table1")),
        ("x.a", "of x.a", ("table1",)),
        ("x.c", "of x.c", ()),
    ]
    assert list(found.ledger) == ["E01"]


def test_costs_are_those_of_jobs_that_ended_and_the_newest_run_says_where_from(gathered):
    _, found = gathered
    assert found.costs == (Cost("x", "judge", 1, 1, 1, 70), Cost("x", "simulate", 2, 5.5, 3, 90))
    assert found.provenance == {"git_commit": "new"}


def test_without_logs_and_runs_the_report_has_no_times(gathered, tmp_path):
    quick, _ = gathered
    shutil.rmtree(tmp_path / "logs")
    folder = tmp_path / ("results/quick" if quick else "results")
    shutil.rmtree(folder / "x/e")
    found = gather(folder, tmp_path)
    assert (found.costs, found.provenance) == ((), {})
    assert "times are not known" in page.render(found)


def test_the_page_shows_it(gathered, monkeypatch):
    monkeypatch.setattr(page.vl_convert, "javascript_bundle", lambda code: f"{code}</script>")  # takes a second
    _, found = gathered
    text = page.render(found)
    counts = re.findall(r'aria-label="(\d+) rows: (\w+), ([\w ]+)"', text)
    expected = {"holds": "2", "fails": "1"}
    of_paper = [*((n, outcome) for outcome, n in expected.items()), ("3", "all outcomes")]
    assert counts == [(n, paper, outcome) for paper in ("x", "all") for n, outcome in of_paper]
    assert re.findall(r'<tbody id="(.+?)"', text) == ["x.b", "x.a", "x.c"]
    for part in (
        "&lt;1&gt;",
        'If &lt;i&gt; &gt; 2, <a href="#E01">E01</a>.',
        "<td>night owl</td>",
        'width="640" height="480" alt="Two owls, asleep."',
        "<h3>Part</h3>",
        "of x.a",
        '<a class="peek" href="#x.b">All owls sleep.</a>',
        '<span class="claim-text searched">All owls sleep.</span>',
        ">as printed</td>",
        ">by night</td>",
        '<td class="v-fails"><a class="peek" href="#x.a">',
    ):
        assert part in text
    assert text.count("</script>") == text.count("<script")
    for name in ("style.css", "scripts/theme.js", "scripts/board.js", "scripts/peek.js", "scripts/curves.js"):
        assert (Path(page.__file__).parent / name).read_text() in text
    assert text.count('<svg class="interval"') == 1  # x.b has two values; of x.a one is no number
