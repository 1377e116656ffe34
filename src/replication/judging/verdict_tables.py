"""The two tables of verdicts: their columns, writing and strict reading.

They hold all papers in one. Outcomes are counted here too. A table of verdicts has one row per claim, a table of
readings one per claim and reading of what the paper leaves open.
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import compress
from pathlib import Path

from experiments.atomic import whole
from replication.judging.claims import FRONT, GROUPS, HEADLINE, HEADLINES, read_cells
from replication.judging.judges.judgement import LEVEL, LONGEST, Basis, Because, Outcome
from replication.judging.readings import which_decide

#: What both tables say of a judgement.
_JUDGED = ("replicated", "ci_low", "ci_high", "n", "outcome", "because", "basis", "reason")

#: Columns of a table of verdicts.
COLUMNS = ("claim_id", "paper", "item", "statement", "headline", "published", *_JUDGED, "fact", "ledger")

#: Columns of a table of readings; ``default`` is ``yes`` or empty.
READING_COLUMNS = ("claim_id", "reading", "default", *_JUDGED)

#: What the column ``default`` says of the default reading.
DEFAULT = "yes"

Row = Mapping[str, str]
#: Rows of the tables of claims, by claim.
Claims = Mapping[str, Row]
#: Rows of a table of readings, by claim and reading.
OfReadings = Mapping[str, Mapping[str, Row]]


class TableError(ValueError):
    """A table of verdicts that cannot be read; the message names the file, the line and what was expected."""


def read(path: str | Path) -> dict[str, dict[str, str]]:
    """Read a table of verdicts: its rows by claim, in order. A paper that claims nothing has none.

    Raises
    ------
    TableError
        In one line, if the file is not as `write` writes it.
    OSError
        If it is missing.
    """
    found: dict[str, dict[str, str]] = {}
    for place, row in _rows(path, COLUMNS):
        if row["claim_id"] in found:
            raise TableError(f"{place}: claim_id: {row['claim_id']!r} stands twice")
        _check(place, row)
        if row["headline"] not in ("", *HEADLINES):
            raise TableError(f"{place}: headline: {row['headline']!r}; expected {HEADLINE!r}, {FRONT!r} or nothing")
        found[row["claim_id"]] = row
    return found


def read_readings(path: str | Path) -> dict[str, dict[str, dict[str, str]]]:
    """Read a table of readings: its rows by claim and reading, in order; errors as `read`."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for place, row in _rows(path, READING_COLUMNS):
        of_claim = found.setdefault(row["claim_id"], {})
        if row["reading"] in of_claim:
            raise TableError(f"{place}: reading: {row['reading']!r} of {row['claim_id']} stands twice")
        _check(place, row)
        if row["default"] != ("" if of_claim else DEFAULT):
            raise TableError(f"{place}: default: {row['default']!r}; expected {DEFAULT!r} of a claim's first reading")
        of_claim[row["reading"]] = row
    return found


def _rows(path: str | Path, columns: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """The rows of a table, each with its place for errors."""
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise TableError(f"{path}: not UTF-8 (byte {error.start}); expected a table as the study writes it") from None
    if text.startswith("\ufeff"):
        raise TableError(f"{path}: begins with a byte order mark; expected a table as the study writes it")
    if not text:
        raise TableError(f"{path}: empty; expected a table as the study writes it")
    if not text.endswith("\n"):
        raise TableError(f"{path}: its last line does not end; the file is cut off")
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
    """The words are known, the numbers are numbers, and what is open says why."""
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
    """Put the verdicts of several papers into one table of each kind, and count them as Markdown.

    Parameters
    ----------
    tables, readings : sequence of path
        Written by `verdicts.judge`, one of each per paper.
    published : sequence of path
        The papers' tables of claims, in the same order: every claim must have a verdict.
    output, output_readings : path
        CSV, all rows.
    summary : path
        Markdown: headlines; outcomes by basis, by paper and by what is claimed; the facts behind them.

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
    """Check that every claim has a verdict, and no other has.

    Raises
    ------
    TableError
        For the first that differs.
    """
    missing, foreign = ([c for c in a if c not in b] for a, b in ((claims, found), (found, claims)))
    if missing:
        raise TableError(f"{place}: {len(missing)} of {len(claims)} claims have no verdict, the first {missing[0]}")
    if foreign:
        raise TableError(f"{place}: {foreign[0]} is no claim of data/published")


def summarise(rows: Sequence[Row], claims: Claims, readings: OfReadings) -> str:
    """Counts of outcomes as Markdown."""
    bases = [basis for basis in Basis if any(row["basis"] == basis for row in rows)]
    by_basis = [[basis, *_counts([r for r in rows if r["basis"] == basis])] for basis in bases]
    behind = [{(r["paper"], r["fact"]) for r in rows if r["outcome"] == outcome} for outcome in Outcome]
    facts = [len(found) for found in behind] + [len(set[tuple[str, str]]().union(*behind))]
    kinds = sorted({claim["kind"] for claim in claims.values()})
    of_kinds = [[kind, *_counts([r for r in rows if claims[r["claim_id"]]["kind"] == kind])] for kind in kinds]
    undecided = Counter(row["because"] for row in rows if row["outcome"] == Outcome.OPEN)
    tested = sum(is_tested(row) for row in rows)
    return "\n".join(
        [
            "# Verdicts",
            "",
            *([headlines(rows, readings, claims), ""] if any(row["headline"] for row in rows) else []),
            "What outcomes rest on: `exact` has no sampling error, `simulated` rows are statistical, `identity`",
            "could not have come out otherwise, `fitted` numbers were used to fix what the paper omits.",
            "",
            _markdown(["basis", *Outcome, "all"], [*by_basis, ["all", *_counts(rows)]]),
            "",
            "Why claims are open:",
            "",
            _markdown(["because", "open"], [[word, undecided[word]] for word in Because]),
            "",
            "Several rows can rest on one fact. Distinct facts behind each outcome (one may stand behind several):",
            "",
            _markdown(["", *Outcome, "all"], [["facts", *facts], ["rows", *_counts(rows)]]),
            "",
            "By paper:",
            "",
            overview(rows),
            "",
            "By what is claimed:",
            "",
            _markdown(["kind", *Outcome, "all"], of_kinds),
            "",
            f"Multiplicity is not corrected. {tested} claims are tested on simulations. Each test calls a true claim",
            f"false in at most {100 * LEVEL:g} % of cases, and what is false by more than its precision true as",
            f"rarely; a number that itself or its column can refute, in at most {200 * LEVEL:g} %. Chance explains about",
            f"{LEVEL * tested:.1f} wrong outcomes, and at most {2 * LEVEL * tested:.1f}.",
            "",
        ]
    )


def is_tested(row: Row) -> bool:
    """Whether chance can make the outcome wrong: a simulation that was, or could be, told from the claim."""
    silent = (Because.OMITTED, Because.UNTESTABLE, Because.NOT_RUN)
    return row["basis"] == Basis.SIMULATED and row["outcome"] != Outcome.FITTED and row["because"] not in silent


def overview(rows: Sequence[Row]) -> str:
    """Counts of outcomes by paper and basis as Markdown; ``rows`` have the columns of `COLUMNS`."""
    papers = dict.fromkeys(row["paper"] for row in rows)
    counts = [
        [paper, basis, *_counts(chosen)]
        for paper in papers
        for basis in Basis
        if (chosen := [r for r in rows if (r["paper"], r["basis"]) == (paper, basis)])
    ]
    return _markdown(["paper", "basis", *Outcome, "all"], counts)


def by_group(rows: Sequence[Row], claims: Claims) -> str:
    """How many claims hold, by paper and group of kinds, and what became of printed means, as Markdown.

    Claims that could not have come out otherwise and numbers that were used to fix what a paper omits do not count.

    Parameters
    ----------
    rows : sequence of dict
        With the columns of `COLUMNS`.
    claims : dict from claim to row
        As `claims.read_cells` reads them.
    """
    counted = [row for row in rows if _is_counted(row)]
    table = []
    for paper in dict.fromkeys(row["paper"] for row in rows):
        cells = []
        for group in GROUPS.values():
            of_group = [r for r in counted if r["paper"] == paper and claims[r["claim_id"]]["kind"] in group]
            hold = sum(row["outcome"] == Outcome.HOLDS for row in of_group)
            cells.append(f"{hold} of {len(of_group)}" if of_group else "none")
        table.append([paper, *cells])
    identities, fitted = (sum(row["basis"] == basis for row in rows) for basis in (Basis.IDENTITY, Basis.FITTED))
    return "\n".join(
        [
            "How many claims of each kind hold:",
            "",
            _markdown(["paper", *GROUPS], table),
            "",
            printed_means(rows, claims),
            f"Not counted: {identities} claims that are true by construction, and {fitted} numbers that were used to",
            "fix what a paper omits.",
        ]
    )


def printed_means(rows: Iterable[Row], claims: Claims) -> str:
    """Say in a sentence what became of the printed means and percentages."""
    means = [row for row in rows if claims[row["claim_id"]]["kind"] in ("mean", "percentage")]
    counted = [row for row in means if _is_counted(row)]
    besides = f" ({len(means) - len(counted)} more were used to fix what a paper omits)" * (len(means) > len(counted))
    return f"Of {len(counted)} printed means and percentages of these papers{besides}: {_became(counted)}."


def _is_counted(row: Row) -> bool:
    """Whether the claim could have come out otherwise, and was not used to fix what the paper omits."""
    return row["basis"] not in (Basis.IDENTITY, Basis.FITTED)


def _became(rows: Collection[Row]) -> str:
    """How many rows have which outcome, in words."""
    counts = Counter(row["outcome"] for row in rows)
    return "; ".join(f"{outcome}: {counts[outcome]}" for outcome in Outcome if counts[outcome])


def front(rows: Iterable[Row], readings: OfReadings, claims: Claims, pages: str) -> str:
    """Write the headlines that the README shows as Markdown, and count the outcomes of all headlines.

    Parameters
    ----------
    rows : iterable of dict
        With the columns of `COLUMNS`.
    readings : dict from claim to reading to row
        As `read_readings` reads them; a claim without readings need not be there.
    claims : dict from claim to row
        As `claims.read_cells` reads them.
    pages : str
        Folder of the papers' pages, to which the table links.
    """
    chosen = [row for row in rows if row["headline"]]
    lines = []
    for row in chosen:
        if row["headline"] == FRONT:
            holds = row["outcome"] == Outcome.HOLDS  # under every reading: how many there are is of no use here
            told = _headline(row, () if holds else readings.get(row["claim_id"], {}).values(), claims)
            claim, published, replicated, _, outcome = map(_plain, told)
            lines.append([f"[{row['paper']}]({pages}/{row['paper']}.md)", claim, published, replicated, outcome])
    table = _markdown(["paper", "claim", "published", "ours", "outcome"], lines)
    return f"{table}\n\nOf all {len(chosen)} headlines: {_became(chosen)}."


def headlines(rows: Iterable[Row], readings: OfReadings, claims: Claims, *, of_one: bool = False) -> str:
    """Write the claims that the papers' abstracts rest on as Markdown.

    It says what is claimed, the numbers and the outcome.

    Parameters
    ----------
    rows : iterable of dict
        With the columns of `COLUMNS`.
    readings : dict from claim to reading to row
        As `read_readings` reads them; a claim without readings need not be there.
    claims : dict from claim to row
        As `claims.read_cells` reads them.
    of_one : bool
        All rows are of one paper, so that no column needs to name it.
    """
    lines = [
        [row["paper"], *map(_plain, _headline(row, readings.get(row["claim_id"], {}).values(), claims))]
        for row in rows
        if row["headline"]
    ]
    header = ["paper", "claim", "published", "replicated", "95 % interval", "outcome"]
    return _markdown(header[of_one:], [line[of_one:] for line in lines])


def _headline(row: Row, readings: Collection[Row], claims: Claims) -> tuple[str, ...]:
    published = claims[row["claim_id"]]["shown"] or row["published"]
    return row["statement"], published, _grouped(row["replicated"]), _interval(row), _outcome(row, readings)


def _interval(row: Row) -> str:
    ends = [_grouped(f"{float(f'{float(row[end]):.3g}'):.10g}") for end in ("ci_low", "ci_high") if row[end]]
    return " to ".join(ends)


def _grouped(text: str) -> str:
    """Numbers from ten thousand on as whole ones, with thousands apart."""
    return re.sub(r"\d{5,}(\.\d+)?", lambda number: f"{float(number[0]):,.0f}", text)


def _outcome(row: Row, readings: Collection[Row]) -> str:
    """The outcome, why it is open, and under how many of the readings that decide it the claim holds."""
    told = f"{row['outcome']}: {row['because']}" if row["because"] else row["outcome"]
    deciding = list(compress(readings, which_decide([(reading["outcome"], reading["basis"]) for reading in readings])))
    hold = sum(reading["outcome"] == Outcome.HOLDS for reading in deciding)
    return f"{told} ({hold} of {len(deciding)} readings hold)" if len(deciding) > 1 else told


def _plain(text: str) -> str:
    """Text that cannot end a cell of a Markdown table."""
    return " ".join(text.replace("|", "\\|").split())


def _counts(rows: Sequence[Row]) -> list[object]:
    """Rows per outcome, and of all."""
    counted = Counter(row["outcome"] for row in rows)
    return [*(counted[outcome] for outcome in Outcome), len(rows)]


def _markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _cell(value: object) -> str:
    """As it stands in a table: six digits, nothing for what is not a number."""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return str(value)


def write(rows: Iterable[Mapping[str, object]], output: str | Path, columns: Sequence[str] = COLUMNS) -> None:
    """Write a table, whole or not at all; ``rows`` have these columns, and may have others."""
    with whole(output) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_cell(row[name]) for name in columns] for row in rows)
