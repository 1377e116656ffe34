"""The errata: one section for each E entry of the ledger, with a few lines of Python that print what the page says."""

import doctest
import re

import pytest
from test_links import ROOT, text_of

from replication.tools.ledger import read_entries

PAGE = ROOT / "docs/errata.md"
SECTIONS = {text.partition(":")[0]: text for text in re.split(r"^### ", text_of(PAGE), flags=re.MULTILINE)[1:]}
ENTRIES = {name: entry for name, entry in read_entries(ROOT).items() if name[0] == "E"}


def anchor(text):
    heading = text.partition("\n")[0].lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def test_every_e_entry_is_a_section_with_its_title_and_paper():
    assert {name for name in SECTIONS if name[0] == "E"} == set(ENTRIES)
    for name, entry in ENTRIES.items():
        assert f"(../errata.md#{anchor(SECTIONS[name])})" in entry.text
        assert SECTIONS[name].startswith(f"{name}: {entry.title}\n\n*{entry.page}, ")
        assert all(f"**{word}:**" in SECTIONS[name] for word in ("Printed", "Right"))


def test_every_paper_page_links_all_errata_of_its_paper():
    for name, text in SECTIONS.items():
        slug = re.search(r"^\*(\w+),", text, re.MULTILINE)[1]
        assert f"(../errata.md#{anchor(text)})" in text_of(ROOT / f"docs/papers/{slug}.md"), name


@pytest.mark.parametrize("name", SECTIONS)
def test_an_erratum_is_shown_in_ten_lines(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    (block,) = re.findall(r"^```pycon\n(.*?)^```$", SECTIONS[name], re.MULTILINE | re.DOTALL)
    example = doctest.DocTestParser().get_doctest(block, {}, name, str(PAGE), 0)
    assert 0 < sum(len(each.source.splitlines()) for each in example.examples) <= 10
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(example, out=report.append)
    assert not report, "".join(report)
