"""The ledger: strict files, citations and evidence that exist, and an index in step with the entries."""

import ast
import csv
import re
from functools import cache
from pathlib import Path

import pytest
from checkout import read_yaml

from replication.judging.verdict_tables import COLUMNS, write
from replication.tools import ledger
from replication.tools.ledger import FOLDER, INDEX, LedgerError, read_entries, read_entry

ROOT = Path(__file__).parents[3]
#: Where a citation counts ...
CITING = ("src", "config", "workflow", "README.md", "data", "tests/replication/papers")
#: ... and where else an id must exist.
MENTIONING = ("tests", "benchmarks", "docs")
TEXT = {".py", ".yaml", ".csv", ".smk", ".md", ".rst"}
ENTRIES = read_entries(ROOT / FOLDER)
#: The configuration of each paper, and of the arena.
PAPERS = {path.stem: path for path in (ROOT / "config/papers").glob("*.yaml")}
PAPERS["arena"] = ROOT / "src/arena/config/arena.yaml"


def ids_in(*tops):
    found = set()
    for top in tops:
        path = ROOT / top
        for file in [path] if path.is_file() else path.rglob("*"):
            if file.suffix in TEXT and file != Path(__file__):
                found |= set(re.findall(r"\b[LE]\d{2,3}\b", file.read_text(encoding="utf-8")))
    return found


@cache
def names_of_tests(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


@cache
def items(paper, kind):
    return set(read_yaml(PAPERS[paper])[f"{kind}s"])


@cache
def claims():
    tables = (ROOT / "data/published").glob("*.csv")
    return {row["claim_id"] for table in tables for row in csv.DictReader(table.open(encoding="utf-8"))}


def test_every_cited_id_exists():
    assert ids_in(*CITING, *MENTIONING) <= set(ENTRIES)


def test_every_entry_is_cited():
    assert set(ENTRIES) <= ids_in(*CITING)


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_evidence_exists(entry):
    for kind, target in entry.evidence:
        if kind == "test":
            path, name = target.split("::")
            assert name in names_of_tests(path)
        elif kind == "verdict":
            assert target in claims()
        else:
            paper, name = target.split("/")
            assert name in items(paper, kind)


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_file_folder_and_status_fit_the_text(entry):
    text = " ".join(entry.sections.values()).lower()
    assert (entry.status == "one-off") == ("one-off" in text)
    assert entry.status == "not measured" or "not measured" not in entry.sections["Effect"].lower()
    name = set(entry.path.stem.split("-")[1:])
    assert name <= set(re.findall("[a-z0-9]+", entry.title.lower().replace("'", ""))), "the name is made of the title"
    assert set(entry.papers) <= set(PAPERS)
    assert entry.folder == "study" if len(entry.papers) != 1 else (entry.folder,) == entry.papers


def rows_of(index):
    """The cells of every entry's row: link, title, status, verdicts."""
    return [re.split(r" \| ", line.strip("| ") + " ", maxsplit=3) for line in index.splitlines() if line[:3] == "| ["]


def test_the_committed_index_is_in_step():
    """Titles, status and links; the verdicts are those of the last full-scale run, and their claims exist."""
    committed = (ROOT / FOLDER / INDEX).read_text(encoding="utf-8")
    blank = re.sub(r"\| [^|]*\|$", "|  |", committed, flags=re.MULTILINE)
    expected = ledger.index(ENTRIES, {})
    assert re.sub(r"\| [^|]*\|$", "|  |", expected, flags=re.MULTILINE) == blank
    for named, count in re.findall(r"`([a-z]+\d{4}\.[^`]*)`(?: \((\d+)\))?", committed):
        matching = [claim for claim in claims() if claim == named or claim.startswith(named.removesuffix("*"))]
        assert len(matching) >= int(count or 1), named


# ---------------------------------------------------------------------- what is wrong with a file is said


GOOD = """---
title: a title
place: Table 1
status: measured
evidence:
  - table: lee2019/table1
---

## Wrong

This.

## Evidence

That.

## Effect

None.
"""


def test_an_entry_is_read_whole():
    entry = read_entry(Path("lee2019/E07-title.md"), GOOD)
    assert (entry.id, entry.folder, entry.papers) == ("E07", "lee2019", ("lee2019",))
    assert (entry.title, entry.place, entry.status) == ("a title", "Table 1", "measured")
    assert entry.evidence == (("table", "lee2019/table1"),)
    assert entry.sections == {"Wrong": "This.", "Evidence": "That.", "Effect": "None."}
    study = read_entry(Path("study/E07-title.md"), GOOD.replace("place:", "papers: [lee2019, lu2021]\nplace:"))
    assert (study.folder, study.papers) == ("study", ("lee2019", "lu2021"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("status: measured", "status: known", "status: 'known'; expected one of: measured, one-off, not measured"),
        ("place: Table 1\n", "", "place: missing"),
        ("place: Table 1", "place: 1", "place: 1 is not a line of text"),
        ("place: Table 1", "place: ' '", "place: ' ' is not a line of text"),
        ("place: Table 1", 'place: "Table\\n1"', "place: 'Table\\n1' is not a line of text"),
        ("place:", "papers: [lee2019]\nplace:", "papers: unknown; expected title, place, status, evidence"),
        ("place:", "where: here\nplace:", "where: unknown"),
        ("place:", "title: another\nplace:", "title: stands twice"),
        ("title: a title", "title: a: b", "not valid YAML: mapping values are not allowed"),
        ("---\n\n## Wrong", "\n## Wrong", "expected front matter"),
        ("  - table: lee2019/table1", "  - lee2019/table1", "evidence: 'lee2019/table1'; expected one of: table: ..."),
        ("  - table:", "  - run:", "evidence: {'run': 'lee2019/table1'}; expected one of: table"),
        ("evidence:\n  - table: lee2019/table1", "evidence: []", "evidence: empty, but the status is 'measured'"),
        ("status: measured", "status: not measured", "evidence: given, but the status is 'not measured'"),
        ("## Wrong", "## Open", "headings: Open, Evidence, Effect; expected exactly: Wrong, Evidence, Effect"),
        ("## Wrong", "More.\n\n## Wrong", "headings: "),
        ("That.\n", "", "Evidence: no text"),
    ],
)
def test_a_wrong_entry_names_file_and_key(old, new, message):
    assert GOOD.count(old) >= 1
    with pytest.raises(LedgerError, match=re.escape(f"lee2019/E07-title.md: {message}")):
        read_entry(Path("lee2019/E07-title.md"), GOOD.replace(old, new, 1))


def test_entries_of_several_papers_name_them():
    with pytest.raises(LedgerError, match=r"study/E07-title\.md: papers: missing"):
        read_entry(Path("study/E07-title.md"), GOOD)
    with pytest.raises(LedgerError, match=r"study/E07-title\.md: papers: 'lee2019' is not a list of slugs"):
        read_entry(Path("study/E07-title.md"), GOOD.replace("place:", "papers: lee2019\nplace:"))


@pytest.mark.parametrize("name", ["E7-title.md", "E07.md", "E07-Title.md", "E07-title.txt", "deep/E07-title.md"])
def test_a_wrong_name_is_refused(name):
    with pytest.raises(LedgerError, match=r"expected <slug>/L07-<name>\.md or <slug>/E03-<name>\.md"):
        read_entry(Path("lee2019") / name, GOOD)


def test_two_entries_with_one_id_are_refused(tmp_path):
    for name in ("lee2019/E07-title.md", "lu2021/E07-a.md"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(GOOD)
    with pytest.raises(LedgerError, match=r"lu2021/E07-a\.md: the id E07 is that of lee2019/E07-title\.md too"):
        read_entries(tmp_path)


# ---------------------------------------------------------------------- the index


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with a ledger of two entries, as the working directory."""
    for name, text in (("lee2019/E07-title.md", GOOD), ("lee2019/E08-a.md", GOOD.replace("a title", "a"))):
        path = tmp_path / FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def verdicts(cited):
    """A table of verdicts that cite these entries."""
    known = dict.fromkeys(COLUMNS, "") | {"n": "0", "outcome": "holds", "basis": "exact", "reason": "told"}
    write([known | {"claim_id": claim, "ledger": entries} for claim, entries in cited.items()], "verdicts.csv")


def test_the_command_writes_the_index_with_the_verdicts_that_cite_an_entry(checkout):
    cited = {"lee2019.order.ts": "E08", "lee2019.arms.1": "E07 E08", "lee2019.count": ""}
    verdicts(cited | {f"lee2019.table1.{i}": "E07" for i in range(3)})
    assert ledger.main(["--verdicts", "verdicts.csv"]) == 0
    lines = (checkout / FOLDER / INDEX).read_text().splitlines()
    assert lines[-2:] == [
        "| [E07](lee2019/E07-title.md) | a title | measured | `lee2019.arms.1`, `lee2019.table1.*` (3) |",
        "| [E08](lee2019/E08-a.md) | a | measured | `lee2019.order.ts`, `lee2019.arms.1` |",
    ]
    assert ledger.main([]) == 0  # the index itself is no entry
    assert (checkout / FOLDER / INDEX).read_text().splitlines()[-1] == "| [E08](lee2019/E08-a.md) | a | measured |  |"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda: Path("verdicts.csv").write_text("claim_id\n"), "verdicts.csv:1: columns claim_id; expected"),
        (lambda: verdicts({"lee2019.arms.1": "E07 L99"}), "verdicts.csv: lee2019.arms.1: ledger: no entry 'L99'"),
        (lambda: None, "No such file"),
    ],
)
def test_a_wrong_table_of_verdicts_is_one_line(checkout, capsys, damage, message):
    damage()
    with pytest.raises(SystemExit) as ended:
        ledger.main(["--verdicts", "verdicts.csv"])
    assert ended.value.code == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (checkout / FOLDER / INDEX).exists()


def test_the_readme_has_no_unfilled_places():
    assert not re.findall(r"@[A-Z]+@", (ROOT / "README.md").read_text())
