"""The glossary fits on a page, and its words are those of the other pages."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/guide/glossary.md"
TERMS = re.findall(r"^- \*\*(.+?)\*\*: (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
OTHERS = [ROOT / "README.md", ROOT / "config/README.md", *sorted((ROOT / "docs").glob("*.md"))]
OTHERS += [
    path for part in ("algorithms", "guide", "papers", "tutorials") for path in (ROOT / "docs" / part).glob("*.md")
]


def test_it_has_at_most_80_terms_each_in_one_sentence():
    names = [name for name, _ in TERMS]
    assert 40 <= len(names) <= 80
    assert len(names) == len(set(names))
    assert [name for name, text in TERMS if not re.fullmatch(r"(?:[^.]|\.(?=\S))+\.", text)] == []


def test_its_parts_are_in_alphabetical_order():
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        names = re.findall(r"^- \*\*(.+?)\*\*", part, flags=re.MULTILINE)
        assert names == sorted(names, key=str.lower)


def test_every_term_is_used_on_another_page():
    text = "\n".join(path.read_text(encoding="utf-8") for path in OTHERS if path != PAGE)
    plain = re.sub(r"\s+", " ", text)
    unused = [
        name for name, _ in TERMS if not re.search(rf"(?<!\w){re.escape(name)}(?:s|es)?(?!\w)", plain, re.IGNORECASE)
    ]
    assert unused == []
