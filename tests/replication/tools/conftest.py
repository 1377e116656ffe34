"""A folder with the results of a small study."""

from pathlib import Path

import pytest
from made_verdicts import TABLE, publish, row, write_readings

from experiments import files
from replication.judging import scale
from replication.judging.verdict_tables import write
from replication.tools import verify


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with results, in which the commands run; it has no configuration, and so no keys."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(verify, "stale", lambda results, figures: [])
    Path("data/published").mkdir(parents=True)
    publish()
    Path("config/papers").mkdir(parents=True)
    Path("config/papers/p.yaml").write_text("experiments: {e: {replicates: 5}}\n")
    Path("results/p/e").mkdir(parents=True)
    Path("figures/p").mkdir(parents=True)
    Path("figures/p/table1.csv").write_text("x,regret\n1,30.59 ± 0.50\n")
    Path("figures/other").mkdir()  # in which nothing is judged
    Path("figures/other/table.csv").write_text("x\n1\n")
    write([row(), row("p.b", value="1")], "results/verdicts.csv")
    write_readings()
    scale.write({"horizon": None, "replicates": None, "when": "whole"}, "results/scale.json")
    scale.write({"replicates": 8, "when": "small"}, "results/quick/scale.json")
    Path("results/verdicts.md").write_text("# Verdicts\n")
    files.write(files.pa.table(TABLE), "results/p/e/finals.parquet")
    files.write(files.pa.table({"x": [1.5]}), "results/p/e/runs.parquet")
    files.write(files.pa.table({"x": [1.5]}), "results/quick/p/counts.parquet")  # of the other study
    return tmp_path
