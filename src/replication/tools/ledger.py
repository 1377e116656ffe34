"""The ledger: what the papers leave open (L) and what in them cannot be right (E), one page per paper.

An E entry is a line and a link to its section of the errata. An L entry is a section, or, if it is short, a row of
the page's last section.

``python -m replication.tools.ledger`` checks the form of every entry, the evidence that it names, and all citations.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.config import read_yaml
from replication.judging.claims import read as read_printed

#: Where the pages are, relative to the root of the checkout.
FOLDER = Path("docs/ledger")
INDEX = "README.md"
#: The words with which the paragraphs of an L entry begin, in order.
PARTS = ("Open", "Our choice", "Alternatives", "Effect")
#: The section of the entries that are rows of a table.
OTHERS = "Other choices"
ID = re.compile(r"\b[LE]\d{2,3}\b")
#: Every entry must be cited in one of these ...
CITING = ("src", "config", "workflow", "README.md", "data", "tests/replication/papers")
#: ... and whatever is cited in any of these must be an entry.
MENTIONING = (*CITING, "tests", "benchmarks", "docs")

_TEXT = {".py", ".yaml", ".csv", ".smk", ".md", ".rst"}
_TITLE = re.compile(r"\*\*(?P<title>.+?)\.\*\*\s+(?P<place>.+)", re.DOTALL)
_PART = re.compile(r"^\*\*(Open|Our choice|Alternatives|Effect)\.\*\*(?:\s\S|\n\n[^*])", re.MULTILINE)
_ERRATUM = re.compile(r"\[[^\]]+\]\(\.\./errata\.md#(?P<id>\w+)-[\w-]+\)")
_ROW = re.compile(
    r'\| <a id="(?P<anchor>\w+)"></a>(?P<id>\w+) \| \*\*(?P<title>.+?)\.\*\* (?P<place>.+?) '
    r"\| (?P<choice>.+?) \| (?P<alternatives>.+?) \|"
)
_EVIDENCE = "\n\n**Evidence:** "


class LedgerError(ValueError):
    """An entry that cannot be read. The message names the page, the entry and what was expected."""


@dataclass(frozen=True)
class Entry:
    """One entry.

    Attributes
    ----------
    id : str
        Such as ``L07`` or ``E03``; no two entries share one.
    page : str
        The slug of its paper, ``study`` for several papers, or ``arena``.
    title, place : str
        What it is about, and where in the paper.
    text : str
        The paragraphs below, as Markdown.
    """

    id: str
    page: str
    title: str
    place: str
    text: str

    @property
    def address(self) -> str:
        """The file and anchor, relative to the ledger's folder: ``lee2019.md#l07``."""
        return f"{self.page}.md#{self.id.lower()}"

    @property
    def evidence(self) -> list[str]:
        """Tables and figures, ``<slug>/<name>``, and claims with a verdict, by their ids."""
        return re.findall(r"[`\[]([\w./]+)[`\]]", self.text.rpartition(_EVIDENCE)[2] if _EVIDENCE in self.text else "")


def read_entries(root: Path) -> dict[str, Entry]:
    """Read all entries of a checkout by id, in the order of the pages.

    Raises
    ------
    LedgerError
        If an entry does not have the form that the index describes, or two have the same id.
    """
    entries: dict[str, Entry] = {}
    for path in sorted((root / FOLDER).glob("*.md")):
        if path.name == INDEX:
            continue
        _, *sections = re.split(r"^## (.*)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for name, section in zip(sections[::2], sections[1::2], strict=True):
            found = _rows(path, section) if name == OTHERS else [_section(path, name, section)]
            for entry in found:
                if entry.id in entries:
                    other = entries[entry.id].page
                    raise LedgerError(f"{_place(path, entry.id)}: also in {other}.md; expected distinct ids")
                entries[entry.id] = entry
    return entries


def _place(path: Path, name: str) -> str:
    return f"{FOLDER.as_posix()}/{path.name}: {name}"


def _section(path: Path, name: str, section: str) -> Entry:
    """Read an entry that is a section of its page."""
    place = _place(path, name)
    if not ID.fullmatch(name):
        raise LedgerError(f"{place}: expected a heading such as '## L07' or '## E03', or '## {OTHERS}'")
    head, _, text = section.strip().partition("\n\n")
    found = _TITLE.fullmatch(head)
    if found is None:
        raise LedgerError(f"{place}: expected '**What it is about.** Place in the paper' below the heading")
    if name[0] == "E":
        linked = _ERRATUM.fullmatch(text)
        if linked is None or linked["id"] != name.lower():
            raise LedgerError(f"{place}: expected only a link to ../errata.md#{name.lower()}-... below the title")
    elif (parts := tuple(_PART.findall(text))) != PARTS:
        raise LedgerError(f"{place}: parts {', '.join(parts)}; expected {', '.join(PARTS)}")
    title, where = (" ".join(part.split()) for part in found.groups())
    return Entry(name, path.stem, title, where, text)


def _rows(path: Path, section: str) -> list[Entry]:
    """Read the entries that are rows of a page's table."""
    entries = []
    for line in section.strip().splitlines()[2:]:
        found = _ROW.fullmatch(line)
        if found is None or not ID.fullmatch(found["id"]) or found["anchor"] != found["id"].lower():
            form = '| <a id="l07"></a>L07 | **What it is about.** Place | our choice | alternatives |'
            raise LedgerError(f"{_place(path, line[:40])}: expected {form}")
        text = f"**Our choice.** {found['choice']}\n\n**Alternatives.** {found['alternatives']}"
        entries.append(Entry(found["id"], path.stem, found["title"], found["place"], text))
    return entries


def check(root: Path) -> list[str]:
    """Return a line for everything that is wrong with the ledger of a checkout.

    Raises
    ------
    LedgerError
        If an entry cannot be read.
    """
    entries, known = read_entries(root), _known(root)
    faults = [
        f"{entry.address}: evidence {name!r} is not a table, figure or claim"
        for entry in entries.values()
        for name in entry.evidence
        if name not in known
    ]
    faults += [f"{path}: {id_} is not an entry" for id_, path in _cited(root, MENTIONING).items() if id_ not in entries]
    cited = _cited(root, CITING)
    faults += [f"{entry.address}: cited nowhere" for entry in entries.values() if entry.id not in cited]
    index = (root / FOLDER / INDEX).read_text(encoding="utf-8")
    for page, number in Counter(entry.page for entry in entries.values()).items():
        if f"[{page}]({page}.md) | {number} |" not in index:
            faults.append(f"{INDEX}: expected a row for {page} with its number of entries, {number}")
    return faults


def _known(root: Path) -> set[str]:
    """Return the names of the tables and figures of all papers and of the arena, and of all claims."""
    known = {id_ for path in (root / "data/published").glob("*.csv") for id_ in read_printed(path)}
    for path in [*(root / "config/papers").glob("*.yaml"), root / "src/arena/config/arena.yaml"]:
        settings = read_yaml(path, str(path))
        known |= {f"{path.stem}/{name}" for kind in ("tables", "figures") for name in settings.get(kind, {})}
    return known


def _cited(root: Path, places: Iterable[str]) -> dict[str, Path]:
    """Find the ids that text files cite, each with one file that cites it."""
    found: dict[str, Path] = {}
    for place in places:
        top = root / place
        for path in [top] if top.is_file() else top.rglob("*"):
            if path.suffix in _TEXT:
                found |= dict.fromkeys(ID.findall(path.read_text(encoding="utf-8")), path.relative_to(root))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the ledger of the checkout in the working directory, and name the next free ids; return the exit status."""
    argparse.ArgumentParser(prog="python -m replication.tools.ledger", description=__doc__).parse_args(arguments)
    try:
        faults, entries = check(Path()), read_entries(Path())
    except LedgerError as error:
        print(error)
        return 1
    free = [f"{kind}{max(int(id_[1:]) for id_ in entries if id_[0] == kind) + 1:02}" for kind in "LE"]
    print("\n".join(faults) or f"The ledger is in order. The next free ids are {' and '.join(free)}.")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
