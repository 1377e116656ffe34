"""Judges of means against a boundary: orderings and bounds on expectations."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray
from replication.judging.judges.intervals import Estimate, difference, mean_interval, no_interval, quantile
from replication.judging.judges.judgement import MOST, Judgement, Outcome, Why, reason, seeds_or_never

#: The equivalence margin, relative to the claimed difference: a smaller difference between two policies counts as none.
SHARE_OF_CLAIMED = 0.1

#: The equivalence margin if no difference is published, relative to the smaller mean.
SHARE_OF_SMALLER = 0.01


def judge_above(
    larger: FloatArray,
    smaller: FloatArray,
    *,
    claimed: float | None = None,
    unit: str = "seed",
) -> Judgement:
    """Judge "``larger`` exceeds ``smaller`` on average", paired by seed.

    Level: 95 % interval of the paired difference. Boundary: a tenth of the claimed difference (`SHARE_OF_CLAIMED`)
    or, if none is published, a hundredth of the smaller mean (`SHARE_OF_SMALLER`). A difference below the boundary does
    not matter: the claim then holds in at most 2.5 % of cases; with a larger one it fails in at most 2.5 %.

    Raises
    ------
    ValueError
        If the arrays differ in length or the claimed difference is not positive.
    """
    if claimed is not None and claimed <= 0:
        raise ValueError(f"claimed={claimed}: expected a positive number, the excess of the larger mean")
    at = mean_interval(difference(larger, smaller))
    border = SHARE_OF_SMALLER * abs(float(np.mean(smaller))) if claimed is None else SHARE_OF_CLAIMED * claimed
    judged = _judge_border(at, border, "difference", f"{border:.3g}, the smallest difference that matters", unit=unit)
    return _with_means(judged, float(np.mean(larger)), float(np.mean(smaller)))


class Moments(NamedTuple):
    """Mean and standard deviation of ``n`` seeds, if their values are not kept."""

    mean: float
    sd: float
    n: int


def judge_above_apart(larger: Moments, smaller: Moments, *, unit: str = "seed") -> Judgement:
    """Judge as `judge_above` does when only moments are kept; the seeds are then unpaired, so the interval is wider.

    Common worlds make seeds of two policies positively correlated; the interval treats them as independent.
    """
    n = min(larger.n, smaller.n)
    width = quantile(n)
    error = math.hypot(larger.sd / math.sqrt(larger.n), smaller.sd / math.sqrt(smaller.n))
    value = larger.mean - smaller.mean
    known = error > 0 and not math.isnan(width)
    low, high = (value - width * error, value + width * error) if known else (math.nan, math.nan)
    border = SHARE_OF_SMALLER * abs(smaller.mean)
    at = Estimate(value, error * math.sqrt(n), width if known else math.nan, low, high, n)
    judged = _judge_border(at, border, "difference", f"{border:.3g}, the smallest difference that matters", unit=unit)
    return _with_means(judged, larger.mean, smaller.mean)


def _with_means(judged: Judgement, larger: float, smaller: float) -> Judgement:
    """Add both means to the difference that is shown."""
    return replace(judged, replicated=f"{judged.replicated} ({larger:.2f} against {smaller:.2f})")


def judge_mean_bound(bound: float, values: FloatArray, worst: float, *, unit: str = "seed") -> Judgement:
    """Judge "the expected regret is at most ``bound``".

    Level: 95 % interval of the mean. Boundary: the bound itself. ``worst`` as in `judge_bound`.
    """
    at = mean_interval(values)
    if bound >= worst:
        why = f"the bound is {bound:.0f}; no policy can have more than {worst:.0f}, so no run could violate it"
        shown = f"{at.value:.2f}"
        return Judgement(Outcome.OPEN, why, shown, n=at.n, why=Why.UNTESTABLE)
    judged = _judge_border(at, bound, "mean", f"the bound, {bound:.1f}", below=True, unit=unit)
    return replace(judged, replicated=f"{at.value:.2f}")


def _judge_border(
    at: Estimate, border: float, name: str, described: str, *, below: bool = False, unit: str = "seed"
) -> Judgement:
    """Judge that a mean is above a boundary or, with ``below``, at most equal to it.

    The claim holds if the whole interval is on that side, and fails if the whole interval is on the other.
    """

    def outcome(low: float, high: float) -> Outcome:
        holds, fails = (high <= border, low > border) if below else (low > border, high <= border)
        return Outcome.HOLDS if holds else Outcome.FAILS if fails else Outcome.OPEN

    found, shown = outcome(at.low, at.high), f"{name} {at.value:.2f}"
    if math.isnan(at.low):
        return Judgement(found, no_interval(at, unit), shown, at.low, at.high, at.n, Why.SEEDS)
    if found is Outcome.OPEN:
        missing = seeds_or_never(lambda n: outcome(*at.with_values(n)) is not Outcome.OPEN)
        never = f"too near the boundary for {MOST:,} {unit}s to decide" if missing is Why.UNTESTABLE else ""
        why = reason(f"the 95 % interval contains {described}", never)
        return Judgement(found, why, shown, at.low, at.high, at.n, missing)
    side = "below" if (found is Outcome.HOLDS) == below else "above"
    return Judgement(found, f"the 95 % interval is {side} {described}", shown, at.low, at.high, at.n)
