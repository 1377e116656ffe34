"""Compare the current results with the committed reference.

``python -m replication.tools.verify`` (`make verify`) compares the newest verdicts with those in ``data/reference``.

The scale is read from ``scale.json`` next to the verdicts. At published scale all claims, readings and tables of the
reference must be there. Parquet tables must be identical in everything but fractions; of a column of fractions in which
bits differ, mean and size must be equal up to a relative 1e-5. If no bit differs, verdicts, readings and the CSV tables
under ``figures/`` must be the same letter by letter, else except for small differences of numbers (`same`).

In a smaller study values must be as near as chance explains, with limits that a whole comparison exceeds by chance in
one study out of a hundred: means and differences are compared by Student's t, with both standard errors, counts of
fewer trials by Fisher's exact test of both shares. Values that are computed without sampling must be equal. No outcome
may be the opposite of the reference's, and equal outcomes must have the same reason. Other words are not compared.

At any scale a claim must have the numbers of one of its readings, and the words that ``data/published`` and
``claims.py`` give it; and every table and figure must have the key that it would get in this checkout.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import zip_longest
from operator import eq
from pathlib import Path

import numpy as np
from scipy.special import stdtrit
from scipy.stats import fisher_exact

from experiments.config import STAGES, checkout, read_yaml
from experiments.files import read_metadata
from experiments.key import KEY
from experiments.settings import ConfigError
from experiments.study import Study
from replication.judging.claims import claims_of
from replication.judging.claims import read as read_printed
from replication.judging.jobs import summary_key, verdicts_job
from replication.judging.judges import Outcome, Why
from replication.judging.scale import SCALE, limits
from replication.judging.verdict_tables import HEADLINE, OfReadings, Row, TableError, read, read_readings, value_of
from replication.tools import reference
from replication.tools.reference import COLUMNS, READINGS, RESULTS, VERDICTS, Column, NoReferenceError

#: The relative difference that two numbers may have; tables of verdicts print six digits.
PRINTED = 1e-5
#: How often a whole comparison of values on fewer seeds goes wrong by chance.
CHANCE = 0.01
#: Outcomes that no number of seeds may turn into each other.
OPPOSITE = {Outcome.HOLDS, Outcome.FAILS}
#: The columns of a reading besides its outcome.
NUMBERS = ("replicated", "ci_low", "ci_high", "n", "reason")
#: A number in a text.
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")
#: Counts, and the number of trials: in a value, or after the last semicolon of a reason.
COUNTED = re.compile(r"\bof (?P<trials>\d+)\b[^;]*$")
#: Where Snakemake records the parameters of the job that made a file, such as its key.
RECORDS = Path(".snakemake/metadata")


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


def compare(expected: Mapping[str, Row], found: Mapping[str, Row], theirs: OfReadings, ours: OfReadings) -> Comparison:
    """Compare the verdicts of a smaller study with the reference's; papers that one of them lacks are left out.

    Parameters
    ----------
    expected, found : mapping from claim to row
        The reference's verdicts, and the current ones.
    theirs, ours : mapping from claim to reading to row
        Their readings. A claim is compared under the first reading that both have, with a value if possible: which one
        a verdict shows depends on outcomes, and so on the number of seeds.
    """
    papers = {row["paper"] for row in found.values()} & {row["paper"] for row in expected.values()}
    expected, found = ({c: row for c, row in rows.items() if row["paper"] in papers} for rows in (expected, found))
    here = [claim for claim in expected if claim in found]
    # A claim that is played under only some of its readings has a value.
    left_out = [c for c in here if found[c]["why"] == Why.NOT_RUN and not found[c]["replicated"]]
    result = Comparison(differ=unpaired(expected, found), left_out=left_out)
    both = [claim for claim in here if claim not in left_out]
    for claim in both:
        known, own = theirs.get(claim, {}), ours.get(claim, {})
        played = [n for n, row in own.items() if n in known and row["why"] != Why.NOT_RUN]
        name = next((n for n in played if own[n]["replicated"] and known[n]["replicated"]), next(iter(played), None))
        one, other = dict(found[claim]), dict(expected[claim])
        if name is not None:
            one |= {column: own[name][column] for column in NUMBERS}
            other |= {column: known[name][column] for column in NUMBERS}
        _compare_by_chance(result, claim, one, other, CHANCE / len(both))
    if not both:
        result.differ.append("no claim could be compared")
    return result


def unpaired(expected: Iterable[object], found: Iterable[object]) -> list[str]:
    """List what only one of two tables has."""
    one, other = dict.fromkeys(expected), dict.fromkeys(found)
    return [
        *(f"{name}: missing" for name in one if name not in other),
        *(f"{name}: not in the reference" for name in other if name not in one),
    ]


def compare_equal(
    expected: Mapping[str, Row], found: Mapping[str, Row], alike: Callable[[str, str], bool]
) -> list[str]:
    """Return a line for each row that one of two tables lacks, and for each cell that is not ``alike``."""
    return unpaired(expected, found) + [
        f"{name}: {column}: {found[name][column]!r}; reference {cell!r}"
        for name, row in expected.items()
        if name in found
        for column, cell in row.items()
        if not alike(found[name][column], cell)
    ]


def _compare_by_chance(result: Comparison, claim: str, ours: Row, theirs: Row, chance: float) -> None:
    """Compare a value of a smaller study; ``chance`` is how often it may be too far off."""
    told = f"{claim}: reference {_told(theirs)}; here {_told(ours)}"
    one, other = _counts(ours), _counts(theirs)
    value, known = value_of(ours), value_of(theirs)
    apart = math.nan if value is None or known is None else abs(value - known)
    tolerance = math.hypot(_half_width(ours, 1 - chance / 2), _half_width(theirs, 1 - chance / 2))
    if {ours["outcome"], theirs["outcome"]} == OPPOSITE:  # fewer seeds may leave more open
        result.differ.append(f"{told}, which is the opposite")
    elif ours["outcome"] == theirs["outcome"] != Outcome.OPEN and ours["why"] != theirs["why"]:
        result.differ.append(f"{claim}: why: {ours['why']!r}; reference {theirs['why']!r}")
    elif not (ours["replicated"] or theirs["replicated"]):
        result.unmeasured.append(claim)
    elif len(one) == len(other) > 0 and one[-1] != other[-1]:
        tables = [np.array([[a, one[-1] - a], [b, other[-1] - b]]) for a, b in zip(one[:-1], other[:-1], strict=True)]
        if min(fisher_exact(table).pvalue for table in tables) > chance / len(tables):
            result.agree.append(claim)
        else:
            result.differ.append(f"{told}, which differ as shares")
    elif apart <= tolerance or same(ours["replicated"], theirs["replicated"]):
        result.agree.append(claim)
    elif ours["n"] == theirs["n"] == "0" and Outcome.OPEN not in (ours["outcome"], theirs["outcome"]):
        result.differ.append(f"{told}, which are not equal")
    elif math.isnan(apart) or math.isnan(tolerance):
        result.unmeasured.append(claim)
    else:
        result.differ.append(f"{told}; tolerance {tolerance:.3g}")


def _counts(row: Row) -> list[int]:
    """Read the counts in a value, with the number of trials last; empty if there are none."""
    value, reason = row["replicated"], row["reason"].rpartition(";")[2].replace(",", "")
    is_count = value.isdecimal() and not row["ci_low"]
    if not (found := COUNTED.search(value) or (is_count and COUNTED.search(reason))):
        return []
    counts = [int(count) for count in re.findall(r"\d+", value.partition(" of ")[0])]
    return [*counts, int(found["trials"])] if max(counts) <= int(found["trials"]) else []


def same(ours: str, theirs: str) -> bool:
    """Return whether two cells are the same number up to 1e-5, or the same text (`same_text`); counts must be equal."""
    one, other = _number(ours), _number(theirs)
    if math.isnan(one) or math.isnan(other) or (ours.isdecimal() and theirs.isdecimal()):
        return same_text(ours, theirs)
    return math.isclose(one, other, rel_tol=PRINTED, abs_tol=1e-12)


def same_text(ours: str, theirs: str) -> bool:
    """Return whether two texts have the same words and nearly the same numbers.

    Numbers with as many decimals may differ by one in the last; counts must be equal.
    """
    if NUMBER.split(ours) != NUMBER.split(theirs):
        return False
    for numbers in zip(NUMBER.findall(ours), NUMBER.findall(theirs), strict=True):
        one, other = (Decimal(number.replace(",", "")) for number in numbers)
        last = int(one.as_tuple().exponent)
        decimals = 0 > last == other.as_tuple().exponent and "e" not in numbers[0]
        if abs(one - other) > (Decimal(1).scaleb(last) if decimals else Decimal("1e-12")):
            return False
    return True


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _half_width(row: Row, quantile: float) -> float:
    """Return half the width of a row's interval, converted from Student's 95 % to ``quantile`` (one-sided)."""
    low, high = _number(row["ci_low"]), _number(row["ci_high"])
    n = _number(row["n"])
    if math.isnan(n) or n < 2:
        return math.nan
    factor = stdtrit(n - 1, quantile) / stdtrit(n - 1, 0.975)
    return float((high - low) / 2 * factor)


def _told(row: Row) -> str:
    return f"{row['replicated'] or 'no value'} (n = {row['n']}, {row['outcome']})"


def compare_given(rows: Mapping[str, Row], published: Path) -> list[str]:
    """Return a line for each cell that repeats ``data/published`` or ``claims.py``, but not what they say now."""
    lines = []
    for paper in dict.fromkeys(row["paper"] for row in rows.values()):
        place, claims = published / f"{paper}.csv", claims_of(paper)
        printed = read_printed(place)
        for claim, row in ((claim, row) for claim, row in rows.items() if row["paper"] == paper):
            if claim not in printed:
                lines.append(f"{claim}: not in {place}")
                continue
            words = printed[claim]
            given = {"statement": words.statement, "published": words.value, "kind": words.kind}
            if claim in claims:
                headline = HEADLINE if claims[claim].headline else ""
                given |= {"headline": headline, "shown": claims[claim].shown, "in_view": claims[claim].in_view}
            lines += [
                f"{claim}: {name}: {row[name]!r}; {place} or claims.py says {text!r}"
                for name, text in given.items()
                if row[name] != text
            ]
    return lines


def of_no_reading(rows: Mapping[str, Row], readings: OfReadings) -> list[str]:
    """Return a line for each claim whose numbers are those of none of its readings."""
    shown = ("replicated", "ci_low", "ci_high", "n")
    return [
        f"{claim}: {rows[claim]['replicated']!r} is the value of none of its readings"
        for claim, own in readings.items()
        if claim in rows and not any(all(rows[claim][name] == row[name] for name in shown) for row in own.values())
    ]


def compare_columns(
    expected: Mapping[tuple[str, str], Column], found: Mapping[tuple[str, str], Column]
) -> tuple[list[str], set[str]]:
    """Compare Parquet tables; return a line for each difference that counts, and the tables that are not identical."""
    lines, others = [], set()
    for (table, name), theirs in expected.items():
        ours = found.get((table, name), Column("missing"))
        if ours.digest == theirs.digest:
            continue
        others.add(table)
        apart = max(abs(ours.mean - theirs.mean), abs(ours.size - theirs.size))
        if (table, "") not in found:
            lines += [] if name else [f"{table}: missing"]
        elif not apart <= PRINTED * theirs.size:  # NaN if it is no fraction
            lines.append(f"{table}: {name or 'what is no fraction'}: {ours}; reference {theirs}")
    return lines, others


def compare_lines(expected: Mapping[str, Path], folder: Path, alike: Callable[[str, str], bool]) -> list[str]:
    """Compare text files in a folder line by line; return a line for each file that is missing or differs."""
    lines = []
    for name, path in expected.items():
        if not (folder / name).is_file():
            lines.append(f"{folder / name}: missing")
            continue
        ours, theirs = (file.read_text(encoding="utf-8").splitlines() for file in (folder / name, path))
        wrong = [pair for pair in zip_longest(ours, theirs, fillvalue="no line") if not alike(*pair)]
        if wrong:
            lines.append(
                f"{folder / name}: {len(wrong)} lines differ, first {wrong[0][0]!r}; reference {wrong[0][1]!r}"
            )
    return lines


def stale(results: Path, figures: Path) -> list[str]:
    """Say which tables and figures are missing, or do not have the key that this checkout would give them.

    Raises
    ------
    ConfigError, OSError
        If the configuration is wrong, or a file is damaged.
    """
    config = read_yaml(Path("config/config.yaml"), "config/config.yaml")
    study = Study({**config, "scale": json.loads((results / SCALE).read_text(encoding="utf-8"))}, Path())
    keys = dict(_keys(study, results, figures))
    told: dict[str, list[Path]] = {}
    for path, key in keys.items():
        recorded = _recorded(path) if path.is_file() else ""
        if not path.is_file():
            told.setdefault("missing", []).append(path)
        elif not recorded:
            told.setdefault("not recorded, so perhaps old; --forcerun figure table verdicts", []).append(path)
        elif key not in recorded:
            told.setdefault("made by other code or with other settings; run the study again", []).append(path)
    return [f"{len(paths)} of {len(keys)} files, first {paths[0]}: {what}" for what, paths in told.items()]


def _recorded(path: Path) -> str:
    """Return the record of a file's key: Parquet files contain theirs, Snakemake keeps the others; empty if none."""
    if path.suffix == ".parquet":
        return read_metadata(path).get(KEY, b"").decode()
    record = RECORDS / urlsafe_b64encode(path.as_posix().encode()).decode()
    return record.read_text(encoding="utf-8") if record.is_file() else ""


def _keys(study: Study, results: Path, figures: Path) -> Iterator[tuple[Path, str]]:
    """List the files that a study makes, each with its key; of a figure or table one file."""
    for paper in study.papers:
        for stage in STAGES:
            for name in study.wanted(paper, stage):
                yield results / paper / stage / f"{name}.parquet", study.stage_job(paper, stage, name).key
        for name in study.wanted(paper, "experiments"):
            for table in ("curves", "finals"):
                yield results / paper / name / f"{table}.parquet", study.experiment_job(paper, name).key
        for kind, suffix in (("figures", "png"), ("tables", "csv")):
            for name in study.wanted(paper, kind):
                yield figures / paper / f"{name}.{suffix}", study.item_job(paper, kind, name).key
        for name in (VERDICTS, READINGS):
            yield results / paper / name, verdicts_job(study, paper).key
    for name in (VERDICTS, READINGS):
        yield results / name, summary_key(study)


def at_hand(results: Path) -> Path:
    """Return the folder of the newest verdicts: the study at published scale, or `quick`'s.

    Raises
    ------
    NoReferenceError
        If there are none.
    """
    folders = [folder for folder in (results, results / "quick") if (folder / VERDICTS).is_file()]
    if not folders:
        one = "for one paper snakemake --cores all --config papers=[lee2019]"
        raise NoReferenceError(
            f"no {VERDICTS} in {results} or {results / 'quick'}: run make quick or make reproduce, or {one}"
        )
    return max(folders, key=lambda folder: (folder / VERDICTS).stat().st_mtime)


def verify(folder: Path) -> tuple[list[str], bool]:
    """Compare verdicts and tables with the reference; return the lines to print, and whether everything agrees.

    Parameters
    ----------
    folder : Path
        The folder of the results. Figures are in its folder ``figures`` if it has one, else in that of the checkout.

    Raises
    ------
    NoReferenceError, TableError, ConfigError, OSError
        If a file is missing or damaged.
    """
    found = _verdicts(folder / VERDICTS)
    new = without_reference(found.values())
    lines = [f"{paper}: no committed verdicts; compared with nothing" for paper in new]
    rows = {claim: row for claim, row in found.items() if row["paper"] not in new}
    if not rows:
        return lines, True
    expected = _verdicts(reference.FOLDER / VERDICTS)
    ours, theirs = (read_readings(path / READINGS) for path in (folder, reference.FOLDER))
    figures = folder / "figures" if (folder / "figures").is_dir() else reference.FIGURES
    if limits(folder):
        result = compare(expected, rows, theirs, ours)
    else:
        papers = {row["paper"] for row in expected.values()}
        columns = reference.read_columns(reference.FOLDER / COLUMNS)
        different, others = compare_columns(columns, reference.columns_of(folder, papers))
        of_cells, of_lines = (same, same_text) if others else (eq, eq)
        result = Comparison(differ=compare_equal(expected, rows, of_cells))
        wrong = {line.split(": ")[0] for line in result.differ}
        result.agree = [claim for claim in rows if claim not in wrong]
        one, other = (
            {f"{claim}: {name}": row for claim, own in readings.items() for name, row in own.items()}
            for readings in (theirs, ours)
        )
        drawn = reference.tables_under(reference.FOLDER / reference.FIGURES, papers)
        result.differ += [*compare_equal(one, other, of_cells), *different, *compare_lines(drawn, figures, of_lines)]
        lines += [f"some bits differ, which alone is not a disagreement: {table}" for table in sorted(others)]
        tables = {table for table, _ in columns}
        lines.append(f"{len(tables) - len(others)} of {len(tables)} tables are identical to the reference's")
    result.differ += [*compare_given(rows, reference.PUBLISHED), *of_no_reading(rows, ours), *stale(folder, figures)]
    return [
        *(f"differs: {line}" for line in result.differ),
        f"{folder / VERDICTS} against {reference.FOLDER / VERDICTS}: {len(result.agree)} agree, "
        f"{len(result.differ)} differ, {len(result.left_out)} not in this configuration, "
        f"{len(result.unmeasured)} on fewer seeds and without a value",
        *lines,
    ], not result.differ


def without_reference(rows: Iterable[Row]) -> list[str]:
    """List the papers of these verdicts that have no committed ones, as papers of one's own."""
    known = {row["paper"] for row in read(checkout() / reference.FOLDER / VERDICTS).values()}
    return list(dict.fromkeys(row["paper"] for row in rows if row["paper"] not in known))


def _verdicts(path: Path) -> dict[str, dict[str, str]]:
    """Read verdicts, of which there must be some."""
    if not (found := read(path)):
        raise TableError(f"{path}: no verdicts; expected one per claim")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and print; return 0 if nothing differs, else 1."""
    argparse.ArgumentParser(prog="python -m replication.tools.verify", description=__doc__).parse_args(arguments)
    try:
        lines, agrees = verify(at_hand(RESULTS))
    except (OSError, NoReferenceError, TableError, ConfigError) as error:
        print(f"verify: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    print("\n".join(lines))
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
