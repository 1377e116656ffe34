"""The committed reference: what it is made of, and what cannot be one."""

import csv
from pathlib import Path

from made_verdicts import left_out, row

from replication.judging.verdict_tables import read, write
from replication.tools import reference, verify

ROOT = Path(__file__).parents[3]


def test_what_cannot_be_the_reference_is_refused(checkout, capsys):
    write([left_out("p.a")], "results/verdicts.csv")
    assert reference.main([]) == 1
    assert "results/verdicts.csv: p.a was left out; expected the whole study" in capsys.readouterr().err
    assert not Path("data/reference").exists()
    Path("results/verdicts.csv").unlink()
    assert verify.main([]) == 1
    assert "no verdicts.csv in results or results/quick" in capsys.readouterr().err


def test_the_summary_of_the_reference_says_what_the_first_seed_gave_where_that_was_another_outcome(checkout):
    write([row(headline="yes"), row("p.b", value="1", headline="yes")], "results/verdicts.csv")
    Path("data/reference").mkdir()
    first = [row(outcome="fails", headline="yes"), row("p.b", value="1", headline="yes")]
    write(first, "data/reference/first_seed.csv")
    assert reference.main([]) == 0
    assert Path("data/reference/verdicts.md").read_text().count("(with the first seed: ") == 1
    assert "holds (with the first seed: fails)" in Path("data/reference/verdicts.md").read_text()


def test_the_committed_reference_is_whole_for_each_of_its_papers():
    rows = read(ROOT / reference.FOLDER / reference.VERDICTS)
    papers = {row["paper"] for row in rows.values()}
    claims = []
    for paper in papers:
        with (ROOT / reference.PUBLISHED / f"{paper}.csv").open(newline="") as file:
            claims += [line["id"] for line in csv.DictReader(file)]
    assert sorted(rows) == sorted(claims)
    columns = reference.read_columns(ROOT / reference.FOLDER / reference.COLUMNS)
    assert {table.split("/")[0] for table, _ in columns} == papers
    tables = reference.tables_under(ROOT / reference.FOLDER / reference.FIGURES, papers)
    assert {table.split("/")[0] for table in tables} == papers


def test_the_committed_tables_are_those_of_the_reference():
    papers = {row["paper"] for row in read(ROOT / reference.FOLDER / reference.VERDICTS).values()}
    here, known = (
        {name: path.read_bytes() for name, path in reference.tables_under(ROOT / folder, papers).items()}
        for folder in (reference.FIGURES, reference.FOLDER / reference.FIGURES)
    )
    assert here == known
