"""Every paper's study, small: each figure, table and verdict of its file is made of what its own jobs gave.

lee2019's is run by tests/workflow, with Snakemake.
"""

from unittest.mock import patch

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from committed import REFERENCED
from described import alt_text, complaints
from whole import PAPERS, ROOT, Whole

from experiments.drawing import plotting
from experiments.drawing.plotting import draw
from experiments.drawing.tabulate import tabulate
from replication.judging.judges import Outcome
from replication.judging.verdict_tables import read_readings


@pytest.mark.parametrize("paper", [paper for paper in PAPERS if paper != "lee2019"])
def test_every_figure_table_and_verdict_is_made(paper, tmp_path, monkeypatch):
    monkeypatch.setitem(plotting._STYLE, "savefig.dpi", 50)
    monkeypatch.setitem(plotting._STYLE, "savefig.bbox", None)  # else it is drawn twice
    whole = Whole(paper, tmp_path, horizon=150, replicates=3, when="small")
    whole.make_results()
    for name in whole.study.wanted(paper, "figures"):
        with patch.object(plotting.plt, "close") as closed:  # called with the figure when its files are written
            (png,) = whole.make_item("figures", name, draw, [".png"])
        assert png.stat().st_size > 1000
        (figure,) = closed.call_args.args
        known = whole.settings["experiments"]
        assert complaints(figure, alt_text(paper, name), known, partial=True) == [], name
        plt.close(figure)
    for name in whole.study.wanted(paper, "tables"):
        csv, markdown, latex = whole.make_item("tables", name, tabulate, [".csv", ".md", ".tex"])
        assert len(pd.read_csv(csv)) + 2 == len(markdown.read_text().splitlines()) > 3
        assert "tabular" in latex.read_text()
    published = pd.read_csv(ROOT / f"data/published/{paper}.csv")
    verdicts = pd.read_csv(tmp_path / paper / "verdicts.csv")
    assert list(verdicts["claim_id"]) == list(published["id"])
    assert set(verdicts["outcome"]) <= set(Outcome)
    # What needs no more than the model or the data is judged at any scale, what needs the horizon is not.
    assert paper not in REFERENCED or (verdicts["why"] != "not run").sum() > 5
    orderings = verdicts[verdicts["claim_id"].str.contains(r"\.order\.")]
    assert paper not in REFERENCED or set(orderings["why"]) <= {"not run"}
    assert set(read_readings(tmp_path / paper / "verdict_readings.csv")) <= set(verdicts["claim_id"])
