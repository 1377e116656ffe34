"""What is said at the end of a run: outcomes, whether they are the reference's, and nothing that ends a run."""

import os
from pathlib import Path

import pytest
from made_verdicts import row

from replication.judging.verdict_tables import write
from replication.tools import reference, summary

TABLE = Path("results/verdicts.csv")


def test_outcomes_are_counted_by_paper_and_compared_with_the_reference(checkout, capsys):
    reference.main([])
    capsys.readouterr()
    assert summary.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:4] == ["hold", "numbers", "curves", "theorems"]
    assert lines[2].split()[:4] == ["p", "2", "of", "2"]
    assert lines[4] == "nothing contradicts the whole study's verdicts"
    assert len(lines) <= 15
    write([row(), row("p.b", value="2")], TABLE)
    summary.main([])
    assert "some verdicts differ from the whole study's" in capsys.readouterr().out


def test_a_study_is_compared_by_its_own_verdicts_though_those_of_a_small_one_are_newer(checkout, capsys):
    reference.main([])
    newer = Path("results/quick/verdicts.csv")
    write([row(value="999")], newer)
    os.utime(newer, (TABLE.stat().st_mtime + 60,) * 2)
    capsys.readouterr()
    assert summary.main(["--results", "results"]) == 0
    assert "nothing contradicts the whole study's verdicts" in capsys.readouterr().out


@pytest.mark.parametrize("missing", ["data/reference/verdicts.csv", "results/scale.json"])
def test_what_cannot_be_compared_is_counted_all_the_same(checkout, capsys, missing):
    reference.main([])
    Path(missing).unlink()
    summary.at_end(Path("results"), Path("figures"), began=0)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-6].split()[:4] == ["p", "2", "of", "2"]
    assert lines[-4].startswith("not compared with the whole study's verdicts: ")
    assert missing in lines[-4]


def test_a_paper_of_ones_own_is_compared_with_nothing_and_its_report_is_named(checkout, capsys):
    reference.main([])
    capsys.readouterr()
    write([row("q.a")], TABLE)
    summary.at_end(Path("results"), Path("figures"), began=0, own=["./q"])
    told = capsys.readouterr().out
    assert "q: no committed verdicts, compared with nothing" in told
    assert told.endswith("next: python -m replication.tools.report --papers ./q\n")


def test_a_run_that_made_no_verdicts_says_nothing_and_a_damaged_table_ends_none(checkout, capsys):
    summary.at_end(Path("results"), Path("figures"), began=TABLE.stat().st_mtime + 1)
    assert capsys.readouterr().out == ""
    TABLE.write_text("")
    summary.at_end(Path("results"), Path("figures"), began=0)
    assert capsys.readouterr().out.startswith("no summary: results/verdicts.csv: empty; expected ")


def test_verdicts_that_the_run_before_it_made_are_not_told_twice(checkout, capsys):
    """As `make quick` asks: the run itself told them if it made them."""
    began = TABLE.stat().st_mtime
    assert summary.main(["--results", "results", "--before", str(began - 1)]) == 0
    assert capsys.readouterr().out == ""
    assert summary.main(["--results", "results", "--before", str(began + 1)]) == 0
    assert capsys.readouterr().out.startswith("\nhold")
