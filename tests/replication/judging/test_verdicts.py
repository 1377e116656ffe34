"""Judging a whole paper: two tables in the order of what is printed, whole or not at all."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_claims import CLAIMS, PRINTED, made_results, publish

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
    path = publish(tmp_path / "made2000.csv")
    monkeypatch.setattr(verdicts, "claims_of", lambda paper: CLAIMS)
    results = replace(results, published=pd.read_csv(path, dtype=str, keep_default_na=False, index_col="id"))
    monkeypatch.setattr(Results, "load", classmethod(lambda cls, job, inputs: results))
    return VerdictsJob(paper="made2000"), {"published": str(path)}


def test_the_tables_have_every_claim_and_reading_in_order(tmp_path, job):
    verdicts.judge(*job, tmp_path / "verdicts.csv", tmp_path / "verdict_readings.csv")
    found, under = read(tmp_path / "verdicts.csv"), read_readings(tmp_path / "verdict_readings.csv")
    assert list(found) == list(PRINTED)
    assert (found["sets"]["ci_low"], found["sets"]["n"], found["sets"]["kind"]) == ("", "0", "set")
    assert (found["baseline"]["published"], found["baseline"]["why"]) == ("44.40", "fitted")
    assert (found["order"]["statement"], found["order"]["headline"]) == ("BF regrets more.", "yes")
    assert found["order"]["shown"] == found["order"]["column"] == "BF > POMIS+"
    assert {claim: list(rows) for claim, rows in under.items()} == {
        "plus": ["minimum variance", "delta"],
        "order": ["calibrated", "random"],
    }
    assert [row["default"] for row in under["plus"].values()] == ["yes", ""]
    assert [row["why"] for row in under["plus"].values()] == ["seeds", "not run"]


def test_a_judge_that_fails_names_its_claim_and_keeps_the_former_table(tmp_path, job, results):
    former = tmp_path / "verdicts.csv"
    former.write_text("former")
    results.finals["frontdoor"]["cumulative_regret"] = np.nan
    with pytest.raises(RuntimeError, match=r"made2000/claims.py:[0-9]+: baseline: ValueError: 400 of 400 values"):
        verdicts.judge(*job, former, tmp_path / "readings.csv")
    assert former.read_text() == "former"
    assert list(tmp_path.glob(".*")) == []
