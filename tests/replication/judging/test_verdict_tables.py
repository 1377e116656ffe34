"""Tables of verdicts: every claim in order, and counts by evidence, fact and kind."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_claims import JUDGES, READINGS, ROWS, made_results, write

from replication.judging import judges, verdict_tables, verdicts
from replication.pipeline.results import Results


@pytest.fixture
def results():
    """Of the made-up paper."""
    return made_results()


@pytest.fixture
def job(tmp_path, monkeypatch, results):
    path = write(tmp_path, ROWS.items())
    monkeypatch.setattr(verdicts, "judges_of", lambda paper: JUDGES)
    results = replace(results, published=pd.read_csv(path, dtype=str, keep_default_na=False, index_col="claim_id"))
    monkeypatch.setattr(Results, "load", classmethod(lambda cls, experiments, inputs: results))
    return {"paper": "made2000", "experiments": [], "readings": READINGS}, {"published": str(path)}


def test_the_table_of_verdicts_has_every_claim_in_order(tmp_path, job):
    verdicts.judge(*job, tmp_path / "verdicts.csv")
    table = pd.read_csv(tmp_path / "verdicts.csv", keep_default_na=False)
    assert list(table.columns) == list(verdict_tables.COLUMNS)
    assert list(table["claim_id"]) == list(ROWS)
    by_id = table.set_index("claim_id")
    assert by_id.at["sets", "evidence"] == "computed"
    assert by_id.at["sets", "ci_low"] == ""
    assert list(by_id["level"]) == ["", "0.025", "0.025", "0.025", "", "", "0.025", ""]
    assert list(by_id["kind"]) == [row["kind"] for row in ROWS.values()]
    assert by_id.at["baseline", "published"] == "44.40"
    assert by_id.at["same", "fact"] == "MIS and POMIS are all sets of the front-door graph"


def test_a_judge_that_fails_names_its_claim_and_keeps_the_former_table(tmp_path, job, results):
    former = tmp_path / "verdicts.csv"
    former.write_text("former")
    results.finals["frontdoor"]["cumulative_regret"] = np.nan
    with pytest.raises(RuntimeError, match=r"made2000.csv:2: baseline: judge 'mean': ValueError: 400 of 400 values"):
        verdicts.judge(*job, former)
    assert former.read_text() == "former"
    assert list(tmp_path.glob(".*")) == []


def row(claim_id, verdict, evidence, fact, why="", paper="a2000"):
    cells = dict.fromkeys(verdict_tables.COLUMNS, "")
    return (
        cells
        | {"claim_id": claim_id, "verdict": verdict, "evidence": evidence, "fact": fact, "why": why}
        | {
            "paper": paper,
            "level": "0.05" if evidence == "simulated" else "",
            "kind": "sets" if fact == "g" else "mean",
        }
    )


def test_headline_counts_are_by_evidence_and_facts(tmp_path):
    rows = [
        row("1", "reproduced", "simulated", "f"),
        row("2", "reproduced", "simulated", "f"),
        row("3", "reproduced", "computed", "g"),
        row("4", "not reproduced", "simulated", "f"),
        row("5", "not testable", "simulated", "h", "not in this configuration: x"),
        row("6", "inconclusive", "simulated", "i"),
        row("7", "reproduced", "computed", "g", paper="b2000"),
    ]
    for paper in ("a2000", "b2000"):
        verdict_tables.write([r for r in rows if r["paper"] == paper], tmp_path / paper)
    verdict_tables.combine([tmp_path / "a2000", tmp_path / "b2000"], tmp_path / "all.csv", tmp_path / "all.md")
    assert list(pd.read_csv(tmp_path / "all.csv")["claim_id"]) == [1, 2, 3, 4, 5, 6, 7]
    said = (tmp_path / "all.md").read_text()
    header = " | ".join(judges.VERDICTS)
    assert f"| evidence | {header} | all |" in said
    assert "| computed | 2 | 0 | 0 | 0 | 0 | 0 | 0 | 2 |" in said
    assert "| simulated | 2 | 0 | 1 | 0 | 1 | 0 | 1 | 5 |" in said
    assert "| facts | 3 | 0 | 1 | 0 | 1 | 0 | 1 | 5 |" in said
    assert "| rows | 4 | 0 | 1 | 0 | 1 | 0 | 1 | 7 |" in said
    assert "| a2000 | simulated | 2 | 0 | 1 | 0 | 1 | 0 | 1 | 5 |" in said
    assert "| b2000 | computed | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 1 |" in said
    assert "1 are not in this configuration" in said
    assert "| mean | 2 | 0 | 1 | 0 | 1 | 0 | 1 | 5 |" in said
    assert "| sets | 2 | 0 | 0 | 0 | 0 | 0 | 0 | 2 |" in said
    assert "up to 0.2 of them" in said  # four tests at 5 %
    assert "0.1 would be called reproduced" in said  # at 2.5 %
