"""Estimate how many seeds would decide an open claim, and say why an interval is missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypedDict

from replication.judging.judges.intervals import Estimate, quantile
from replication.judging.judges.judgement import Because, Needs, Outcome

#: No study plays more values than this: a claim that takes more is untestable.
MOST = 10**5

#: The smallest number is found to within this factor.
NEAR = 1.02


class Open(TypedDict):
    """Why a judgement is open, and how many values would decide it; both None if it is decided."""

    because: Because | None
    needs: Needs | None


#: Nothing is missing.
DECIDED: Open = {"because": None, "needs": None}


def needed(at: Estimate, outcome: Callable[[float, float, float], Outcome], unit: str) -> Open:
    """Estimate how many values would decide the claim if mean, spread and skewness stayed the same."""

    def tells(n: int) -> bool:
        width = quantile(n, at.skewness)
        half = width * at.sd / math.sqrt(n)
        return outcome(at.value - half, at.value + half, width) is not Outcome.OPEN

    return fewest(tells, at.n, 1, unit)


def fewest(tells: Callable[[int], bool], few: int, each: int, unit: str) -> Open:
    """Find roughly the smallest number above ``few`` that decides the claim; each counts for ``each`` values."""
    enough = MOST
    if not tells(enough):
        return {"because": Because.UNTESTABLE, "needs": None}
    while enough > NEAR * few + 1:
        middle = max(few + 1, math.isqrt(few * enough))
        few, enough = (few, middle) if tells(middle) else (middle, enough)
    return {"because": Because.SEEDS, "needs": Needs(int(float(f"{enough * each:.2g}")), unit)}


def needed_by_all(every: Sequence[Estimate], tests: int, unit: str) -> Open:
    """Estimate how many values decide a claim that holds if all means are above zero and fails if one is below."""
    if any(math.isnan(at.low) for at in every):
        return {"because": Because.SEEDS, "needs": None}

    def tells(n: int) -> bool:
        halves = [quantile(n, at.skewness, tests) * at.sd / math.sqrt(n) for at in every]
        low = [at.value - half for at, half in zip(every, halves, strict=True)]
        return min(low) > 0 or any(at.value + half < 0 for at, half in zip(every, halves, strict=True))

    return fewest(tells, every[0].n, 1, unit)


def seeds_needed(found: Open, unit: str) -> str:
    """Say how many values would decide the claim, or that no feasible number would."""
    return str(found["needs"]) if found["needs"] else f"too near the boundary for {MOST:,} {unit}s to decide"


def no_interval(at: Estimate, unit: str) -> str:
    """Say why there is no interval."""
    return f"one {unit} has no interval" if at.n == 1 else f"{at.n} equal values do not show the spread (72 would)"
