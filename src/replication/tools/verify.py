"""Compares the study at hand with the committed reference.

``python -m replication.tools.verify`` (`make verify`) compares the verdicts at hand with
``data/reference/verdicts.csv``.
A value that rests on as many seeds as the reference's, or on none, has to be equal to a relative 1e-5, since tables
print six digits, and its verdict the same. One that rests on fewer seeds has to lie as near as chance explains: within
Student's t quantile of 1 - 0.01 / (2 x compared values) of both standard errors, so that all of them together go wrong
by chance in one study of a hundred; and its verdict must not be the opposite.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scipy.special import stdtrit

from replication.judging.judges import CONTRADICTED, NOT_REPRODUCED, REPRODUCED, SIMULATED
from replication.judging.verdict_tables import NOT_RUN
from replication.tools import reference
from replication.tools.reference import DIGESTS, VERDICTS, NoReferenceError, digests, read_digests, read_verdicts

#: Relative: tables of verdicts print six digits.
PRINTED = 1e-5
#: How often a whole comparison of values on fewer seeds goes wrong by chance.
CHANCE = 0.01
#: What no number of seeds may turn into each other.
OPPOSITE = ({REPRODUCED, NOT_REPRODUCED}, {REPRODUCED, CONTRADICTED})

Row = Mapping[str, str]


@dataclass(frozen=True)
class Comparison:
    """What came out.

    Attributes
    ----------
    agree, differ : list of str
        Claims whose values are within tolerance, and a line for each that is not.
    left_out : list of str
        Claims that the configuration at hand leaves out.
    unmeasured : list of str
        Claims on fewer seeds without an interval on both sides, which have no value to compare; their verdicts are
        not opposite.
    """

    agree: list[str]
    differ: list[str]
    left_out: list[str]
    unmeasured: list[str]


def compare(expected: Mapping[str, Row], found: Mapping[str, Row]) -> Comparison:
    """Compare verdicts with the reference's.

    Parameters
    ----------
    expected, found : mapping
        Rows of a table of verdicts by claim. Papers that one of them lacks are not compared.
    """
    agree, differ, unmeasured = list[str](), list[str](), list[str]()
    papers = {row["paper"] for row in found.values()} & {row["paper"] for row in expected.values()}
    claims = [claim for claim, row in expected.items() if row["paper"] in papers]
    left_out = [claim for claim in claims if claim in found and found[claim]["why"].startswith(NOT_RUN)]
    differ += [f"{claim}: not among the verdicts at hand" for claim in claims if claim not in found]
    new = [claim for claim, row in found.items() if row["paper"] in papers and claim not in expected]
    differ += [f"{claim}: not in the reference" for claim in new]
    both = [claim for claim in claims if claim in found and claim not in left_out]
    smaller = any(_number(found[claim]["n"]) < _number(expected[claim]["n"]) for claim in both)
    for claim in both:
        ours, theirs = found[claim], expected[claim]
        # In a smaller study a simulated row without n rests on fewer seeds too.
        untold = smaller and ours["n"] == "0" and SIMULATED in (ours["evidence"], theirs["evidence"])
        if ours["n"] == theirs["n"] and not untold:
            tolerance = PRINTED * abs(_number(theirs["replicated"]))
            same_verdict = ours["verdict"] == theirs["verdict"]
        else:
            quantile = 1 - CHANCE / (2 * len(both))
            tolerance = math.hypot(_half_width(ours, quantile), _half_width(theirs, quantile))
            same_verdict = {ours["verdict"], theirs["verdict"]} not in OPPOSITE  # fewer seeds may leave more open
            if math.isnan(tolerance) and same_verdict:
                unmeasured.append(claim)
                continue
        apart = abs(_number(ours["replicated"]) - _number(theirs["replicated"]))
        if same_verdict and (ours["replicated"] == theirs["replicated"] or apart <= tolerance):
            agree.append(claim)
        else:
            differ.append(
                f"{claim}: reference {_told(theirs)}; at hand {_told(ours)}; tolerance {tolerance:.3g}"
                + ("" if same_verdict else ", and a verdict that agrees")
            )
    return Comparison(agree, differ, left_out, unmeasured)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _half_width(row: Row, quantile: float) -> float:
    """Half the interval of a row at another level: from Student's 95 % to ``quantile`` (one side)."""
    value, low, high = (_number(row[name]) for name in ("replicated", "ci_low", "ci_high"))
    n = _number(row["n"])
    if math.isnan(n) or n < 2:
        return math.nan
    factor = stdtrit(n - 1, quantile) / stdtrit(n - 1, 0.975)
    return float(max(high - value, value - low) * factor)


def _told(row: Row) -> str:
    return f"{row['replicated'] or 'no value'} (n = {row['n'] or 'none'}, {row['verdict']})"


def at_hand(results: Path) -> Path:
    """The folder of the newest verdicts: the study at published scale, or `quick`'s.

    Raises
    ------
    NoReferenceError
        If there are none.
    """
    folders = [folder for folder in (results, results / "quick") if (folder / VERDICTS).is_file()]
    if not folders:
        raise NoReferenceError(f"no {VERDICTS} in {results} or {results / 'quick'}: run make quick or make reproduce")
    return max(folders, key=lambda folder: (folder / VERDICTS).stat().st_mtime)


def report(folder: Path, found: Comparison) -> str:
    """What is printed: each difference, the counts, and at full scale how many tables are the same to the bit."""
    lines = [f"differs: {line}" for line in found.differ]
    lines.append(
        f"{folder / VERDICTS} against {reference.FOLDER / VERDICTS}: {len(found.agree)} agree, "
        f"{len(found.differ)} differ, {len(found.left_out)} not in this configuration, "
        f"{len(found.unmeasured)} on fewer seeds and without a value"
    )
    if folder.name != "quick":
        expected, here = read_digests(reference.FOLDER / DIGESTS), digests(folder)
        shared = sorted(expected.keys() & here.keys())
        moved = [table for table in shared if expected[table] != here[table]]
        lines += [f"not the same to the bit, which alone means nothing: {table}" for table in moved]
        lines.append(f"{len(shared) - len(moved)} of {len(shared)} tables hold the same bits as the reference's")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and print; returns 0 if nothing differs, else 1."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.verify", description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder of the results (results)")
    options = parser.parse_args(arguments)
    try:
        folder = at_hand(options.results)
        found = compare(read_verdicts(reference.FOLDER / VERDICTS), read_verdicts(folder / VERDICTS))
        print(report(folder, found))
    except (OSError, NoReferenceError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    return 1 if found.differ else 0


if __name__ == "__main__":
    sys.exit(main())
