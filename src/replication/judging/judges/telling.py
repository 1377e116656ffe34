"""What a `why` says of data that do not tell: how many seeds would."""

from __future__ import annotations

import math
from collections.abc import Callable

from replication.judging.judges.intervals import Estimate, quantile
from replication.judging.judges.judgement import INCONCLUSIVE


def needed(at: Estimate, verdict: Callable[[float, float, float], str], unit: str) -> str:
    """How many seeds would tell if mean, spread and skewness stayed what they are."""

    def tells(n: int) -> bool:
        width = quantile(n, at.skewness)
        half = width * at.sd / math.sqrt(n)
        return verdict(at.value - half, at.value + half, width) != INCONCLUSIVE

    return fewest(tells, at.n, 1, unit)


def fewest(tells: Callable[[int], bool], few: int, each: int, unit: str) -> str:
    """The least number above ``few`` that tells, roughly, in words; each stands for ``each`` values."""
    enough = 10**7
    if not tells(enough):
        return f"it is too near the border for any number of {unit}s to tell"
    while enough > 1.02 * few + 1:
        middle = max(few + 1, math.isqrt(few * enough))
        few, enough = (few, middle) if tells(middle) else (middle, enough)
    return f"about {float(f'{enough * each:.2g}'):,.0f} {unit}s would tell"


def no_interval(at: Estimate, unit: str) -> str:
    """Why there is none."""
    return f"one {unit} has no interval" if at.n == 1 else f"{at.n} equal values tell nothing of the spread (72 would)"
