"""Compare the current results with the committed reference.

``python -m replication.tools.verify`` (`make verify`) compares the newest verdicts with those in ``data/reference``.

The scale is read from ``scale.json`` next to the verdicts. At published scale every paper and claim must be there and
played. Values and intervals must be equal up to a relative 1e-5, since tables print six digits; outcomes and words must
be the same. The tables under ``figures/`` must be those of the reference, unless the results from which they are made
differ too.

In a smaller study values must be as near as chance explains, with limits that a whole comparison exceeds by chance in
one study out of a hundred: means are compared by Student's t, with both standard errors, counts of fewer trials by
Fisher's exact test of both shares. Values that are computed without sampling must be equal. No outcome may be the
opposite of the reference's. Words are not compared.

The published value and the words of a claim must be those in ``data/published``.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.special import stdtrit
from scipy.stats import fisher_exact

from experiments.settings import ConfigError
from replication.judging.claims import claims_of
from replication.judging.claims import read as read_printed
from replication.judging.judges import Outcome, Why
from replication.judging.scale import limits
from replication.judging.verdict_tables import HEADLINE, OfReadings, Row, TableError, read, read_readings
from replication.tools import reference
from replication.tools.reference import (
    DIGESTS,
    READINGS,
    RESULTS,
    VERDICTS,
    NoReferenceError,
    digests,
    figure_digests,
    published_papers,
    read_digests,
)

#: Relative: tables of verdicts print six digits.
PRINTED = 1e-5
#: How often a whole comparison of values on fewer seeds goes wrong by chance.
CHANCE = 0.01
#: Outcomes that no number of seeds may turn into each other.
OPPOSITE = {Outcome.HOLDS, Outcome.FAILS}
#: Columns that must be the same, word by word, at published scale.
SAME = ("why", "place", "row", "column", "ledger")
#: The columns of a reading besides its outcome.
NUMBERS = ("replicated", "ci_low", "ci_high", "n", "reason")
#: A number in a reason, whose last printed digit may differ by one.
IN_WORDS = re.compile(r"\d[\d,]*(?:\.\d+)?")
#: Counts, and the number of trials: in a value, or after the last semicolon of a reason.
COUNTED = re.compile(r"\bof (?P<trials>\d+)\b[^;]*$")
#: What the study is given and does not find.
GIVEN = ("statement", "headline", "published")


@dataclass
class Comparison:
    """The result of a comparison.

    Attributes
    ----------
    agree, differ : list of str
        Claims whose values are within tolerance, and a line for every disagreement.
    left_out : list of str
        Claims that this configuration leaves out.
    unmeasured : list of str
        Claims on fewer seeds that lack an interval in one of the tables, and so have no value to compare; their
        outcomes are not opposite.
    """

    agree: list[str] = field(default_factory=list)
    differ: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    unmeasured: list[str] = field(default_factory=list)


def compare(expected: Mapping[str, Row], found: Mapping[str, Row], *, whole: bool = False) -> Comparison:
    """Compare verdicts with the reference's.

    Parameters
    ----------
    expected, found : mapping
        Rows of a table of verdicts by claim.
    whole : bool
        Whether this is the study at published scale, which has all papers and leaves nothing out. Otherwise papers that
        are missing on one side are not compared.
    """
    papers = {row["paper"] for row in found.values()} & {row["paper"] for row in expected.values()}
    here = [claim for claim, row in expected.items() if row["paper"] in papers and claim in found]
    # A claim that is played under only some of its readings has a value.
    not_run = [claim for claim in here if found[claim]["why"] == Why.NOT_RUN]
    left_out = [claim for claim in not_run if whole or not found[claim]["replicated"]]
    result = Comparison(differ=_unpaired(expected, found, papers, whole), left_out=left_out)
    if whole:
        played = [claim for claim in not_run if expected[claim]["why"] != Why.NOT_RUN]
        result.differ += [f"{claim}: not run, at published scale" for claim in played]
    both = [claim for claim in here if claim not in left_out]
    for claim in both:
        ours, theirs = found[claim], expected[claim]
        if ours["published"] != theirs["published"]:
            result.differ.append(f"{claim}: published: {ours['published']!r}; reference {theirs['published']!r}")
        elif whole:
            _compare_equal(result, claim, ours, theirs)
        else:
            _compare_by_chance(result, claim, ours, theirs, CHANCE / len(both))
    if not both:
        result.differ.append("no claim could be compared")
    return result


def under_one_reading(
    expected: Mapping[str, Row], found: Mapping[str, Row], theirs: OfReadings, ours: OfReadings
) -> tuple[dict[str, Row], dict[str, Row]]:
    """Give each claim of two tables of verdicts the numbers of one reading, the first that both have.

    Which reading a verdict shows depends on outcomes, which depend on the number of seeds.

    Parameters
    ----------
    expected, found : mapping from claim to row
        Verdicts of the reference, and the current ones.
    theirs, ours : mapping from claim to reading to row
        Their tables of readings.
    """
    one, other = dict(expected), dict(found)
    for claim in expected.keys() & found.keys():
        known, here = theirs.get(claim, {}), ours.get(claim, {})
        name = next((n for n, row in here.items() if n in known and row["why"] != Why.NOT_RUN), None)
        if name is not None:
            one[claim] = {**expected[claim], **{column: known[name][column] for column in NUMBERS}}
            other[claim] = {**found[claim], **{column: here[name][column] for column in NUMBERS}}
    return one, other


def _unpaired(expected: Mapping[str, Row], found: Mapping[str, Row], papers: Collection[str], whole: bool) -> list[str]:
    """List the papers and claims that one of two tables lacks; a whole study must not lack a paper."""
    absent = dict.fromkeys(row["paper"] for row in expected.values() if row["paper"] not in papers) if whole else {}
    lost = [claim for claim, row in expected.items() if row["paper"] in papers and claim not in found]
    new = [claim for claim, row in found.items() if claim not in expected and (whole or row["paper"] in papers)]
    return [
        *(f"{paper}: no verdicts here" for paper in absent),
        *(f"{claim}: not among the verdicts here" for claim in lost),
        *(f"{claim}: not in the reference" for claim in new),
    ]


def _compare_equal(result: Comparison, claim: str, ours: Row, theirs: Row) -> None:
    if ours["n"] != theirs["n"] or ours["outcome"] != theirs["outcome"] or not _near(ours, theirs, "replicated"):
        result.differ.append(f"{claim}: reference {_told(theirs)}; here {_told(ours)}")
        return
    names = other_words(ours, theirs)
    result.differ += [f"{claim}: {name}: {ours[name]!r}; reference {theirs[name]!r}" for name in names]
    if not names:
        result.agree.append(claim)


def _compare_by_chance(result: Comparison, claim: str, ours: Row, theirs: Row, chance: float) -> None:
    """Compare a value of a smaller study; ``chance`` is how often it may be too far off."""
    told = f"{claim}: reference {_told(theirs)}; here {_told(ours)}"
    one, other = _counts(ours), _counts(theirs)
    apart = abs(_number(ours["replicated"]) - _number(theirs["replicated"]))
    tolerance = math.hypot(_half_width(ours, 1 - chance / 2), _half_width(theirs, 1 - chance / 2))
    if {ours["outcome"], theirs["outcome"]} == OPPOSITE:  # fewer seeds may leave more open
        result.differ.append(f"{told}, which is the opposite")
    elif not (ours["replicated"] or theirs["replicated"]):
        result.unmeasured.append(claim)
    elif len(one) == len(other) > 0 and one[-1] != other[-1]:
        tables = [np.array([[a, one[-1] - a], [b, other[-1] - b]]) for a, b in zip(one[:-1], other[:-1], strict=True)]
        if min(fisher_exact(table).pvalue for table in tables) > chance / len(tables):
            result.agree.append(claim)
        else:
            result.differ.append(f"{told}, which differ as shares")
    elif apart <= tolerance or _near(ours, theirs, "replicated"):
        result.agree.append(claim)
    elif ours["n"] == theirs["n"] == "0" and Outcome.OPEN not in (ours["outcome"], theirs["outcome"]):
        result.differ.append(f"{told}, which are not equal")
    elif math.isnan(apart) or math.isnan(tolerance):
        result.unmeasured.append(claim)
    else:
        result.differ.append(f"{told}; tolerance {tolerance:.3g}")


def _counts(row: Row) -> list[int]:
    """Read the counts in a value without an interval, with the number of trials last; empty if there are none."""
    value, reason = row["replicated"], row["reason"].rpartition(";")[2].replace(",", "")
    if row["ci_low"] or not (found := COUNTED.search(value) or (value.isdecimal() and COUNTED.search(reason))):
        return []
    counts = [int(count) for count in re.findall(r"\d+", value.partition(" of ")[0])]
    return [*counts, int(found["trials"])] if max(counts) <= int(found["trials"]) else []


def other_words(ours: Row, theirs: Row) -> list[str]:
    """List the columns besides value and outcome in which two rows differ: words and interval."""
    names = [name for name in SAME if name in ours and ours[name] != theirs[name]]
    names += [name for name in ("ci_low", "ci_high") if not _near(ours, theirs, name)]
    return names + ([] if same_reason(ours["reason"], theirs["reason"]) else ["reason"])


def _near(ours: Row, theirs: Row, name: str) -> bool:
    one, other = _number(ours[name]), _number(theirs[name])
    return ours[name] == theirs[name] or abs(one - other) <= PRINTED * abs(other)


def same_reason(ours: str, theirs: str) -> bool:
    """Return whether two reasons have the same words and nearly the same numbers.

    Numbers may differ by one in the last printed digit.
    """
    if IN_WORDS.split(ours) != IN_WORDS.split(theirs):
        return False
    for one, other in zip(IN_WORDS.findall(ours), IN_WORDS.findall(theirs), strict=True):
        unit = 10.0 ** -len(other.partition(".")[2])
        if abs(float(one.replace(",", "")) - float(other.replace(",", ""))) > 1.5 * unit:
            return False
    return True


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _half_width(row: Row, quantile: float) -> float:
    """Return half the width of a row's interval, converted from Student's 95 % to ``quantile`` (one-sided)."""
    value, low, high = (_number(row[name]) for name in ("replicated", "ci_low", "ci_high"))
    n = _number(row["n"])
    if math.isnan(n) or n < 2:
        return math.nan
    factor = stdtrit(n - 1, quantile) / stdtrit(n - 1, 0.975)
    return float(max(high - value, value - low) * factor)


def _told(row: Row) -> str:
    return f"{row['replicated'] or 'no value'} (n = {row['n']}, {row['outcome']})"


def compare_given(found: Mapping[str, Row], published: Path, *, whole: bool) -> list[str]:
    """Return a line for each claim whose words or published value are not those in ``data/published``."""
    papers = dict.fromkeys([*(published_papers(published) if whole else []), *(row["paper"] for row in found.values())])
    lines = []
    for paper in papers:
        place, claims = published / f"{paper}.csv", claims_of(paper)
        given = {
            id_: {
                "statement": row.statement,
                "headline": HEADLINE if id_ in claims and claims[id_].headline else "",
                "published": row.value,
            }
            for id_, row in read_printed(place).items()
        }
        own = {claim: row for claim, row in found.items() if row["paper"] == paper}
        lines += [f"{claim}: not among the verdicts here, but in {place}" for claim in given if claim not in own]
        lines += [f"{claim}: not in {place}" for claim in own if claim not in given]
        lines += [
            f"{claim}: {name}: {row[name]!r}; {place} says {given[claim][name]!r}"
            for claim, row in own.items()
            if claim in given
            for name in GIVEN
            if row[name] != given[claim][name]
        ]
    return lines


def compare_readings(expected: Mapping[str, Mapping[str, Row]], found: Mapping[str, Mapping[str, Row]]) -> list[str]:
    """Return a line for each claim whose readings differ from the reference's."""
    lines = []
    for claim, theirs in expected.items():
        ours = found.get(claim, {})
        if ours.keys() != theirs.keys():
            lines.append(f"{claim}: {len(ours)} readings; the reference has different ones ({len(theirs)})")
            continue
        for name, row in ours.items():
            differ = [column for column in ("outcome", "n") if row[column] != theirs[name][column]]
            differ += other_words(row, theirs[name])
            lines += [f"{claim}: reading {name!r}: {c}: {row[c]!r}; reference {theirs[name][c]!r}" for c in differ]
    return lines


def compare_figures(expected: Mapping[str, str], found: Mapping[str, str], moved: Sequence[str]) -> list[str]:
    """List the tables under ``figures/`` that are not the reference's.

    A table is left out if the results of its paper differ from the reference too.

    Parameters
    ----------
    expected, found : mapping
        Digests of tables, by path.
    moved : sequence of str
        Tidy and stage tables that are not identical to the reference's.
    """
    papers = {table.split("/")[0] for table in moved}
    lines = []
    for table, digest in expected.items():
        if table not in found:
            lines.append(f"{table}: missing")
        elif found[table] != digest and table.split("/")[1] not in papers:
            lines.append(f"{table}: not the reference's, though the results behind it are")
    return lines


def at_hand(results: Path) -> Path:
    """Return the folder of the newest verdicts: the study at published scale, or `quick`'s.

    Raises
    ------
    NoReferenceError
        If there are none.
    """
    folders = [folder for folder in (results, results / "quick") if (folder / VERDICTS).is_file()]
    if not folders:
        raise NoReferenceError(f"no {VERDICTS} in {results} or {results / 'quick'}: run make quick or make reproduce")
    return max(folders, key=lambda folder: (folder / VERDICTS).stat().st_mtime)


def verify(results: Path, folder: Path) -> tuple[list[str], bool]:
    """Compare verdicts with the reference; return the lines to print, and whether everything agrees.

    Parameters
    ----------
    results : Path
        The folder of the tables behind the verdicts.
    folder : Path
        The folder of the verdicts: ``results`` itself, or the folder of a smaller study within it.

    Raises
    ------
    NoReferenceError, TableError, ConfigError, OSError
        If a file is missing or damaged.
    """
    whole = not limits(folder)
    rows = read(folder / VERDICTS)
    if not rows:
        raise TableError(f"{folder / VERDICTS}: no verdicts; expected one per claim")
    expected = read(reference.FOLDER / VERDICTS)
    if not expected:
        raise TableError(f"{reference.FOLDER / VERDICTS}: no verdicts; expected one per claim")
    of_readings = read_readings(folder / READINGS)
    path = reference.FOLDER / READINGS
    of_reference = read_readings(path) if path.is_file() else {}
    if whole:
        found = compare(expected, rows, whole=True)
    else:
        found = compare(*under_one_reading(expected, rows, of_reference, of_readings))
    found.differ += compare_given(rows, reference.PUBLISHED, whole=whole)
    if whole and of_reference:
        found.differ += compare_readings(of_reference, of_readings)
    bits, here = read_digests(reference.FOLDER / DIGESTS), digests(results)
    tables = {table: digest for table, digest in bits.items() if not table.startswith(f"{reference.FIGURES}/")}
    shared = sorted(tables.keys() & here.keys())
    moved = [table for table in shared if tables[table] != here[table]]
    drawn = {table: digest for table, digest in bits.items() if table not in tables}
    found.differ += compare_figures(drawn, figure_digests({table.split("/")[1] for table in drawn}), moved)
    lines = [f"differs: {line}" for line in found.differ]
    lines.append(
        f"{folder / VERDICTS} against {reference.FOLDER / VERDICTS}: {len(found.agree)} agree, "
        f"{len(found.differ)} differ, {len(found.left_out)} not in this configuration, "
        f"{len(found.unmeasured)} on fewer seeds and without a value"
    )
    if whole:
        lines += [f"some bits differ, which alone is not a disagreement: {table}" for table in moved]
        lines.append(f"{len(shared) - len(moved)} of {len(shared)} tables are identical to the reference's")
    return lines, not found.differ


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and print; return 0 if nothing differs, else 1."""
    argparse.ArgumentParser(prog="python -m replication.tools.verify", description=__doc__).parse_args(arguments)
    try:
        lines, agrees = verify(RESULTS, at_hand(RESULTS))
    except (OSError, NoReferenceError, TableError, ConfigError) as error:
        print(f"verify: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    print("\n".join(lines))
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
