"""Every ledger id that anything cites exists, and every entry is cited."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CITING = ("src", "config", "workflow", "README.md", "data")
FIELDS = ("paper", "place", "open", "our choice", "alternatives", "effect")
ERRATUM_FIELDS = ("paper", "place", "wrong", "evidence", "effect")


def entries():
    text = (ROOT / "docs/ledger.md").read_text()
    parts = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    return {part.split(":", 1)[0]: part for part in parts}


def citations():
    found = set()
    for top in CITING:
        path = ROOT / top
        files = (
            [path]
            if path.is_file()
            else [p for p in path.rglob("*") if p.suffix in {".py", ".yaml", ".smk", ".md", ".rst"}]
        )
        for file in files:
            found |= set(re.findall(r"\b[LE]\d{2}\b", file.read_text()))
    return found


def test_citations_and_entries_agree():
    assert citations() == set(entries())


def test_every_entry_has_its_fields():
    for name, entry in entries().items():
        fields = FIELDS if name.startswith("L") else ERRATUM_FIELDS
        missing = [field for field in fields if not re.search(rf"^- {field}: \S", entry, flags=re.MULTILINE)]
        assert not missing, f"{name} lacks {missing}"


def test_the_readme_has_no_unfilled_places():
    assert not re.findall(r"@[A-Z]+@", (ROOT / "README.md").read_text())
