"""The two tables of verdicts: their columns, how they are written, strictly read and counted.

A table of verdicts has one row per claim; a table of readings has one per claim and reading of what the paper leaves
open. There is one of each per paper, and one of each for all papers. Outcomes are counted claim by claim, separately
for each family of kinds (`FAMILIES`), and never over all kinds; what is true by construction is not counted.
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import compress
from pathlib import Path

from experiments.files import whole
from replication.judging.claims import FAMILIES, KINDS
from replication.judging.claims import read as read_printed
from replication.judging.judges.judgement import FAULTS, LEVEL, LONGEST, REASONS, Outcome, Why
from replication.judging.readings import which_decide

#: The columns of a judgement in both tables.
_JUDGED = ("replicated", "ci_low", "ci_high", "n", "outcome", "why", "reason")

#: Columns of a table of verdicts.
COLUMNS = (
    *("claim_id", "paper", "place", "row", "column", "kind", "statement", "headline", "published", "shown"),
    *(*_JUDGED, "ledger", "in_view"),
)

#: Columns of a table of readings; ``default`` is ``yes`` or empty.
READING_COLUMNS = ("claim_id", "reading", "default", *_JUDGED)

#: The value of the column ``headline`` for a claim on which the abstract relies.
HEADLINE = "yes"

#: A cell added to a verdict for readers (`confirmation.beside`): other outcomes that other runs gave.
ELSEWHERE = "elsewhere"

#: Follows the outcome of a test of which we chose a part after seeing results.
DAGGER = "†"

#: What the other choice gives, in the column ``in_view``: an outcome after each ledger entry, or ``same``.
_OTHER = re.compile(rf"\b[LE]\d+: ({'|'.join(Outcome)})\b")

#: How judges of an ordering write their value: the difference, the larger value and the smaller value.
_DIFFERENCE = re.compile(r"difference (\S+) \((\S+) against (\S+)\)")

#: Published values of orderings, which do not name the sides.
_RELATIONS = ("<", "<=", "=", ">=", ">")

#: The value of the column ``default`` for the default reading.
DEFAULT = "yes"

Row = Mapping[str, str]
#: Rows of a table of readings, by claim and reading.
OfReadings = Mapping[str, Mapping[str, Row]]


class TableError(ValueError):
    """A table of verdicts that cannot be read; the message names the file, the line and what was expected."""


def read(path: str | Path) -> dict[str, dict[str, str]]:
    """Read the rows of a table of verdicts by claim, in order; a paper without claims has none.

    Raises
    ------
    TableError
        In one line, if the file does not have the form that `write` gives it.
    OSError
        If it is missing.
    """
    found: dict[str, dict[str, str]] = {}
    for place, row in _rows(path, COLUMNS):
        if row["claim_id"] in found:
            raise TableError(f"{place}: claim_id: {row['claim_id']!r} is listed twice")
        _check(place, row)
        if row["kind"] not in KINDS:
            raise TableError(f"{place}: kind: {row['kind']!r}; expected one of: {', '.join(KINDS)}")
        if row["headline"] not in ("", HEADLINE):
            raise TableError(f"{place}: headline: {row['headline']!r}; expected {HEADLINE!r} or nothing")
        found[row["claim_id"]] = row
    return found


def read_readings(path: str | Path) -> dict[str, dict[str, dict[str, str]]]:
    """Read the rows of a table of readings by claim and reading, in order; raises the same errors as `read`."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for place, row in _rows(path, READING_COLUMNS):
        of_claim = found.setdefault(row["claim_id"], {})
        if row["reading"] in of_claim:
            raise TableError(f"{place}: reading: {row['reading']!r} of {row['claim_id']} is listed twice")
        _check(place, row)
        if row["default"] != ("" if of_claim else DEFAULT):
            raise TableError(f"{place}: default: {row['default']!r}; expected {DEFAULT!r} for a claim's first reading")
        of_claim[row["reading"]] = row
    return found


def _rows(path: str | Path, columns: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Read the rows of a table, each with its place for error messages."""
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise TableError(f"{path}: not UTF-8 (byte {error.start}); expected a table as the study writes it") from None
    if text.startswith("\ufeff"):
        raise TableError(f"{path}: begins with a byte order mark; expected a table as the study writes it")
    if not text:
        raise TableError(f"{path}: empty; expected a table as the study writes it")
    if not text.endswith("\n"):
        raise TableError(f"{path}: its last line has no line end; the file is truncated")
    rows = csv.reader(text.splitlines(keepends=True), strict=True)
    found = []
    try:
        header = next(rows)
        if header != list(columns):
            raise TableError(f"{path}:1: columns {','.join(header)}; expected {','.join(columns)}")
        for cells in rows:
            if len(cells) != len(columns):
                raise TableError(f"{path}:{rows.line_num}: {len(cells)} cells; expected {len(columns)}")
            place = f"{path}:{rows.line_num}: {cells[0]}"
            found.append((place, dict(zip(columns, cells, strict=True))))
    except csv.Error as error:
        raise TableError(f"{path}:{rows.line_num}: {error}") from None
    return found


def _check(place: str, row: Row) -> None:
    """Check that words are known, that numbers are numbers, and that open rows say why they are."""
    if row["outcome"] not in tuple(Outcome):
        raise TableError(f"{place}: outcome: {row['outcome']!r}; expected one of: {', '.join(Outcome)}")
    reasons = REASONS[Outcome(row["outcome"])]
    if row["why"] not in (reasons if row["outcome"] == Outcome.OPEN else ("", *reasons)):
        expected = ", ".join(reasons) or "nothing"
        raise TableError(f"{place}: why: {row['why']!r} but {row['outcome']}; expected one of: {expected}")
    if not row["n"].isdecimal():
        raise TableError(f"{place}: n: {row['n']!r}; expected a whole number")
    for name in ("ci_low", "ci_high"):
        if row[name] and not _is_number(row[name]):
            raise TableError(f"{place}: {name}: {row[name]!r}; expected a number or nothing")
    if not 0 < len(row["reason"]) <= LONGEST:
        raise TableError(f"{place}: reason: {len(row['reason'])} characters; expected 1 to {LONGEST}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def combine(
    tables: Sequence[str | Path],
    readings: Sequence[str | Path],
    published: Sequence[str | Path],
    output: str | Path,
    output_readings: str | Path,
    summary: str | Path,
) -> None:
    """Combine the verdicts of several papers into one table of each kind, and summarise them as Markdown.

    Parameters
    ----------
    tables, readings : sequence of path
        Written by `verdicts.judge`, one of each per paper.
    published : sequence of path
        The tables of what the papers print, in the same order: every claim must have a verdict. A paper without
        claims has none.
    output, output_readings : path
        CSV, all rows.
    summary : path
        Markdown: headlines; outcomes by kind and by paper; why claims are open.

    Raises
    ------
    TableError
        If a table is damaged, or a claim has no verdict.
    """
    rows: list[dict[str, str]] = []
    of_readings: dict[str, dict[str, dict[str, str]]] = {}
    for table, other, path in zip(tables, readings, published, strict=True):
        found, of_paper = read(table), read_readings(other)
        check_complete(found, read_printed(path), str(table))
        if foreign := of_paper.keys() - found.keys():
            raise TableError(f"{other}: {min(foreign)}: no such claim in {table}")
        rows.extend(found.values())
        of_readings |= of_paper
    write(rows, output)
    write((row for of_claim in of_readings.values() for row in of_claim.values()), output_readings, READING_COLUMNS)
    with whole(summary) as temporary:
        temporary.write_text(summarise(rows, of_readings), encoding="utf-8")


def check_complete(found: Collection[str], claims: Collection[str], place: str) -> None:
    """Check that every claim has a verdict, and that there are no others.

    Raises
    ------
    TableError
        For the first that is missing or unknown.
    """
    missing, foreign = ([c for c in a if c not in b] for a, b in ((claims, found), (found, claims)))
    if missing:
        raise TableError(f"{place}: {len(missing)} of {len(claims)} claims have no verdict, first {missing[0]}")
    if foreign:
        raise TableError(f"{place}: {foreign[0]} is not a claim of data/published")


def summarise(rows: Sequence[Row], readings: OfReadings) -> str:
    """Write headlines and counts of outcomes as Markdown."""
    first = any(row["headline"] for row in rows)
    shown = [headlines(rows, readings), "", chosen_in_view(rows), ""] if first else []
    counted = list(filter(is_counted, rows))
    undecided = Counter(row["why"] for row in counted if row["outcome"] == Outcome.OPEN)
    tested = sum(is_tested(row) for row in rows)
    left = len(rows) - len(counted)
    return "\n".join(
        [
            "# Verdicts",
            "",
            *shown,
            f"Each claim counts once, by its kind; {left} that are true by construction are not counted.",
            "",
            by_kind(rows),
            "",
            "How many hold, of all that are counted:",
            "",
            overview(rows),
            "",
            faults(rows),
            "",
            "Why claims are open:",
            "",
            markdown(["why", "open"], [[word, undecided[word]] for word in REASONS[Outcome.OPEN]]),
            "",
            f"We do not correct for multiplicity. {tested} claims are tested on simulations. Each test calls a true",
            f"claim false in at most {100 * LEVEL:g} % of cases, and as rarely calls a claim true that is off by more",
            "than the test's precision. For a number that is tested both alone and with its column the limit is",
            f"{200 * LEVEL:g} %. So chance explains up to {LEVEL * tested:.1f} wrong outcomes, or "
            f"{2 * LEVEL * tested:.1f} if every claim were tested twice.",
            "",
        ]
    )


def is_counted(row: Row) -> bool:
    """Return whether a row is counted: whether its claim could have failed."""
    return row["why"] != Why.BY_CONSTRUCTION


def is_tested(row: Row) -> bool:
    """Return whether chance can make the outcome wrong: whether a simulation tested the claim, or could have."""
    return row["n"] != "0" and row["why"] not in (
        Why.OMITTED,
        Why.UNTESTABLE,
        Why.NOT_RUN,
        Why.FITTED,
        Why.BY_CONSTRUCTION,
    )


def family_of(row: Row) -> str:
    """Return the family of kinds with which a row is counted."""
    return next(family for family, kinds in FAMILIES.items() if row["kind"] in kinds)


def counts(rows: Iterable[Row]) -> dict[str, Counter[str]]:
    """Count the rows of each family by outcome, without those true by construction."""
    found: dict[str, Counter[str]] = {family: Counter() for family in FAMILIES}
    for row in filter(is_counted, rows):
        found[family_of(row)][row["outcome"]] += 1
    return found


def by_kind(rows: Iterable[Row]) -> str:
    """Count outcomes by family of kinds as Markdown."""
    lines = [[family, *(of[word] for word in Outcome), of.total()] for family, of in counts(rows).items() if of.total()]
    return markdown(["", *Outcome, "all"], lines)


def overview(rows: Sequence[Row]) -> str:
    """Say how many claims hold by paper and family of kinds as Markdown: ``33 of 47``."""
    papers = dict.fromkeys(row["paper"] for row in rows)
    lines = []
    for paper in papers:
        of_paper = counts(row for row in rows if row["paper"] == paper)
        lines.append([paper, *map(held, of_paper.values())])
    return markdown(["paper", *FAMILIES], lines)


def held(of: Counter[str]) -> str:
    """Say how many of some claims hold: ``33 of 47``, or that there are none."""
    return f"{of[Outcome.HOLDS]} of {of.total()}" if of.total() else "none"


def faults(rows: Iterable[Row]) -> str:
    """Count the errors, slips and misprints of the papers by the kind of the claims that fail because of them."""
    found = Counter((family_of(row), row["why"]) for row in rows if row["outcome"] == Outcome.FAILS)
    lines = [[family, *(found[family, fault] for fault in FAULTS)] for family in FAMILIES]
    told = "The claims that fail because of something wrong in the paper itself:"
    return f"{told}\n\n{markdown(['', *FAULTS], lines)}"


def chosen_in_view(rows: Iterable[Row]) -> str:
    """Say what a dagger means, and by kind how many tests it marks and how many outcomes the other choice changes."""
    of_kind: dict[str, list[Row]] = {family: [] for family in FAMILIES}
    for row in filter(is_counted, rows):
        of_kind[family_of(row)].append(row)
    told: list[str] = []
    for family, of in of_kind.items():
        if chosen := [row for row in of if row["in_view"]]:
            changes = f"{'' if told else 'the other choice changes '}{differ(chosen)}"
            told.append(f"{len(chosen)} of {len(of)} {family} ({changes})")
    return f"{DAGGER} We chose part of the test after seeing results, for {', '.join(told) or 'no claim'}."


def differ(rows: Iterable[Row]) -> int:
    """Count the rows whose outcome other choices would change."""
    return sum(bool(other_outcomes(row)) for row in rows)


def other_outcomes(row: Row) -> list[str]:
    """List the outcomes other than a row's own that other choices give, from its column ``in_view``."""
    given = dict.fromkeys(_OTHER.findall(row["in_view"]))
    return [outcome for outcome in given if outcome != row["outcome"]]


def _marks(row: Row) -> str:
    """Return what follows an outcome.

    That is a dagger, with the outcomes under other choices if they differ, and other outcomes that other runs gave.
    """
    elsewhere = f" ({row[ELSEWHERE]})" if row.get(ELSEWHERE) else ""
    if not row["in_view"]:
        return elsewhere
    others = " or ".join(other_outcomes(row))
    return f" {DAGGER} (otherwise {others}){elsewhere}" if others else f" {DAGGER}{elsewhere}"


def headlines(rows: Iterable[Row], readings: OfReadings, *, of_one: bool = False) -> str:
    """Write the claims on which the papers' abstracts rely as Markdown.

    The table shows what is claimed, the numbers and the outcome.

    Parameters
    ----------
    rows : iterable of dict
        With the columns of `COLUMNS`.
    readings : dict from claim to reading to row
        As `read_readings` reads them; a claim without readings may be missing.
    of_one : bool
        Whether all rows are of one paper, so no column needs to name it.
    """
    lines = [
        [row["paper"], *map(_plain, headline(row, readings.get(row["claim_id"], {}).values()))]
        for row in rows
        if row["headline"]
    ]
    header = ["paper", "claim", "published", "ours", "outcome"]
    return markdown(header[of_one:], [line[of_one:] for line in lines])


def headline(row: Row, readings: Collection[Row]) -> tuple[str, str, str, str]:
    """Write a headline's statement, published value, our value and outcome."""
    shown = row["shown"] or (row["column"] if row["published"] in _RELATIONS else row["published"])
    return row["statement"], shown, ours(row, readings, shown), outcome_of(row, readings)


def ours(row: Row, readings: Collection[Row], sides: str) -> str:
    """Write our value to three digits: its sides, its interval, and its range over other readings that count.

    ``sides`` are the two sides of an ordering as published, ``UCB > TS`` or ``TS < UCB``; the value then reads
    "UCB 42.4 > TS 29.8, gap 12.6 (8.0 to 17.2); other readings 1.3 to 10.0", with the sign of our difference.
    """
    found, interval = _DIFFERENCE.fullmatch(row["replicated"]), _interval(row)
    two = re.split(" [<>] ", sides)
    if found and len(two) == 2:
        (more, less), (gap, larger, smaller) = two[:: 1 if " > " in sides else -1], found.groups()
        sign = ">" if float(gap) > 0 else "<" if float(gap) < 0 else "="
        told = f"{more} {three_digits(larger)} {sign} {less} {three_digits(smaller)}, gap {three_digits(gap)}"
    else:
        told = three_digits(row["replicated"]) or ("not tested by default" if readings else "")
    deciding = compress(readings, which_decide([reading["why"] for reading in readings]))
    others = [value_of(reading) for reading in deciding if reading["replicated"] != row["replicated"]]
    values = [value for value in others if value is not None]
    ends = list(dict.fromkeys(three_digits(f"{end}") for end in (min(values), max(values)))) if values else []
    spread = f"; other reading{'s' * (len(values) > 1)} {' to '.join(ends)}" if ends else ""
    return f"{told}{f' ({interval})' if interval else ''}{spread}"


def value_of(row: Row) -> float | None:
    """Return a row's own value as a number (for an ordering, the difference); None if it is not a number."""
    found = _DIFFERENCE.fullmatch(row["replicated"])
    text = found[1] if found else row["replicated"]
    return float(text) if _is_number(text) else None


def _interval(row: Row) -> str:
    return " to ".join(three_digits(row[end]) for end in ("ci_low", "ci_high") if row[end])


def three_digits(text: str) -> str:
    """Write the numbers in a text to three digits, with commas; whole numbers below ten thousand stay."""

    def shorter(number: re.Match[str]) -> str:
        whole = "." not in number[0] and float(number[0]) < 10_000
        return f"{float(number[0]):,.0f}" if whole else f"{float(f'{float(number[0]):.3g}'):,.10g}"

    return re.sub(r"\d+(\.\d+)?(e[+-]?\d+)?", shorter, text)


def outcome_of(row: Row, readings: Collection[Row]) -> str:
    """Write the outcome with the reason for it, under how many readings it holds, and its dagger."""
    told = f"{row['outcome']} ({row['why']})" if row["why"] else row["outcome"]
    if row["outcome"] == Outcome.DEPENDS:
        deciding = list(compress(readings, which_decide([reading["why"] for reading in readings])))
        hold = sum(reading["outcome"] == Outcome.HOLDS for reading in deciding)
        told += f" (holds under {hold} of {len(deciding)} readings)" if deciding else ""
    return told + _marks(row)


def _plain(text: str) -> str:
    """Escape text so that it cannot end a cell of a Markdown table."""
    return " ".join(text.replace("|", "\\|").split())


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table as Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _cell(value: object) -> str:
    """Write a value as in a table: floats to six digits, NaN as nothing."""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return str(value)


def write(rows: Iterable[Mapping[str, object]], output: str | Path, columns: Sequence[str] = COLUMNS) -> None:
    """Write a table atomically; ``rows`` have these columns and may have others."""
    with whole(output) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_cell(row[name]) for name in columns] for row in rows)
