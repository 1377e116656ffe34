"""Read raw files: lines with numbers, a content hash, and a report of what was wrong where."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from causal_bandits.datasets import DataError

#: What a bad line does: ``raise`` stops at the first one, ``count`` leaves it out and reports it.
OnBad = Literal["raise", "count"]

#: So many places are remembered of each kind of trouble.
PLACES_SHOWN = 5


@dataclass
class Tally:
    """How often something was met, and where first.

    Parameters
    ----------
    count : int
    places : list of str
        ``file:line`` of the first `PLACES_SHOWN` of them.
    """

    count: int = 0
    places: list[str] = field(default_factory=list)

    def add(self, place: str) -> None:
        """Count one more, at ``place``."""
        self.count += 1
        if len(self.places) < PLACES_SHOWN:
            self.places.append(place)


@dataclass
class LoadReport:
    """What a loader read, left out and found missing.

    ``lines = rows + blank + comments +`` all of ``left_out``.

    Parameters
    ----------
    sha256 : dict
        File name to the SHA-256 of its content (with Unix line ends).
    lines, rows, blank, comments : int
        Lines of the files, records kept, empty lines, comment lines.
    left_out : dict of str to Tally
        Reason to the lines that are no records.
    missing : dict of str to Tally
        Column to the kept records that lack its value.
    """

    sha256: dict[str, str] = field(default_factory=dict)
    lines: int = 0
    rows: int = 0
    blank: int = 0
    comments: int = 0
    left_out: dict[str, Tally] = field(default_factory=dict)
    missing: dict[str, Tally] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain dictionaries, for JSON."""

        def plain(tallies: Mapping[str, Tally]) -> dict[str, Any]:
            return {name: {"count": tally.count, "first": tally.places} for name, tally in tallies.items()}

        return {
            "lines": self.lines,
            "rows": self.rows,
            "blank": self.blank,
            "comments": self.comments,
            "left_out": plain(self.left_out),
            "missing": plain(self.missing),
        }

    def __str__(self) -> str:
        """Write one line per fact."""
        facts = [f"{self.lines} lines: {self.rows} records, {self.blank} blank, {self.comments} comments"]
        for title, tallies in (("left out", self.left_out), ("missing", self.missing)):
            for name, tally in tallies.items():
                more = ", ..." if tally.count > len(tally.places) else ""
                facts.append(f"{title}: {tally.count} x {name} ({', '.join(tally.places)}{more})")
        return "\n".join(facts)


@dataclass(frozen=True)
class TextFile:
    """A text file in memory.

    Parameters
    ----------
    path : Path
    sha256 : str
        Of the content with Unix line ends, so that a copy with Windows ones has the same.
    lines : list of str
        Without their ends.
    ends_cleanly : bool
        The last line has an end: nothing was cut off inside it.
    """

    path: Path
    sha256: str
    lines: list[str]
    ends_cleanly: bool


def read_text(path: str | Path) -> TextFile:
    """Read a file whole.

    Raises
    ------
    FileNotFoundError
        If there is no such file; the message names it.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file")
    content = path.read_bytes().replace(b"\r\n", b"\n")
    # Bytes that are no UTF-8 become U+FFFD: the field that holds them then fails its own check, by line.
    lines = content.decode("utf-8", errors="replace").split("\n")
    ends_cleanly = lines[-1] == ""
    if ends_cleanly:
        lines.pop()
    return TextFile(path, hashlib.sha256(content).hexdigest(), lines, ends_cleanly)


def leave_out(report: LoadReport, file: TextFile, line: int, reason: str, detail: str, on_bad: OnBad) -> None:
    """Count a bad line, or stop at it.

    Raises
    ------
    DataError
        With ``detail``, if ``on_bad`` is ``raise``.
    """
    if on_bad == "raise":
        cut = "; the file ends inside this line: it is cut off" if is_cut(file, line) else ""
        raise DataError(f"{file.path}, line {line}: {detail}{cut}")
    report.left_out.setdefault(reason, Tally()).add(f"{file.path.name}:{line}")


def is_cut(file: TextFile, line: int) -> bool:
    """Say whether ``line`` (from 1) is the file's last and has no end."""
    return line == len(file.lines) and not file.ends_cleanly


def note_missing(report: LoadReport, file: TextFile, line: int, column: str) -> None:
    """Count a missing value of a record that is kept."""
    report.missing.setdefault(column, Tally()).add(f"{file.path.name}:{line}")


def verify_hash(file: TextFile, expected: str) -> None:
    """Compare a file's content with a pinned hash.

    Raises
    ------
    DataError
        If they differ.
    """
    if file.sha256 != expected:
        raise DataError(
            f"{file.path}: SHA-256 {file.sha256}, expected {expected}: not the file that the study's numbers come "
            "from (verify=False accepts another)"
        )


def provenance(source: Mapping[str, str], report: LoadReport, originals: Collection[str], rule: str) -> dict[str, Any]:
    """Say where a table of counts comes from; files that are not the originals are called so."""
    data = source["data"]
    if not set(report.sha256.values()) <= set(originals):
        data = f"not the original files, but others in the layout of: {data}"
    return {**source, "data": data, "sha256": report.sha256, "rule": rule, "report": report.as_dict()}
