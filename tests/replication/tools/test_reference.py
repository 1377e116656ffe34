"""The committed reference: what it is made of, what cannot be one, and what the README shows of it."""

import csv
from collections import Counter
from pathlib import Path

import pytest
from made_verdicts import left_out, row

from replication.judging.verdict_tables import read, read_readings, write
from replication.tools import reference, verify

ROOT = Path(__file__).parents[3]


def test_what_cannot_be_the_reference_is_refused(checkout, capsys):
    write([left_out("p.a")], "results/verdicts.csv")
    with pytest.raises(SystemExit, match=r"^1$"):
        reference.main([])
    assert "results/verdicts.csv: p.a was left out; expected the whole study" in capsys.readouterr().err
    write([row()], "results/verdicts.csv")
    for lines in ("nothing\n", reference.BEGIN, reference.END):
        Path("README.md").write_text(lines)
        with pytest.raises(SystemExit):
            reference.main([])
        assert "no lines" in capsys.readouterr().err
    assert not Path("data/reference").exists()
    with pytest.raises(SystemExit):
        verify.main(["--results", "elsewhere"])
    assert "no verdicts.csv in elsewhere or elsewhere/quick" in capsys.readouterr().err


def test_the_committed_reference_is_what_the_readme_shows_and_whole_for_each_of_its_papers():
    rows = read(ROOT / reference.FOLDER / reference.VERDICTS)
    text = (ROOT / "README.md").read_text()
    papers = {row["paper"] for row in rows.values()}
    published = ROOT / reference.PUBLISHED
    assert papers <= set(reference.published_papers(published))
    readings = read_readings(ROOT / reference.FOLDER / reference.READINGS)
    assert reference.shown(text, list(rows.values()), readings, published) == text
    claims = []
    for paper in papers:
        with (ROOT / reference.PUBLISHED / f"{paper}.csv").open(newline="") as file:
            claims += [line["claim_id"] for line in csv.DictReader(file)]
    assert sorted(rows) == sorted(claims)
    digests = reference.read_digests(ROOT / reference.FOLDER / reference.DIGESTS)
    tables = [Path(table).parts for table in digests]
    assert {parts[0] for parts in tables if parts[0] != "figures"} == papers
    assert {parts[1] for parts in tables if parts[0] == "figures"} == papers


def test_the_committed_tables_are_those_of_the_reference(monkeypatch):
    monkeypatch.chdir(ROOT)
    known = reference.read_digests(reference.FOLDER / reference.DIGESTS)
    papers = {row["paper"] for row in read(reference.FOLDER / reference.VERDICTS).values()}
    assert reference.figure_digests(papers).items() <= known.items()


def test_the_readme_shows_the_headlines(checkout):
    told = row(statement="It grows.", headline="front", published="log n", outcome="depends")
    other = row("p.b", statement="It shrinks.", headline="yes", fact="shrinks")
    shown = reference.shown(f"{reference.BEGIN}{reference.END}", [told, other], {}, reference.PUBLISHED)
    assert "| [p](docs/papers/p.md) | It grows. | log n | 10 (9 to 11) | depends |" in shown
    assert "It shrinks." not in shown
    assert "- p: 1 of 2 facts hold.\n" in shown
    assert "Of all 2 headlines: holds: 1; depends: 1. †" in shown
    readings = {
        told["claim_id"]: {n: told | {"outcome": o, "default": ""} for n, o in (("a", "holds"), ("b", "fails"))}
    }
    shown = reference.shown(f"{reference.BEGIN}{reference.END}", [told], readings, reference.PUBLISHED)
    assert "| depends (1 of 2 readings hold) |" in shown


def test_the_readme_is_short_and_shows_three_short_claims_of_each_paper():
    text = (ROOT / "README.md").read_text()
    assert sum(any(map(str.isalpha, word)) for word in text.split()) < 900  # "|" and numbers are no words
    headlines = [row for row in read(ROOT / reference.FOLDER / reference.VERDICTS).values() if row["headline"]]
    assert f"All {len(headlines)} headlines are in" in text
    rows = [row for row in headlines if row["headline"] == "front"]
    papers = set(reference.published_papers(ROOT / reference.PUBLISHED))
    assert Counter(row["paper"] for row in rows) == dict.fromkeys(papers, 3)
    assert [row["statement"] for row in rows if len(row["statement"].split()) > 15] == []


def test_the_readme_names_the_papers_that_the_reference_lacks(checkout):
    text = f"{reference.BEGIN}{reference.END}"
    assert "changed" not in reference.shown(text, [row()], {}, reference.PUBLISHED)
    claims_of_p = Path("data/published/p.csv").read_text()
    for paper in "qr":
        Path(f"data/published/{paper}.csv").write_text(claims_of_p.replace("p.", f"{paper}."))
    assert "claims changed: q, r.\n" in reference.shown(text, [row()], {}, reference.PUBLISHED)
