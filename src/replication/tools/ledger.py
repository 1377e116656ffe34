"""The ledger: what the papers leave open (L) and what in them cannot be right (E), one page per paper.

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
#: The words with which the paragraphs of an entry begin, in order.
PARTS = {"L": ("Open", "Our choice", "Alternatives", "Effect"), "E": ("Wrong", "Evidence", "Effect")}
ID = re.compile(r"\b[LE]\d{2,3}\b")
#: Every entry must be cited in one of these ...
CITING = ("src", "config", "workflow", "README.md", "data", "tests/replication/papers")
#: ... and whatever is cited in any of these must be an entry.
MENTIONING = (*CITING, "tests", "benchmarks", "docs")

_TEXT = {".py", ".yaml", ".csv", ".smk", ".md", ".rst"}
_TITLE = re.compile(r"\*\*(?P<title>.+?)\.\*\*\s+(?P<place>.+)", re.DOTALL)
_PART = re.compile(r"^\*\*(Open|Our choice|Alternatives|Wrong|Evidence|Effect)\.\*\*(?:\s\S|\n\n[^*])", re.MULTILINE)
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
            place = f"{FOLDER.as_posix()}/{path.name}: {name}"
            if not ID.fullmatch(name):
                raise LedgerError(f"{place}: expected a heading such as '## L07' or '## E03'")
            if name in entries:
                raise LedgerError(f"{place}: also in {entries[name].page}.md; expected distinct ids")
            head, _, text = section.strip().partition("\n\n")
            found = _TITLE.fullmatch(head)
            if found is None:
                raise LedgerError(f"{place}: expected '**What it is about.** Place in the paper' below the heading")
            parts = tuple(_PART.findall(text))
            if parts != PARTS[name[0]]:
                raise LedgerError(f"{place}: parts {', '.join(parts)}; expected {', '.join(PARTS[name[0]])}")
            title, where = (" ".join(part.split()) for part in found.groups())
            entries[name] = Entry(name, path.stem, title, where, text)
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
    """Check the ledger of the checkout in the working directory; return the exit status."""
    argparse.ArgumentParser(prog="python -m replication.tools.ledger", description=__doc__).parse_args(arguments)
    try:
        faults = check(Path())
    except LedgerError as error:
        faults = [str(error)]
    print("\n".join(faults) or "The ledger is in order.")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
