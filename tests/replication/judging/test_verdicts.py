"""Judging all claims of a paper: every claim and reading in order, and a judge that fails."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_claims import JUDGES, READINGS, ROWS, made_results, write

from experiments.results import Results
from replication.judging import verdicts
from replication.judging.jobs import VerdictsJob
from replication.judging.verdict_tables import read, read_readings


@pytest.fixture
def results():
    """Of the made-up paper."""
    return made_results()


@pytest.fixture
def job(tmp_path, monkeypatch, results):
    headline = {"statement": "BF regrets more.", "headline": "yes", "shown": "BF > POMIS+"}
    path = write(tmp_path, (ROWS | {"order": ROWS["order"] | headline}).items())
    monkeypatch.setattr(verdicts, "judges_of", lambda paper: JUDGES)
    results = replace(results, published=pd.read_csv(path, dtype=str, keep_default_na=False, index_col="claim_id"))
    monkeypatch.setattr(Results, "load", classmethod(lambda cls, job, inputs: results))
    return VerdictsJob(paper="made2000", readings=READINGS), {"published": str(path)}


def test_the_tables_have_every_claim_and_reading_in_order(tmp_path, job):
    verdicts.judge(*job, tmp_path / "verdicts.csv", tmp_path / "verdict_readings.csv")
    found, under = read(tmp_path / "verdicts.csv"), read_readings(tmp_path / "verdict_readings.csv")
    assert list(found) == list(ROWS)
    assert (found["sets"]["basis"], found["sets"]["ci_low"], found["sets"]["n"]) == ("exact", "", "0")
    assert found["baseline"]["published"] == "44.40"
    assert (found["order"]["statement"], found["order"]["headline"]) == ("BF regrets more.", "yes")
    assert found["same"]["fact"] == "MIS and POMIS are all sets of the front-door graph"
    assert found["order"]["fact"] == "order"
    assert {claim: list(rows) for claim, rows in under.items()} == {
        "plus": ["minimum variance", "delta"],
        "order": ["calibrated", "random"],
    }
    assert [row["default"] for row in under["plus"].values()] == ["yes", ""]
    assert [row["because"] for row in under["plus"].values()] == ["", "not run"]


def test_a_judge_that_fails_names_its_claim_and_keeps_the_former_table(tmp_path, job, results):
    former = tmp_path / "verdicts.csv"
    former.write_text("former")
    results.finals["frontdoor"]["cumulative_regret"] = np.nan
    with pytest.raises(RuntimeError, match=r"made2000.csv:2: baseline: judge 'mean': ValueError: 400 of 400 values"):
        verdicts.judge(*job, former, tmp_path / "readings.csv")
    assert former.read_text() == "former"
    assert list(tmp_path.glob(".*")) == []
