"""The two tables of verdicts: strict reading, counts by basis, fact and kind."""

import pytest
from made_claims import write

from replication.judging import verdict_tables
from replication.judging.judges import Outcome
from replication.judging.verdict_tables import COLUMNS, READING_COLUMNS, TableError, combine, read, read_readings


def row(claim_id, outcome, basis, fact, because="", paper="a2000", **more):
    cells = dict.fromkeys(COLUMNS, "") | {"n": "9", "reason": "told", "paper": paper}
    return cells | {"claim_id": claim_id, "outcome": outcome, "basis": basis, "fact": fact, "because": because} | more


def reading(claim_id, name, default="", outcome="holds", **more):
    cells = dict.fromkeys(READING_COLUMNS, "") | {"n": "9", "reason": "told", "basis": "simulated"}
    return cells | {"claim_id": claim_id, "reading": name, "default": default, "outcome": outcome} | more


ALL = [
    row("1", "holds", "simulated", "f", statement="It holds | always.", headline="yes", published=">"),
    row("2", "holds", "simulated", "f"),
    row("3", "holds", "exact", "g"),
    row("4", "fails", "simulated", "f"),
    row("5", "open", "simulated", "h", "not run"),
    row("6", "open", "simulated", "i", "seeds"),
    row("7", "holds", "exact", "g", paper="b2000"),
]


@pytest.fixture
def papers(tmp_path):
    """The tables of two papers, and their published claims."""
    made = {"tables": [], "readings": [], "published": []}
    for paper in ("a2000", "b2000"):
        rows = [r for r in ALL if r["paper"] == paper]
        claims = [
            (r["claim_id"], {"kind": "sets" if r["fact"] == "g" else "mean", "shown": "A > B" if r["headline"] else ""})
            for r in rows
        ]
        path = write(tmp_path, claims)
        for name, part in zip(made, ("csv", "readings", "published"), strict=True):
            made[name].append(tmp_path / f"{paper}.{part}")
        made["published"][-1].write_bytes(path.read_bytes())
        verdict_tables.write(rows, made["tables"][-1])
        verdict_tables.write([], made["readings"][-1], READING_COLUMNS)
    verdict_tables.write([reading("2", "a", "yes"), reading("2", "b")], made["readings"][0], READING_COLUMNS)
    out = {"output": tmp_path / "all.csv", "output_readings": tmp_path / "readings.csv", "summary": tmp_path / "all.md"}
    return made | out


def test_counts_are_by_basis_paper_kind_and_fact(papers):
    combine(**papers)
    assert list(read(papers["output"])) == [str(i) for i in range(1, 8)]
    assert list(read_readings(papers["output_readings"])["2"]) == ["a", "b"]
    said = papers["summary"].read_text()
    assert f"| basis | {' | '.join(Outcome)} | all |" in said
    assert "| exact | 2 | 0 | 0 | 0 | 0 | 0 | 2 |" in said
    assert "| simulated | 2 | 0 | 1 | 0 | 2 | 0 | 5 |" in said
    assert "| facts | 3 | 0 | 1 | 0 | 2 | 0 | 5 |" in said
    assert "| rows | 4 | 0 | 1 | 0 | 2 | 0 | 7 |" in said
    assert "| a2000 | simulated | 2 | 0 | 1 | 0 | 2 | 0 | 5 |" in said
    assert "| b2000 | exact | 1 | 0 | 0 | 0 | 0 | 0 | 1 |" in said
    assert "| not run | 1 |" in said
    assert "| mean | 2 | 0 | 1 | 0 | 2 | 0 | 5 |" in said
    assert "| sets | 2 | 0 | 0 | 0 | 0 | 0 | 2 |" in said
    assert "| a2000 | It holds \\| always. | A > B |  |  | holds |" in said
    assert [verdict_tables.is_tested(row) for row in ALL] == [True, True, False, True, False, True, False]


def test_a_paper_without_its_verdicts_is_not_combined(papers):
    verdict_tables.write([], papers["tables"][1])
    with pytest.raises(TableError, match=r"b2000.csv: 1 of 1 claims have no verdict, the first 7"):
        combine(**papers)
    verdict_tables.write([ALL[-1], row("8", "holds", "exact", "g")], papers["tables"][1])
    with pytest.raises(TableError, match=r"b2000.csv: 8 is no claim"):
        combine(**papers)
    verdict_tables.write([ALL[-1]], papers["tables"][1])
    verdict_tables.write([reading("9", "a", "yes")], papers["readings"][1], READING_COLUMNS)
    with pytest.raises(TableError, match=r"b2000.readings: 9: no such claim"):
        combine(**papers)


HEADER = ",".join(COLUMNS)

LINE = "1,p,,,,,,,,9,holds,,exact,told,f,"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        ("\ufeff".encode() + f"{HEADER}\n{LINE}\n".encode(), "byte order mark"),
        (f"{HEADER}\n{LINE}".encode() + b"\xe9\n", "not UTF-8"),
        (f"{HEADER}\n{LINE}".encode(), "cut off"),
        (f"{HEADER}\n1,p,\n".encode(), ":2: 3 cells; expected 16"),
        (f"{HEADER[:-7]}\n".encode(), ":1: columns claim_id"),
        (f'{HEADER}\n1,"p\n'.encode(), "unexpected end of data"),
        (f"{HEADER}\n{LINE}\n{LINE}\n".encode(), ":3: 1: claim_id: '1' stands twice"),
        (
            f"{HEADER}\n{LINE.replace('holds', 'reproduced')}\n".encode(),
            "outcome: 'reproduced'; expected one of",
        ),
        (f"{HEADER}\n{LINE.replace('holds', 'open')}\n".encode(), "because: ''; expected one of: omitted"),
        (f"{HEADER}\n{LINE.replace('holds,', 'holds,seeds')}\n".encode(), "because: 'seeds'; expected one of: nothing"),
        (f"{HEADER}\n{LINE.replace('exact', 'guess')}\n".encode(), "basis: 'guess'"),
        (f"{HEADER}\n{LINE.replace(',9,', ',,')}\n".encode(), "n: ''; expected a whole number"),
        (f"{HEADER}\n{LINE.replace(',,9,', ',x,9,')}\n".encode(), "ci_high: 'x'"),
        (f"{HEADER}\n{LINE.replace('told', '')}\n".encode(), "reason: 0 characters"),
        (f"{HEADER}\n{LINE.replace(',,,,,,,', ',,,x,,,,')}\n".encode(), "headline: 'x'"),
    ],
)
def test_a_damaged_table_is_one_line_that_names_the_file(tmp_path, content, message):
    path = tmp_path / "verdicts.csv"
    path.write_bytes(content)
    with pytest.raises(TableError) as error:
        read(path)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_table_of_readings_begins_with_the_default(tmp_path):
    path = tmp_path / "readings.csv"
    for rows, message in (
        ([reading("1", "a")], "default: ''; expected 'yes'"),
        ([reading("1", "a", "yes"), reading("1", "b", "yes")], "default: 'yes'; expected"),
        ([reading("1", "a", "yes"), reading("1", "a")], "reading: 'a' of 1 stands twice"),
    ):
        verdict_tables.write(rows, path, READING_COLUMNS)
        with pytest.raises(TableError, match=message):
            read_readings(path)


def test_what_holds_is_counted_by_paper_and_group():
    kinds = ["mean", "rate", "sets", "percentage", "mean", "ordering", "sets", "mean", "ordering"]
    fitted = row("8", "fitted", "fitted", "j", headline="yes")
    same = row("9", "holds", "identity", "k", paper="b2000")
    claims = {str(claim): {"kind": kind} for claim, kind in enumerate(kinds, 1)}
    lines = verdict_tables.by_group([*ALL, fitted, same], claims).splitlines()
    assert "| a2000 | 1 of 3 | 0 of 1 | 1 of 1 | 1 of 1 |" in lines
    assert "| b2000 | none | none | none | 1 of 1 |" in lines
    counted = "Of 3 printed means and percentages of these papers (1 more were used to fix what a paper omits):"
    assert f"{counted} holds: 1; fails: 1; open: 1." in lines
    assert "Not counted: 1 claims that are true by construction, and 1 numbers that were used to" in lines


@pytest.mark.parametrize(
    ("published", "shown", "told"),
    [
        (">", "POMIS > POMIS+", "POMIS > POMIS+"),
        ("0.95", "1 - delta (here 0.95)", "1 - delta (here 0.95)"),
        ("16", "", "16"),
    ],
)
def test_a_headline_tells_what_is_shown_of_what_is_published(published, shown, told):
    rows = [row("1", "holds", "simulated", "f", headline="yes", published=published, replicated="3")]
    claims = {"1": {"shown": shown}}
    assert f"| {told} | 3 |" in verdict_tables.headlines(rows, {}, claims)
    assert verdict_tables.headlines(rows, {}, claims, of_one=True).splitlines()[-1] == f"|  | {told} | 3 |  | holds |"
    front = verdict_tables.front([rows[0] | {"headline": "front"}], {}, claims, "pages")
    assert f"| [a2000](pages/a2000.md) |  | {told} | 3 | holds |" in front
