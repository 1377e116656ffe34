"""The two tables of verdicts: strict reading, counts by kind, and what headlines say."""

import pytest
from made_claims import publish

from replication.judging import verdict_tables
from replication.judging.judges import Outcome
from replication.judging.verdict_tables import COLUMNS, READING_COLUMNS, TableError, combine, read, read_readings


def row(claim_id, outcome, kind="mean", why="", paper="a2000", **more):
    cells = dict.fromkeys(COLUMNS, "") | {"n": "9", "reason": "told", "paper": paper}
    return cells | {"claim_id": claim_id, "outcome": outcome, "kind": kind, "why": why} | more


def reading(claim_id, name, default="", outcome="holds", **more):
    cells = dict.fromkeys(READING_COLUMNS, "") | {"n": "9", "reason": "told"}
    return cells | {"claim_id": claim_id, "reading": name, "default": default, "outcome": outcome} | more


ALL = [
    row("1", "holds", "ordering", statement="It holds | always.", headline="yes", published=">", shown="A > B"),
    row("2", "holds"),
    row("3", "holds", "set", n="0"),
    row("4", "fails", "guarantee", "error", n="0"),
    row("5", "open", "percentage", "not run"),
    row("6", "open", "curve", "seeds"),
    row("7", "holds", "set", paper="b2000", n="0"),
    row("8", "holds", "set", "by construction", paper="b2000"),
]


@pytest.fixture
def papers(tmp_path):
    """The tables of two papers, and their published claims."""
    made = {"tables": [], "readings": [], "published": []}
    for paper in ("a2000", "b2000"):
        rows = [r for r in ALL if r["paper"] == paper]
        for name, part in zip(made, ("csv", "readings", "published"), strict=True):
            made[name].append(tmp_path / f"{paper}.{part}")
        publish(made["published"][-1], {r["claim_id"]: {"kind": r["kind"]} for r in rows})
        verdict_tables.write(rows, made["tables"][-1])
        verdict_tables.write([], made["readings"][-1], READING_COLUMNS)
    verdict_tables.write([reading("2", "a", "yes"), reading("2", "b")], made["readings"][0], READING_COLUMNS)
    out = {"output": tmp_path / "all.csv", "output_readings": tmp_path / "readings.csv", "summary": tmp_path / "all.md"}
    return made | out


def test_counts_are_by_kind(papers):
    combine(**papers)
    assert list(read(papers["output"])) == [str(i) for i in range(1, 9)]
    assert list(read_readings(papers["output_readings"])["2"]) == ["a", "b"]
    said = papers["summary"].read_text()
    assert "1 that are true by construction are not counted" in said
    assert f"|  | {' | '.join(Outcome)} | all |" in said
    assert "| numbers | 1 | 0 | 0 | 1 | 2 |" in said
    assert "| theorems and sets | 2 | 0 | 1 | 0 | 3 |" in said
    assert "| paper | numbers | curves | theorems and sets | orderings and sentences |" in said
    assert "| a2000 | 1 of 2 | 0 of 1 | 1 of 2 | 1 of 1 |" in said
    assert "| b2000 | none | none | 1 of 1 | none |" in said
    assert "|  | error | slip | misprint |" in said
    assert "| theorems and sets | 1 | 0 | 0 |" in said
    assert "| not run | 1 |" in said
    assert "| a2000 | It holds \\| always. | A > B |  | holds |" in said
    assert [verdict_tables.is_tested(row) for row in ALL] == [True, True, False, False, False, True, False, False]


def test_a_paper_without_its_verdicts_is_not_combined(papers):
    verdict_tables.write([], papers["tables"][1])
    with pytest.raises(TableError, match=r"b2000.csv: 2 of 2 claims have no verdict, first 7"):
        combine(**papers)
    verdict_tables.write([*ALL[-2:], row("9", "holds", "set")], papers["tables"][1])
    with pytest.raises(TableError, match=r"b2000.csv: 9 is not a claim"):
        combine(**papers)
    verdict_tables.write(ALL[-2:], papers["tables"][1])
    verdict_tables.write([reading("9", "a", "yes")], papers["readings"][1], READING_COLUMNS)
    with pytest.raises(TableError, match=r"b2000.readings: 9: no such claim"):
        combine(**papers)


HEADER = ",".join(COLUMNS)

LINE = "1,p,,,,mean,,,,,,,,9,holds,,told,,"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        ("\ufeff".encode() + f"{HEADER}\n{LINE}\n".encode(), "byte order mark"),
        (f"{HEADER}\n{LINE}".encode() + b"\xe9\n", "not UTF-8"),
        (f"{HEADER}\n{LINE}".encode(), "truncated"),
        (f"{HEADER}\n1,p,\n".encode(), ":2: 3 cells; expected 19"),
        (f"{HEADER[:-7]}\n".encode(), ":1: columns claim_id"),
        (f'{HEADER}\n1,"p\n'.encode(), "unexpected end of data"),
        (f"{HEADER}\n{LINE}\n{LINE}\n".encode(), ":3: 1: claim_id: '1' is listed twice"),
        (
            f"{HEADER}\n{LINE.replace('holds', 'reproduced')}\n".encode(),
            "outcome: 'reproduced'; expected one of",
        ),
        (f"{HEADER}\n{LINE.replace('holds', 'open')}\n".encode(), "why: '' but open; expected one of: omitted"),
        (
            f"{HEADER}\n{LINE.replace('holds,', 'holds,seeds')}\n".encode(),
            "why: 'seeds' but holds; expected one of: by",
        ),
        (f"{HEADER}\n{LINE.replace('mean', 'guess')}\n".encode(), "kind: 'guess'; expected one of: mean"),
        (f"{HEADER}\n{LINE.replace(',9,', ',,')}\n".encode(), "n: ''; expected a whole number"),
        (f"{HEADER}\n{LINE.replace(',,9,', ',x,9,')}\n".encode(), "ci_high: 'x'"),
        (f"{HEADER}\n{LINE.replace('told', '')}\n".encode(), "reason: 0 characters"),
        (f"{HEADER}\n{LINE.replace('holds,', 'holds,slip')}\n".encode(), "why: 'slip' but holds"),
        (f"{HEADER}\n{LINE.replace('mean,,', 'mean,,x')}\n".encode(), "headline: 'x'"),
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
        ([reading("1", "a", "yes"), reading("1", "a")], "reading: 'a' of 1 is listed twice"),
    ):
        verdict_tables.write(rows, path, READING_COLUMNS)
        with pytest.raises(TableError, match=message):
            read_readings(path)


def test_what_was_chosen_in_view_is_counted_and_marked():
    rows = [
        row(
            "1",
            "holds",
            headline="yes",
            in_view="L07: open; with 300 draws; L09: same; L08: fails, alone",
        ),
        row("2", "holds", headline="yes", in_view="L08: same"),
        row("3", "fails", headline="yes", why="error"),
        row("4", "holds", in_view="L07: fails"),
    ]
    by_construction = row("5", "holds", why="by construction", in_view="L07: fails")
    sentence = row("6", "holds", kind="ordering", in_view="L09: same")
    assert verdict_tables.chosen_in_view([*rows, by_construction, sentence]) == (
        "† We chose part of the test after seeing results, for 3 of 4 numbers (the other choice changes 2), "
        "1 of 1 orderings and sentences (0)."
    )
    outcomes = [verdict_tables.outcome_of(each, ()) for each in rows[:3]]
    assert outcomes == ["holds † (otherwise open or fails)", "holds †", "fails (error)"]


def test_values_say_whose_they_are_in_three_digits():
    wide = row(
        "1", "holds", replicated="difference 333465.54 (417111.41 against 83645.87)",
        ci_low="286113", ci_high="380818",
    )  # fmt: skip
    told = verdict_tables.ours(wide, (), "UCB > CN-UCB")
    assert told == "UCB 417,000 > CN-UCB 83,600, gap 333,000 (286,000 to 381,000)"
    other_way = row("1", "fails", replicated="difference -31000 (20100 against 51100)")
    assert verdict_tables.ours(other_way, (), "LUCB1 > CCPE") == "LUCB1 20,100 < CCPE 51,100, gap -31,000"
    assert verdict_tables.ours(other_way, (), "CCPE < LUCB1") == "LUCB1 20,100 < CCPE 51,100, gap -31,000"
    others = [reading("1", "a", "yes", replicated="12.61"), reading("1", "b", replicated="1.304")]
    others += [reading("1", "c", replicated="difference 10.04 (20.04 against 10)")]
    others += [reading("1", "d", replicated="none")]
    assert verdict_tables.ours(row("1", "holds", replicated="12.61"), others, "") == ("12.6; other readings 1.3 to 10")
    assert verdict_tables.ours(row("1", "holds", replicated="endless on 36 of 1000"), (), "") == (
        "endless on 36 of 1,000"
    )


@pytest.mark.parametrize(
    ("published", "shown", "told"),
    [
        (">", "POMIS > POMIS+", "POMIS > POMIS+"),
        ("0.95", "1 - delta (here 0.95)", "1 - delta (here 0.95)"),
        ("16", "", "16"),
        ("<", "", "TS < UCB"),
    ],
)
def test_a_headline_tells_what_is_shown_of_what_is_published(published, shown, told):
    cells = {"published": published, "replicated": "3", "shown": shown, "column": "TS < UCB"}
    rows = [row("1", "holds", headline="yes", **cells)]
    assert f"| {told} | 3 |" in verdict_tables.headlines(rows, {})
    assert verdict_tables.headlines(rows, {}, of_one=True).splitlines()[-1] == f"|  | {told} | 3 | holds |"
