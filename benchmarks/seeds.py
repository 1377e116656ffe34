"""Print how many seeds the study's rule (L280) asks for, ordering by ordering, from the committed verdicts.

``python benchmarks/seeds.py lu2021`` prints, for every reading of every ordering of means that was judged on seeds: how
many values there were, how many the rule asks for, and how often so many as there were decide where the larger mean is
a fifth above the smaller. It uses the smaller mean and the width of the interval, never the difference that was found.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from scipy.special import ndtr

from replication.judging.judges import PRECISION
from replication.judging.judges.borders import SHARE_OF_SMALLER
from replication.judging.judges.intervals import quantile

REFERENCE = Path("data/reference")
#: The difference that should not be missed, relative to the smaller mean; a printed mean is confirmed to as much.
MATTERS = 2 * PRECISION
#: The share of studies in which the judge should see it.
POWER = 0.8
SHOWN = re.compile(r"difference \S+ \(\S+ against (\S+)\)")


def power(spread: float, n: int) -> float:
    """Say how often n values decide, whose standard deviation is ``spread`` times the smaller mean."""
    return float(ndtr((MATTERS - SHARE_OF_SMALLER) * math.sqrt(n) / spread - quantile(n)))


def asked(spread: float) -> int:
    """Find the fewest values that decide in `POWER` of studies."""
    few, enough = 1, 2
    while power(spread, enough) < POWER:
        few, enough = enough, 2 * enough
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if power(spread, middle) >= POWER else (middle, enough)
    return enough


def orderings(paper: str) -> Iterator[tuple[str, str, int, float]]:
    """Find each ordering's claim, reading, number of values, and spread relative to the smaller mean."""
    for table in ("verdicts.csv", "verdict_readings.csv"):
        with (REFERENCE / table).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                shown = SHOWN.match(row["replicated"])
                if row["claim_id"].startswith(f"{paper}.") and shown and row["ci_low"]:
                    n, smaller = int(row["n"]), abs(float(shown[1]))
                    error = (float(row["ci_high"]) - float(row["ci_low"])) / 2 / quantile(n)
                    if smaller and error:
                        yield row["claim_id"], row.get("reading", ""), n, error * math.sqrt(n) / smaller


def main(arguments: Sequence[str] | None = None) -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paper")
    for claim, reading, n, spread in orderings(parser.parse_args(arguments).paper):
        told = f"{claim} ({reading})" if reading else claim
        print(f"{told}: {n:,} values; the rule asks for {asked(spread):,}; power {100 * power(spread, n):.0f} %")


if __name__ == "__main__":
    main()
