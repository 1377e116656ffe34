"""Judges of published means and counts of zero."""

from __future__ import annotations

import math

import numpy as np

from causal_bandits.arrays import FloatArray
from replication.judging.judges.intervals import (
    RARE,
    checked,
    clopper_pearson,
    mean_interval,
    no_interval,
    normal,
    quantile,
)
from replication.judging.judges.judgement import Judgement, Outcome, Why, opened, reason, seeds_or_never

#: The precision required, relative to the published number: one off by more than twice this is not judged to hold.
#: This is a choice: the papers' own comparisons are about differences of a quarter or more (lee2019: 24.8 to 61 %).
PRECISION = 0.1

#: A published number fails if means of equal distributions differ as much in at most this share of cases.
FEW = 0.025

#: A published number holds only if the replication's standard error is at most this share of the paper's. With a larger
#: one, a number that many seeds would refute would hold too often with few.
SHARE_OF_ERROR = 0.5

#: Means of fewer trials are far from normal, and are refuted by counting instead.
NEARLY_NORMAL = 4

#: Fewer values say nothing about rare ones: if a share `RARE` of all values carries much of the mean, fewer would miss
#: them altogether in more than 2.5 % of cases.
SEEN = 72


def explained_by(trials: int) -> float:
    """Return the error, in standard errors, that the mean of ``trials`` values exceeds in a share `FEW` of cases.

    It is the larger of two: for normal values, on both sides together; for exponential values, on their long side only,
    by the first Cornish-Fisher term. With fewer than `NEARLY_NORMAL` trials it is the former, since such means are
    refuted by counting.
    """
    from scipy.special import ndtri

    both, one = float(ndtri(1 - FEW / 2)), float(ndtri(1 - FEW))
    return both if trials < NEARLY_NORMAL else max(both, one + (one**2 - 1) / (3 * math.sqrt(trials)))


def judge_mean(
    published: float,
    values: FloatArray,
    trials: int,
    *,
    precision: float = PRECISION,
    margin: float = 0.0,
    drawn: FloatArray | None = None,
    unit: str = "seed",
) -> Judgement:
    """Judge a published mean over ``trials`` repetitions.

    No paper of the study prints a standard error. The paper's is taken to be that of the mean of ``trials`` of the
    replication's values, which is right if both have the same distribution.

    - The number fails if it differs from ours by more than chance explains: 2.24 combined standard errors
      (`explained_by`), widened for skewness and few seeds like all intervals. Level: 2.5 % on both sides together.
    - It holds if our mean is within 2.24 of the paper's own standard errors, our standard error is at most half of the
      paper's (`SHARE_OF_ERROR`), and the two together are precise: 2.24 of the paper's standard errors plus half the
      width of our 95 % interval is at most ``2 precision |published|``. So a number that is off by more than that holds
      in at most 2.5 % of cases.
    - Otherwise it is open.

    Fewer than `SEEN` values decide nothing. Means of fewer than `NEARLY_NORMAL` trials are refuted by counting: the
    replication's own values are averaged ``trials`` at a time, and the claim fails if surely at most a share `FEW` of
    these averages are as far from their mean as the published number is (95 % interval of Clopper and Pearson, which
    takes 146 of them; ledger L161).

    Parameters
    ----------
    published : float
    values : array, shape (n,)
        The replication's value per seed.
    trials : int
        The number of repetitions that the paper averages, at least 1.
    precision : float
        Positive, relative to the published number.
    margin : float
        Declared equivalence margin, relative to the published number; 0 for none. The number also holds if our
        whole interval is within the margin, and does not fail if part of it is.
    drawn : array, shape (n,), optional
        The values computed from drawn rewards, if the paper averages these and the replication averages their
        expectations: these values vary as the paper's trials do.
    unit : str
        What one value belongs to, for the reason.
    """
    if trials < 1 or precision <= 0 or margin < 0:
        told = f"trials={trials}, precision={precision}, margin={margin}"
        raise ValueError(f"{told}: expected at least 1, > 0 and >= 0")
    at, size = mean_interval(values), abs(published)
    own = np.asarray(values if drawn is None else drawn, dtype=np.float64)
    error = mean_interval(own).sd / math.sqrt(trials)  # of the paper's mean
    explained = explained_by(trials) * error + 1e-9 * size  # the second term is for rounding
    off, most, allowed = abs(at.value - published), 2 * precision * size, margin * size

    def outcome(n: int) -> Outcome:
        """Return the outcome with n seeds of this mean and spread."""
        width = quantile(n, at.skewness)
        ours = at.sd / math.sqrt(n)
        precise = ours <= SHARE_OF_ERROR * error and explained * width / normal() + width * ours <= most
        if (precise and off <= explained) or (margin and off + width * ours <= allowed):
            return Outcome.HOLDS
        joint = math.hypot(explained, explained_by(trials) * ours) * width / normal()
        refuted = trials >= NEARLY_NORMAL and off > max(joint, (allowed + width * ours) if margin else 0.0)
        return Outcome.FAILS if refuted else Outcome.OPEN

    def judgement(found: Outcome, *clauses: str, missing: Why = Why.SEEDS) -> Judgement:
        why = opened(found, missing)
        return Judgement(found, reason(*clauses), _shown(at.value, size), at.low, at.high, at.n, why)

    if math.isnan(at.low):
        return judgement(Outcome.OPEN, no_interval(at, unit))
    if at.n < SEEN:
        return judgement(Outcome.OPEN, f"{at.n} {unit}s may all miss a rare event")
    found = outcome(at.n)
    told = f"{100 * (at.value / published - 1):+.1f} %" if published else _shown(at.value, size)
    border = (
        f"chance in {trials} trials explains up to {_shown(explained, size)}"
        if trials > 1
        else f"chance in one trial explains up to {_shown(explained, size)}"
    )
    border += f", {_shown(allowed, size)} is the declared margin" if margin else ""
    if found is not Outcome.OPEN:
        explains = "explains" if found is Outcome.HOLDS else "does not explain"
        return judgement(found, f"chance {explains} the difference, {told}", border)
    few = f"too much to confirm the number to within {_shown(most, size)}" if explained > most and not margin else ""
    if trials < NEARLY_NORMAL:
        found, missing, counted = _refuted_by_few(off, _means_of(own, trials), trials, unit)
        return judgement(found, counted, told, f"{border}, {few}" if few else border, missing=missing)
    missing = seeds_or_never(lambda n: outcome(n) is not Outcome.OPEN)
    if few and missing is Why.UNTESTABLE:
        return judgement(found, f"{border}, {few}", told, missing=missing)
    return judgement(found, f"{told}; {border}", missing=missing)


def judge_zero(values: FloatArray, trials: int) -> Judgement:
    """Judge a published count of 0.

    The count is the mean of ``trials`` repetitions of something that is never negative. Level: 95 % interval
    (Clopper-Pearson) of the share of seeds with 0. The claim holds if that share is at least 0.95 (`RARE`), and fails
    if ``trials`` repetitions would all be 0 in at most 2.5 % of cases (`FEW`). In between it is open because the paper
    has too few trials.

    Parameters
    ----------
    values : array, shape (n,)
        At least 0.
    """
    n, none = len(checked(values)), int((values == 0).sum())
    at, (low, high) = mean_interval(values), clopper_pearson(none, n)
    fails = FEW ** (1 / trials)

    def outcome(low: float, high: float) -> Outcome:
        return Outcome.HOLDS if low >= 1 - RARE else Outcome.FAILS if high <= fails else Outcome.OPEN

    found, why = outcome(low, high), f"{none} of {n} seeds have none, against {trials} trials in the paper"
    missing = seeds_or_never(lambda k: outcome(*clopper_pearson(none / n * k, k)) is not Outcome.OPEN)
    return Judgement(found, why, f"{at.value:.2f}", at.low, at.high, n, opened(found, missing))


def _means_of(values: FloatArray, size: int) -> FloatArray:
    """Return the means of successive groups of ``size`` values, without any remainder."""
    groups = len(values) // size
    means: FloatArray = values[: groups * size].reshape(groups, size).mean(axis=1)
    return means


def _refuted_by_few(off: float, alike: FloatArray, trials: int, unit: str) -> tuple[Outcome, Why, str]:
    """Judge whether at most a share `FEW` of means of so few trials are as far off: outcome, why it is open, count."""
    groups = len(alike)
    as_far = int((np.abs(alike - alike.mean()) >= off).sum())
    high = clopper_pearson(as_far, groups)[1]
    told = f"{as_far} of {groups} means of {trials} {unit}s are as far off (boundary {100 * FEW:g} %)"
    if high <= FEW:
        return Outcome.FAILS, Why.SEEDS, told
    if as_far >= FEW * groups:
        return Outcome.OPEN, Why.UNTESTABLE, told
    return Outcome.OPEN, seeds_or_never(lambda n: clopper_pearson(as_far / groups * n, n)[1] <= FEW), told


def _shown(number: float, size: float) -> str:
    """Format a number to two decimal places, or four if the published number is below one."""
    return f"{number:.{2 if size >= 1 else 4}f}"
