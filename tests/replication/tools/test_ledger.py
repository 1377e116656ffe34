"""The ledger: entries of one form, ids that stand once, evidence and citations that exist."""

import re
from pathlib import Path

import pytest
import yaml

from replication.judging.claims import COLUMNS
from replication.tools.ledger import FOLDER, INDEX, LedgerError, check, main, read_entries

GOOD = """# Ledger of lee2019

## L07

**A title.** Table 1, "which is
long"

**Open.** This, in `code`.

**Our choice.** That.

**Alternatives.** None.

**Effect.** None.

**Evidence:** tables [lee2019/table1](../../figures/lee2019/table1.csv), `lee2019/gaps`;
verdict `lee2019.arms.1`.

## E07

**It is wrong.** Table 2

[What is right](../errata.md#e07-it-is-wrong)

## Other choices

| entry | about | our choice | alternatives |
| --- | --- | --- | --- |
| <a id="l08"></a>L08 | **Order.** Algorithm 1 | By name. | Any other. |
"""


def test_every_id_stands_once_and_what_cites_it_and_what_it_cites_exists():
    assert check(Path(__file__).parents[3]) == []


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with a ledger of three entries, as the working directory."""
    for name, text in {
        FOLDER / "lee2019.md": GOOD,
        FOLDER / INDEX: "| [lee2019](lee2019.md) | 3 |",
        "config/papers/lee2019.yaml": yaml.safe_dump({"tables": {"table1": {}}, "figures": {"gaps": {}}}),
        "src/arena/config/arena.yaml": "{}",
        "data/published/lee2019.csv": f"{','.join(COLUMNS)}\nlee2019.arms.1,,,number{',' * (len(COLUMNS) - 4)}\n",
        "src/code.py": "# L07 L08 E07\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_entry_is_read_whole(checkout):
    entry, erratum, row = read_entries(checkout).values()
    assert (entry.id, entry.page, entry.address) == ("L07", "lee2019", "lee2019.md#l07")
    assert (entry.title, entry.place) == ("A title", 'Table 1, "which is long"')
    assert entry.text.startswith("**Open.** This")
    assert (erratum.id, erratum.text) == ("E07", "[What is right](../errata.md#e07-it-is-wrong)")
    assert (row.id, row.address, row.title, row.place) == ("L08", "lee2019.md#l08", "Order", "Algorithm 1")
    assert row.text == "**Our choice.** By name.\n\n**Alternatives.** Any other."
    assert entry.evidence == ["lee2019/table1", "lee2019/gaps", "lee2019.arms.1"]
    assert check(checkout) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("## E07", "## E7", "E7: expected a heading such as '## L07'"),
        ("**A title.** Table 1", "A title", "L07: expected '**What it is about.** Place in the paper'"),
        ("**Open.** This", "This", "L07: parts Our choice, Alternatives, Effect; expected Open, Our choice"),
        ("**Effect.** None.", "**Effect.**", "L07: parts Open, Our choice, Alternatives; expected"),
        ("#e07-it", "#e08-it", "E07: expected only a link to ../errata.md#e07-... below the title"),
        ("[What is", "Wrong. [What is", "E07: expected only a link"),
        ('id="l08"', 'id="l09"', '| <a id="l09"></a>L08 | **Order.** Algor: expected | <a id="l07"></a>L07'),
        ("| By name. ", "", '| <a id="l08"></a>L08 | **Order.** Algor: expected |'),
    ],
)
def test_a_wrong_entry_names_page_and_id(checkout, capsys, old, new, message):
    (checkout / FOLDER / "lee2019.md").write_text(GOOD.replace(old, new))
    with pytest.raises(LedgerError, match=re.escape(f"docs/ledger/lee2019.md: {message}")):
        read_entries(checkout)
    assert main([]) == 1
    assert message in capsys.readouterr().out


def test_the_next_free_ids_are_named(checkout, capsys):
    assert main([]) == 0
    assert capsys.readouterr().out == f"The ledger is in order. The next free ids are L{'09'} and E{'08'}.\n"


def test_an_id_stands_once(checkout):
    (checkout / FOLDER / "lu2021.md").write_text(GOOD)
    with pytest.raises(LedgerError, match=r"lu2021\.md: L07: also in lee2019\.md; expected distinct ids"):
        read_entries(checkout)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "config/papers/lee2019.yaml",
            "{}",
            "lee2019.md#l07: evidence 'lee2019/table1' is not a table, figure or claim",
        ),
        ("data/published/lee2019.csv", ",".join(COLUMNS), "evidence 'lee2019.arms.1' is not a table, figure or claim"),
        ("src/code.py", "# an entry", "lee2019.md#l07: cited nowhere"),
        ("docs/guide.md", f"L{99}, or L{990} and E.2", f"docs/guide.md: L{99} is not an entry"),
        ("docs/ledger/README.md", "| [lee2019](lee2019.md) | 2 |", "with its number of entries, 3"),
    ],
)
def test_what_does_not_exist_is_named(checkout, capsys, name, text, message):
    (checkout / name).write_text(text)
    assert any(message in fault for fault in check(checkout))
    assert main([]) == 1
    assert message in capsys.readouterr().out
