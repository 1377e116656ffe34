"""Judges of shares: what holds on every seed, or with a probability; what samples show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from replication.judging.judges.intervals import RARE, FloatArray, clopper_pearson, difference
from replication.judging.judges.judgement import (
    BY_CONSTRUCTION,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    SIMULATED,
    Judgement,
)

#: The most probable sample sizes end here: a larger probability than this is judged as "on every seed".
ALMOST_EVERY = 0.99


def judge_same(a: FloatArray, b: FloatArray, *, by_construction: bool = False) -> Judgement:
    """Judge "exactly the same results", seed by seed.

    Level: 95 % (Clopper-Pearson). One seed that differs refutes it. Precision: seeds that differ are fewer than 5 %,
    which takes 72 equal ones. With ``by_construction`` (both have the same arms and meet the same rounds) any number
    does, and the evidence says so.
    """
    off = np.abs(difference(a, b))
    unequal, n = int((off > 0).sum()), len(off)
    shown, evidence = f"largest difference {off.max():g}", BY_CONSTRUCTION if by_construction else SIMULATED
    if unequal:
        why = f"{unequal} of {n} seeds differ"
        return Judgement(NOT_REPRODUCED, why, SIMULATED, shown, n=n)
    share = clopper_pearson(0, n)[1]
    why = f"equal for every seed: at most {100 * share:.1f} % of seeds differ (95 % interval)"
    enough = share <= RARE or by_construction
    return Judgement(REPRODUCED if enough else INCONCLUSIVE, why, evidence, shown, n=n)


def judge_rate(kept: NDArray[np.bool_], at_least: float) -> Judgement:
    """Judge "with probability at least ``at_least``", from what each seed kept.

    Level: 95 % interval of the share (Clopper-Pearson). Border: ``at_least``. A probability above 0.99 (with 1: "on
    every seed") takes more seeds than a study has: one seed that does not keep it refutes probability 1; to be
    reproduced all seeds must keep it and be enough to bound the share of others below 5 % (72).

    Parameters
    ----------
    kept : array of bool, shape (n,)
    at_least : float
        In (0, 1]. A bound that holds with probability 0 tells nothing: see `judge_bound`.
    """
    kept = np.asarray(kept)
    if kept.dtype != np.bool_ or kept.ndim != 1 or not len(kept):
        raise ValueError(f"{kept.dtype} of shape {kept.shape}: expected one bool per seed")
    if not 0 < at_least <= 1:
        raise ValueError(f"at_least={at_least}: expected a probability above 0")
    n, hits = len(kept), int(kept.sum())
    low, high = clopper_pearson(hits, n)
    why = f"{hits} of {n} seeds keep it: 95 % interval of the probability {low:.3f} to {high:.3f}, claimed {at_least:g}"
    if high < at_least or (at_least == 1 and hits < n):
        found = NOT_REPRODUCED
    elif low >= at_least:
        found = REPRODUCED
    elif at_least > ALMOST_EVERY and hits == n:
        found = REPRODUCED if 1 - low <= RARE else INCONCLUSIVE
        why = f"{why}; so near 1, all seeds must keep it, and at least 0.95 be sure"
    else:
        found = INCONCLUSIVE
    return Judgement(found, why, SIMULATED, f"{hits} of {n}", low, high, n)


def judge_bound(bound: float, values: FloatArray, worst: float, *, probability: float | None = None) -> Judgement:
    """Judge "it is at most ``bound``": on every seed, or with at least ``probability``.

    Level and precision as `judge_rate`. Not testable if no run could break it: the bound is no smaller than ``worst``,
    the largest value possible at all, or holds with probability 0. An infinite value breaks any bound.

    Raises
    ------
    ValueError
        If a value is not a number.
    """
    values = np.asarray(values, dtype=np.float64)
    if not len(values) or np.isnan(values).any():
        raise ValueError(f"{int(np.isnan(values).sum())} of {len(values)} values are no numbers; expected one per seed")
    ended = values[np.isfinite(values)]
    shown = f"{ended.mean():.2f}" if len(ended) else "none"
    if len(ended) < len(values):
        shown = f"{len(ended)} of {len(values)}, {shown} on average of those that ended"
    if bound >= worst:
        why = f"the bound is {bound:.0f}; no policy can have more than {worst:.0f}, so no run could break it"
    elif probability is not None and probability <= 0:
        why = f"the bound is {bound:.0f}, with a probability of at least {probability:.3g}, which says nothing"
    else:
        judged = judge_rate(values <= bound, 1.0 if probability is None else probability)
        largest = f"the largest value {values.max():.1f}" if len(ended) == len(values) else "some runs did not end"
        why = f"the bound is {bound:.1f}, {largest}; {judged.why}"
        return replace(judged, why=why, replicated=shown)
    return Judgement(NOT_TESTABLE, why, SIMULATED, shown, n=len(values))
