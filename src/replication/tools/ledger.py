"""The ledger, one file per entry, and its index.

It says what the papers leave open (L) and what in them cannot be right (E). ``python -m replication.tools.ledger
--verdicts results/verdicts.csv`` writes the index, docs/ledger/README.md; without ``--verdicts`` the index names no
verdicts.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from experiments.atomic import whole
from experiments.settings import LOADER
from replication.judging.verdict_tables import TableError, read

#: Where entries stand, from the root of the checkout; one folder per paper.
FOLDER = Path("docs/ledger")
INDEX = "README.md"
#: The folder of entries that concern several papers, which their front matter names, or none.
STUDY = "study"
#: Whether the effect of a choice, or of an error, is known: from the study's own outputs and tests; in part from runs
#: that no output holds, so that nobody can check them; or not at all.
STATUSES = ("measured", "one-off", "not measured")
#: What evidence can be: an item of a paper, a test, the verdict on a claim.
EVIDENCE = ("table", "figure", "test", "verdict")
#: The headings under which an entry's text stands, in this order.
HEADINGS = {
    "L": ("Open", "Our choice", "Alternatives", "Effect"),
    "E": ("Wrong", "Evidence", "Effect"),
}

_FILE = re.compile(r"(?P<id>[LE]\d{2,3})-[a-z0-9]+(-[a-z0-9]+)*\.md")
_FRONT_MATTER = re.compile(r"---\n(?P<front>.*?)^---\n(?P<text>.*)", re.DOTALL | re.MULTILINE)
#: So many claims are named one by one, more by topic.
_FEW = 3


class LedgerError(ValueError):
    """An entry, or a table of verdicts, that cannot be read.

    The message names the file and what was expected.
    """


@dataclass(frozen=True)
class Entry:
    """One entry.

    Attributes
    ----------
    id : str
        Such as ``L07`` or ``E03``; no two entries share one.
    folder : str
        The slug of its paper, or ``study``.
    path : Path
        From the ledger's folder.
    title, place, status : str
    papers : tuple of str
        Slugs of the papers that it concerns.
    evidence : tuple of pairs of str
        Kind (one of `EVIDENCE`) and what is meant: ``<slug>/<name>`` of a table or figure, ``<file>::<name>`` of a
        test, the id of a claim.
    sections : mapping from str to str
        Text by heading.
    """

    id: str
    folder: str
    path: Path
    title: str
    place: str
    status: str
    papers: tuple[str, ...]
    evidence: tuple[tuple[str, str], ...]
    sections: Mapping[str, str]


def read_entries(ledger: Path) -> dict[str, Entry]:
    """All entries below a folder, by id; those of one paper in the order of their ids, what is open first.

    Raises
    ------
    LedgerError
        If a file is no entry, or if two have one id.
    """
    entries: dict[str, Entry] = {}
    files = [path for path in ledger.rglob("*") if path.is_file() and path != ledger / INDEX]
    for path in sorted(files, key=lambda p: (p.parent, p.name.startswith("E"), p.name)):
        entry = read_entry(path.relative_to(ledger), path.read_text(encoding="utf-8"))
        if entry.id in entries:
            raise LedgerError(f"{entry.path}: the id {entry.id} is that of {entries[entry.id].path} too")
        entries[entry.id] = entry
    return entries


def read_entry(path: Path, text: str) -> Entry:
    """One entry from its path within the ledger and the file's text.

    Raises
    ------
    LedgerError
        If the name, the front matter or a heading is not what it should be.
    """
    name = _FILE.fullmatch(path.name)
    if name is None or len(path.parts) != 2:
        raise LedgerError(f"{path}: expected <slug>/L07-<name>.md or <slug>/E03-<name>.md, in lower case")
    parts = _FRONT_MATTER.fullmatch(text)
    if parts is None:
        raise LedgerError(f"{path}: expected front matter between two lines '---' at the top")
    front = _front_matter(path, parts["front"], in_study=path.parts[0] == STUDY)
    return Entry(
        id=name["id"],
        folder=path.parts[0],
        path=path,
        title=front["title"],
        place=front["place"],
        status=front["status"],
        papers=tuple(front.get("papers", path.parts[:1])),
        evidence=tuple((kind, target) for item in front["evidence"] for kind, target in item.items()),
        sections=_sections(path, parts["text"], HEADINGS[name["id"][0]]),
    )


def _front_matter(path: Path, text: str, *, in_study: bool) -> dict[str, Any]:
    node = _yaml(yaml.compose, path, text)
    if not isinstance(node, yaml.MappingNode):
        raise LedgerError(f"{path}: front matter: expected keys and values")
    expected = ("title", *(["papers"] if in_study else []), "place", "status", "evidence")
    found = Counter(key.value for key, _ in node.value)
    for key, times in found.items():
        if key not in expected:
            raise LedgerError(f"{path}: {key}: unknown; expected {', '.join(expected)}")
        if times > 1:
            raise LedgerError(f"{path}: {key}: stands twice")
    for key in expected:
        if key not in found:
            raise LedgerError(f"{path}: {key}: missing")
    front = _yaml(yaml.load, path, text)
    for key in ("title", "place"):
        if not isinstance(front[key], str) or not front[key].strip() or "\n" in front[key]:
            raise LedgerError(f"{path}: {key}: {front[key]!r} is not a line of text")
    if front["status"] not in STATUSES:
        raise LedgerError(f"{path}: status: {front['status']!r}; expected one of: {', '.join(STATUSES)}")
    papers = front.get("papers", [])
    if not isinstance(papers, list) or not all(isinstance(paper, str) for paper in papers):
        raise LedgerError(f"{path}: papers: {papers!r} is not a list of slugs")
    _check_evidence(path, front["status"], front["evidence"])
    return dict(front)


def _yaml(read: Callable[[str, Any], Any], path: Path, text: str) -> Any:
    try:
        return read(text, LOADER)
    except yaml.YAMLError as error:
        raise LedgerError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error


def _check_evidence(path: Path, status: str, evidence: object) -> None:
    if not isinstance(evidence, list):
        raise LedgerError(f"{path}: evidence: {evidence!r} is not a list")
    for item in evidence:
        valid = isinstance(item, dict) and len(item) == 1 and all(isinstance(target, str) for target in item.values())
        if not valid or next(iter(item)) not in EVIDENCE:
            expected = ", ".join(f"{kind}: ..." for kind in EVIDENCE)
            raise LedgerError(f"{path}: evidence: {item!r}; expected one of: {expected}")
    if status == "measured" and not evidence:
        raise LedgerError(f"{path}: evidence: empty, but the status is 'measured'")
    if status == "not measured" and evidence:
        raise LedgerError(f"{path}: evidence: given, but the status is 'not measured'")


def _sections(path: Path, text: str, headings: Sequence[str]) -> dict[str, str]:
    before, *parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    sections = {heading: body.strip() for heading, body in zip(parts[::2], parts[1::2], strict=True)}
    if before.strip() or parts[::2] != list(headings):
        raise LedgerError(f"{path}: headings: {', '.join(parts[::2])}; expected exactly: {', '.join(headings)}")
    for heading, body in sections.items():
        if not body:
            raise LedgerError(f"{path}: {heading}: no text")
    return sections


def read_citations(verdicts: Path, known: Iterable[str]) -> dict[str, list[str]]:
    """The claims whose verdicts cite each entry.

    Parameters
    ----------
    verdicts : Path
        A table of verdicts; its column ``ledger`` holds ids of entries with spaces between them.
    known : iterable of str
        Ids of all entries.

    Returns
    -------
    dict from str to list of str
        Ids of claims in the table's order, by the entry's id.

    Raises
    ------
    LedgerError
        If an id is unknown.
    TableError
        If the table is damaged.
    """
    cited: dict[str, list[str]] = {name: [] for name in known}
    for claim, row in read(verdicts).items():
        for name in row["ledger"].split():
            if name not in cited:
                raise LedgerError(f"{verdicts}: {claim}: ledger: no entry {name!r}")
            cited[name].append(claim)
    return cited


def index(entries: Mapping[str, Entry], cited: Mapping[str, Sequence[str]]) -> str:
    """The index as Markdown: per paper its entries, with the verdicts that cite them.

    Parameters
    ----------
    entries : mapping from str to Entry
    cited : mapping from str to sequence of str
        Ids of claims by the id of the entry that their verdicts cite.
    """
    counts = Counter(entry.status for entry in entries.values())
    parts = [
        "# Ledger\n\n"
        "What the papers leave open and how the study settles it (`L…`); what in a paper cannot be right, with the "
        "evidence (`E…`).\n"
        "Code, configuration, verdicts and captions cite these ids. `make reference` makes this index "
        "from the entries\n"
        "and from `results/verdicts.csv`.\n\n"
        "The effect of a choice or of an error is `measured` in an output or a test of the study, which the entry "
        "names;\nor rests at least in part on `one-off` runs, which no output holds; or is `not measured`. Of "
        f"{len(entries)} entries\n{', '.join(f'{counts[status]} are {status}' for status in STATUSES)}."
    ]
    folders = defaultdict(list)
    for entry in entries.values():
        folders[entry.folder].append(entry)
    for folder in sorted(folders, key=lambda name: (name == STUDY, name)):
        lines = [
            f"## {'Several papers' if folder == STUDY else folder}\n",
            "| id | what | status | verdicts that cite it |",
            "| --- | --- | --- | --- |",
        ]
        for entry in folders[folder]:
            what = entry.title + (f" ({', '.join(entry.papers)})" if folder == STUDY else "")
            link = f"[{entry.id}]({entry.path.as_posix()})"
            lines.append(f"| {link} | {what} | {entry.status} | {grouped(cited.get(entry.id, ()))} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def grouped(claims: Sequence[str]) -> str:
    """Write ids of claims as Markdown.

    Many ids are grouped, one per topic, ``huang2022.table1.*``, with how many there are.
    """
    topics = defaultdict(list)
    for claim in claims:
        topics[".".join(claim.split(".")[:2]) if len(claims) > _FEW else claim].append(claim)
    return ", ".join(
        f"`{topic}.*` ({len(same)})" if len(same) > 1 else f"`{same[0]}`" for topic, same in topics.items()
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the index; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.ledger", description=__doc__)
    parser.add_argument("--verdicts", type=Path, metavar="CSV", help="table of verdicts, such as results/verdicts.csv")
    options = parser.parse_args(arguments)
    try:
        entries = read_entries(FOLDER)
        cited = read_citations(options.verdicts, entries) if options.verdicts else {}
        with whole(FOLDER / INDEX) as temporary:
            temporary.write_text(index(entries, cited), encoding="utf-8", newline="\n")
    except (OSError, LedgerError, TableError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    print(f"{FOLDER / INDEX}: {len(entries)} entries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
