"""The contents of a report on a small study made by hand."""

import csv
import os
import struct

import pyarrow as pa
import pytest
from printed_owls import PRINTED

from experiments import files
from replication.judging import verdict_tables
from replication.judging.checks import bound
from replication.judging.claims import COLUMNS, Policy, claim, final, under
from replication.judging.gaps import Gap
from replication.tools import reference
from replication.tools.report import contents
from replication.tools.report.contents import gather

PAPER = {
    "title": "A paper",
    "experiments": {"e": {}, "f": {}},
    "figures": {"fig1": {"caption": "One", "experiments": ["e"]}, "fig2": {"caption": "Not made"}},
    "tables": {"table1": {"caption": "Two", "experiments": ["e", "f"]}, "fig1": {"caption": "1", "experiments": ["e"]}},
}
PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + b"rest"
#: Id, experiment, outcome, published, replicated.
ROWS = [
    ("x.b", "e", "holds", "2", "2.5"),
    ("x.a", "f", "fails", "<1>", "3"),
    ("x.c", "", "holds", "", ""),
]
PAPERS = """x:
  authors: Owl & Cat
  venue: Night 2020
  about: owls that sleep
  claim: Owls sleep by day.
  links: {DOI: "https://doi.org/10.1/owl", arXiv: "https://arxiv.org/abs/1"}
  found: They do.
  outcome: It has {errors} errors.
"""
ENTRY = """# Ledger

## E01

**What is said.** Table 1

[What is right](../errata.md#e01-what-is-said)
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
    monkeypatch.setattr(contents, "read_paper", lambda home: PAPER)
    (tmp_path / "config/papers").mkdir(parents=True)
    monkeypatch.setattr(contents, "tables_of", lambda slug: [PRINTED])
    monkeypatch.setattr(contents, "looks_of", lambda slug: {})
    owl = Gap("L01", "when owls sleep", {"as printed": "day", "by night": "night"})
    tests = {
        "x.b": claim(bound(final("e", Policy("owl")))),
        "x.a": claim(under(owl, lambda at: bound(final("f", Policy("owl")(at=at))))),
    }
    monkeypatch.setattr(contents, "claims_of", lambda slug: tests)
    folder, quick = tmp_path / request.param, request.param.endswith("quick")
    figures = folder / "figures" if quick else tmp_path / "figures"
    known = dict.fromkeys(verdict_tables.COLUMNS, "") | {"n": "0", "reason": "told", "kind": "mean"}
    verdicts = [
        known
        | {"paper": "x", "claim_id": id_, "place": "Table 1", "ledger": "E01"}
        | {"outcome": outcome, "published": published, "replicated": replicated}
        | ({"statement": "All owls sleep.", "headline": "yes"} if id_ == "x.b" else {})
        | ({"headline": "yes"} if id_ == "x.a" else {})
        for id_, _, outcome, published, replicated in ROWS
    ]
    folder.mkdir(parents=True)
    committed = [verdict | {"n": "2500", "outcome": "holds"} for verdict in verdicts]
    for verdict in verdicts[2:] if quick else ():
        verdict |= {"outcome": "open", "why": "seeds"}
    verdict_tables.write(verdicts, folder / "verdicts.csv")
    (tmp_path / reference.FOLDER).mkdir(parents=True)
    verdict_tables.write(committed, tmp_path / reference.FOLDER / reference.VERDICTS)
    by_reading = [
        verdicts[1] | {"reading": name, "default": yes} for name, yes in (("as printed", "yes"), ("by night", ""))
    ]
    verdict_tables.write(by_reading, folder / "verdict_readings.csv", verdict_tables.READING_COLUMNS)
    empty = dict.fromkeys(COLUMNS, "")
    claims = [empty | {"id": id_, "quote": f"of {id_}", "kind": "ordering"} for id_, *_ in reversed(ROWS)]
    claims[1] |= {"place": "Table 1", "row": "r", "column": "c", "kind": "mean"}
    write_csv(tmp_path / "data/published/x.csv", claims)
    write_csv(figures / "x/table1.csv", [{"player": "night owl", "regret": "7"}])
    write_csv(figures / "x/fig1.csv", [{"x": "1"}])
    (figures / "x/fig1.png").write_bytes(PNG)
    for name, text in {
        "data/published/papers.yaml": PAPERS,
        "docs/papers/x.md": "# A paper\n\nIts links.\n\n## Part\n\nIf <i> > 2, E01.\n",
        "docs/figures.yaml": "x: {fig1: 'Two owls,\n  asleep.'}",
        "docs/ledger/x.md": ENTRY,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for time, commit, experiment in ((2, "new", "e"), (1, "old", "f")):
        path = folder / f"x/{experiment}/runs.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        metadata = {"git_commit": commit, "package_versions": '{"numpy": "2.4.6", "scipy": "1.17.0"}', "code": "0"}
        files.write(pa.table({"t": [1]}).replace_schema_metadata(metadata), path)
        os.utime(path, (time, time))
    return quick, gather(folder, tmp_path)
