"""The two tables of verdicts: their columns, how they are written, strictly read and counted.

A table of verdicts has one row per claim; a table of readings has one per claim and reading of what the paper leaves
open. There is one of each per paper, and one of each for all papers.
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
from replication.judging.claims import FAULTS, HEADLINE, read_cells
from replication.judging.judges.judgement import LEVEL, LONGEST, Basis, Because, Outcome
from replication.judging.readings import combined, which_decide

#: The columns of a judgement in both tables.
_JUDGED = ("replicated", "ci_low", "ci_high", "n", "outcome", "because", "basis", "reason")

#: Columns of a table of verdicts.
COLUMNS = (
    *("claim_id", "paper", "item", "statement", "headline", "published"),
    *(*_JUDGED, "fault", "fact", "ledger", "in_view"),
)

#: Columns of a table of readings; ``default`` is ``yes`` or empty.
READING_COLUMNS = ("claim_id", "reading", "default", *_JUDGED)

#: The word for what was used to fill in what the paper omits.
FITTED = Basis.FITTED.value

#: The words under which rows are counted: outcomes, and, counted separately, `FITTED`, which is no evidence.
WORDS = (*Outcome, FITTED)

#: Follows the outcome of a test of which we chose a part after seeing results.
DAGGER = "†"

#: What the other choice gives, in the column ``in_view``: an outcome after each ledger entry, or ``same``.
_OTHER = re.compile(rf"\b[LE]\d+: ({'|'.join(Outcome)})\b")

#: How judges of an ordering write their value: the difference, the larger value and the smaller value.
_DIFFERENCE = re.compile(r"difference (\S+) \((\S+) against (\S+)\)")

#: How the reason for an ordering in several cases begins: in how many cases it holds, and which one is shown.
_CASES = re.compile(r"holds in (?P<holds>\d+ of \d+) cases; shown: (?P<shown>[^;]+);")

#: Published values of orderings, which do not name the sides.
_RELATIONS = ("<", "<=", "=", ">=", ">")

#: The value of the column ``default`` for the default reading.
DEFAULT = "yes"

Row = Mapping[str, str]
#: Rows of the tables of claims, by claim.
Claims = Mapping[str, Row]
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
        if row["fault"] not in ("", *FAULTS) or (row["fault"] and row["outcome"] != Outcome.FAILS):
            raise TableError(f"{place}: fault: {row['fault']!r} but {row['outcome']}; expected one only if it fails")
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
    """Check that words are known, that numbers are numbers, and that open rows say why."""
    for name, words in (("outcome", Outcome), ("basis", Basis)):
        if row[name] not in tuple(words):
            raise TableError(f"{place}: {name}: {row[name]!r}; expected one of: {', '.join(words)}")
    expected = tuple(Because) if row["outcome"] == Outcome.OPEN else ("",)
    if row["because"] not in expected:
        raise TableError(f"{place}: because: {row['because']!r}; expected one of: {', '.join(expected) or 'nothing'}")
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
        The papers' tables of claims, in the same order: every claim must have a verdict.
    output, output_readings : path
        CSV, all rows.
    summary : path
        Markdown: headlines; facts by paper and outcome; why facts are open; rows by basis.

    Raises
    ------
    TableError
        If a table is damaged, or a claim has no verdict.
    """
    rows: list[dict[str, str]] = []
    of_readings: dict[str, dict[str, dict[str, str]]] = {}
    claims: dict[str, Row] = {}
    for table, other, path in zip(tables, readings, published, strict=True):
        found, of_paper = read(table), read_readings(other)
        cells = {row["claim_id"]: row for row in read_cells(path)}
        check_complete(found, cells, str(table))
        if foreign := of_paper.keys() - found.keys():
            raise TableError(f"{other}: {min(foreign)}: no such claim in {table}")
        claims |= cells
        rows.extend(found.values())
        of_readings |= of_paper
    write(rows, output)
    write((row for of_claim in of_readings.values() for row in of_claim.values()), output_readings, READING_COLUMNS)
    with whole(summary) as temporary:
        temporary.write_text(summarise(rows, claims, of_readings), encoding="utf-8")


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


def summarise(rows: Sequence[Row], claims: Claims, readings: OfReadings) -> str:
    """Write headlines and counts of outcomes as Markdown."""
    first = any(row["headline"] for row in rows)
    shown = [headlines(rows, readings, claims), "", chosen_in_view(rows), ""] if first else []
    undecided = Counter(row["because"] for row in by_fact(rows) if word_of(row) == Outcome.OPEN)
    bases = [basis for basis in Basis if any(row["basis"] == basis for row in rows)]
    by_basis = [[basis, *_counts([r for r in rows if r["basis"] == basis])] for basis in bases]
    tested = sum(is_tested(row) for row in rows)
    return "\n".join(
        [
            "# Verdicts",
            "",
            *shown,
            "A fact is one finding; several rows may be about it. The table counts facts. A fact `holds` if all of",
            "its rows hold, `fails` if all fail, `depends` if some hold and some fail or one depends, and is `open`",
            "otherwise. `fitted` rows count only if the fact has no others.",
            "",
            overview(rows),
            "",
            faults(rows),
            "",
            "Why facts are open (a fact counts under the reason of its first open row):",
            "",
            _markdown(["because", "open"], [[word, undecided[word]] for word in Because]),
            "",
            "The next table counts rows by what their outcomes are based on: `exact` is computed without sampling,",
            "`simulated` is tested on runs, `identity` is true by construction, and `fitted` numbers were used to fill",
            "in what the paper omits.",
            "",
            _markdown(["basis", *WORDS, "rows"], [*by_basis, ["all", *_counts(rows)]]),
            "",
            f"We do not correct for multiplicity. {tested} claims are tested on simulations. Each test calls a true",
            f"claim false in at most {100 * LEVEL:g} % of cases, and as rarely calls a claim true that is off by more",
            "than the test's precision. For a number that is tested both alone and with its column the limit is",
            f"{200 * LEVEL:g} %. So chance explains up to {LEVEL * tested:.1f} wrong outcomes, or "
            f"{2 * LEVEL * tested:.1f} if every claim were tested twice.",
            "",
        ]
    )


def is_tested(row: Row) -> bool:
    """Return whether chance can make the outcome wrong: whether a simulation tested the claim, or could have."""
    silent = (Because.OMITTED, Because.UNTESTABLE, Because.NOT_RUN)
    return row["basis"] == Basis.SIMULATED and row["because"] not in silent


def word_of(row: Row) -> str:
    """Return the word of `WORDS` under which a row is counted."""
    return FITTED if row["basis"] == Basis.FITTED else row["outcome"]


def by_fact(rows: Iterable[Row]) -> list[Row]:
    """Return one row per fact, in order.

    Fitted rows do not count if a fact has others. The outcomes of the rest are combined like those of readings
    (`readings.combined`); the row that is returned is the first with the combined outcome, or else the first.
    """
    behind: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        behind.setdefault((row["paper"], row["fact"]), []).append(row)
    found: list[Row] = []
    for of_fact in behind.values():
        telling = [row for row in of_fact if row["basis"] != Basis.FITTED] or of_fact
        outcome = combined({Outcome(row["outcome"]) for row in telling})
        first = next((row for row in telling if row["outcome"] == outcome), telling[0])
        because = {} if outcome is Outcome.OPEN else {"because": ""}
        fault = {} if outcome is Outcome.FAILS else {"fault": ""}
        found.append({**first, "outcome": outcome, **because, **fault})
    return found


def overview(rows: Sequence[Row]) -> str:
    """Count facts by paper and outcome as Markdown, with totals if there are several papers."""
    papers = dict.fromkeys(row["paper"] for row in rows)
    counts = [[p, *_counts(by_fact(of_paper)), len(of_paper)] for p in papers if (of_paper := _of(rows, p))]
    total = [["all", *_counts(by_fact(rows)), len(rows)]] if len(papers) > 1 else []
    return _markdown(["paper", *WORDS, "facts", "rows"], [*counts, *total])


def _of(rows: Iterable[Row], paper: str) -> list[Row]:
    return [row for row in rows if row["paper"] == paper]


def faults(rows: Sequence[Row]) -> str:
    """Say how many of the facts that fail are errors in the papers themselves, and of what kind."""
    failing = [row for row in by_fact(rows) if row["outcome"] == Outcome.FAILS]
    counts = Counter(row["fault"] for row in failing)
    told = ", ".join(f"{counts[fault]} {fault}{'s' * (counts[fault] != 1)}" for fault in FAULTS)
    wrong = sum(counts[fault] for fault in FAULTS)
    return f"Of the {len(failing)} facts that fail, {wrong} are wrong in the papers themselves: {told}."


def printed_means(rows: Iterable[Row], claims: Claims) -> str:
    """Say in a sentence how many of the printed means and percentages had each outcome."""
    means = [row for row in rows if claims[row["claim_id"]]["kind"] in ("mean", "percentage")]
    told = _became(by_fact(means))
    return f"The {len(means)} printed means and percentages make up {len(by_fact(means))} facts ({told})."


def _became(rows: Collection[Row]) -> str:
    """Count rows by outcome, in words."""
    counts = Counter(map(word_of, rows))
    return ", ".join(f"{word} {counts[word]}" for word in WORDS if counts[word])


def chosen_in_view(rows: Iterable[Row]) -> str:
    """Say what a dagger means, and how many headlines would have a different outcome with the other choice."""
    shown = [row for row in rows if row["headline"]]
    other = sum(bool(other_outcomes(row)) for row in shown)
    return (
        f"{DAGGER} We chose part of this test after seeing results. "
        f"With the other choice, {other} of the {len(shown)} outcomes would differ."
    )


def other_outcomes(row: Row) -> list[str]:
    """List the outcomes other than a row's own that other choices give, from its column ``in_view``."""
    given = dict.fromkeys(_OTHER.findall(row["in_view"]))
    return [outcome for outcome in given if outcome != row["outcome"]]


def _dagger(row: Row) -> str:
    """Return what follows an outcome: nothing, or a dagger, with the outcomes under other choices if they differ."""
    if not row["in_view"]:
        return ""
    others = " or ".join(other_outcomes(row))
    return f" {DAGGER} (otherwise {others})" if others else f" {DAGGER}"


def headlines_of_papers(rows: Iterable[Row], readings: OfReadings, claims: Claims, names: Mapping[str, str]) -> str:
    """Write headlines of several papers as a short Markdown table, for readers who are new to the study.

    Parameters
    ----------
    rows : iterable of dict
        With the columns of `COLUMNS`; the rows of a paper are consecutive, and only the first shows its name.
    readings : dict from claim to reading to row
        As `read_readings` reads them; a claim without readings may be missing.
    claims : dict from claim to row
        As `claims.read_cells` reads them.
    names : dict from slug to text
        The name of each paper, as Markdown.
    """
    lines, last = [], ""
    for row in rows:
        statement, _, own, _ = headline(row, readings.get(row["claim_id"], {}).values(), claims)
        own = _named(own, row, claims[row["claim_id"]]["column"])
        told = (statement, own, row["outcome"] + _dagger(row))
        lines.append([names[row["paper"]] if row["paper"] != last else "", *map(_plain, told)])
        last = row["paper"]
    return _markdown(["paper", "claim", "ours", "outcome"], lines)


def headlines(rows: Iterable[Row], readings: OfReadings, claims: Claims, *, of_one: bool = False) -> str:
    """Write the claims on which the papers' abstracts rely as Markdown.

    The table shows what is claimed, the numbers and the outcome.

    Parameters
    ----------
    rows : iterable of dict
        With the columns of `COLUMNS`.
    readings : dict from claim to reading to row
        As `read_readings` reads them; a claim without readings may be missing.
    claims : dict from claim to row
        As `claims.read_cells` reads them.
    of_one : bool
        Whether all rows are of one paper, so no column needs to name it.
    """
    lines = [
        [row["paper"], *map(_plain, headline(row, readings.get(row["claim_id"], {}).values(), claims))]
        for row in rows
        if row["headline"]
    ]
    header = ["paper", "claim", "published", "ours", "outcome"]
    return _markdown(header[of_one:], [line[of_one:] for line in lines])


def headline(row: Row, readings: Collection[Row], claims: Claims) -> tuple[str, str, str, str]:
    """Write a headline's statement, published value, our value and outcome."""
    claim = claims[row["claim_id"]]
    shown = claim["shown"] or (claim["column"] if row["published"] in _RELATIONS else row["published"])
    return row["statement"], shown, ours(row, readings, shown), outcome_of(row, readings)


def _named(own: str, row: Row, measured: str) -> str:
    """Add to our value of a headline (`ours`) what it measures, for readers who do not see the claim's table.

    ``measured`` is the claim's column. An ordering already names its sides; if it is judged in several cases, the one
    that is shown is added. A value in words, such as "2.38 times", is explained by the part of the reason that contains
    it.
    """
    if _DIFFERENCE.fullmatch(row["replicated"]):
        case = _CASES.match(row["reason"])
        return f"{case['shown']} ({case['holds']} hold): {own}" if case else own
    parts = [part.removeprefix("shown: ") for part in row["reason"].split("; ")]
    told = next((part for part in parts if value_of(row) is None and row["replicated"] in part), None)
    return own.replace(three_digits(row["replicated"]), three_digits(told)) if told else f"{measured}: {own}"


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
        told = three_digits(row["replicated"])
    deciding = compress(readings, which_decide([reading["basis"] for reading in readings]))
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
    """Write the outcome with the paper's fault, why it is open, under how many readings it holds, and its dagger."""
    beside = row["fault"] or row["because"] or (FITTED if row["basis"] == Basis.FITTED else "")
    told = f"{row['outcome']} ({beside})" if beside else row["outcome"]
    if row["outcome"] == Outcome.DEPENDS:
        deciding = list(compress(readings, which_decide([reading["basis"] for reading in readings])))
        hold = sum(reading["outcome"] == Outcome.HOLDS for reading in deciding)
        told += f" (holds under {hold} of {len(deciding)} readings)" if deciding else ""
    return told + _dagger(row)


def _plain(text: str) -> str:
    """Escape text so that it cannot end a cell of a Markdown table."""
    return " ".join(text.replace("|", "\\|").split())


def _counts(rows: Collection[Row]) -> list[object]:
    """Count rows per word, and all rows."""
    counted = Counter(map(word_of, rows))
    return [*(counted[word] for word in WORDS), len(rows)]


def _markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
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
