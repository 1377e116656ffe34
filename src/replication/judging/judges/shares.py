"""Judges of shares: claims about every seed, or about a probability."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray
from replication.judging.judges.intervals import clopper_pearson, difference
from replication.judging.judges.judgement import (
    MOST,
    Judgement,
    Outcome,
    Why,
    by_construction,
    opened,
    reason,
    seeds_or_never,
)

#: A probability above this is judged as "on every seed": the studies have too few seeds to distinguish it from 1.
ALMOST_EVERY = 0.99

#: A claim about every seed holds if the share of exceptions is surely below this, which takes 736 seeds without an
#: exception.
EXCEPTIONS = 0.005


def judge_same(a: FloatArray, b: FloatArray, *, constructed: bool = False) -> Judgement:
    """Judge "exactly the same results", seed by seed.

    Level: 95 % (Clopper-Pearson). One seed that differs refutes the claim. Precision: fewer than one seed in 200
    differs (`EXCEPTIONS`), which takes 736 seeds with equal results. With ``constructed`` (both have the same arms and
    play the same rounds) any number of seeds is enough, since the claim is true by construction.
    """
    off = np.abs(difference(a, b))
    unequal, n = int((off > 0).sum()), len(off)
    shown = f"largest difference {off.max():g}"
    if unequal:
        return Judgement(Outcome.FAILS, f"{unequal} of {n} seeds differ", shown, n=n)
    share = clopper_pearson(0, n)[1]
    why = f"equal for every seed: at most {100 * share:.1f} % of seeds differ (95 % interval)"
    if constructed:
        return by_construction(Judgement(Outcome.HOLDS, why, shown, n=n))
    found = Outcome.HOLDS if share <= EXCEPTIONS else Outcome.OPEN
    return Judgement(found, why, shown, n=n, why=opened(found, Why.SEEDS))


def judge_rate(kept: NDArray[np.bool_], at_least: float) -> Judgement:
    """Judge "with probability at least ``at_least``", given which seeds satisfy the claim.

    Level: 95 % interval of the share (Clopper-Pearson). Boundary: ``at_least``. To confirm a probability
    above 0.99 this way would take more seeds than a study has. Such a claim holds if all seeds satisfy it and there are
    enough of them (736) to bound the share of exceptions below one in 200. A probability of 1 ("on every seed") is
    refuted by one exception.

    Parameters
    ----------
    kept : array of bool, shape (n,)
        Whether each seed satisfies the claim.
    at_least : float
        In (0, 1]. A bound that holds with probability 0 says nothing: see `judge_bound`.
    """
    kept = np.asarray(kept)
    if kept.dtype != np.bool_ or kept.ndim != 1 or not len(kept):
        raise ValueError(f"{kept.dtype} of shape {kept.shape}: expected one bool per seed")
    if not 0 < at_least <= 1:
        raise ValueError(f"at_least={at_least}: expected a probability above 0")
    n, hits = len(kept), int(kept.sum())
    low, high = clopper_pearson(hits, n)
    why = f"{hits} of {n} seeds satisfy it, against a claimed share of {at_least:g}"
    missing = Why.SEEDS
    if high < at_least or (at_least == 1 and hits < n):
        found = Outcome.FAILS
    elif low >= at_least:
        found = Outcome.HOLDS
    elif at_least > ALMOST_EVERY and hits == n:
        found = Outcome.HOLDS if 1 - low <= EXCEPTIONS else Outcome.OPEN
        why = f"{why}; so near 1, all seeds must satisfy it and be enough to confirm {1 - EXCEPTIONS:g}"
    else:
        found, missing = Outcome.OPEN, seeds_or_never(lambda k: _apart(clopper_pearson(hits / n * k, k), at_least))
        if missing is Why.UNTESTABLE:
            why = reason(why, f"too near the boundary for {MOST:,} seeds to decide")
    return Judgement(found, why, f"{hits} of {n}", low, high, n, opened(found, missing))


def _apart(interval: tuple[float, float], at_least: float) -> bool:
    """Return whether the interval of a share lies on one side of the claimed share."""
    low, high = interval
    return high < at_least or low >= at_least


def judge_bound(bound: float, values: FloatArray, worst: float, *, probability: float | None = None) -> Judgement:
    """Judge "it is at most ``bound``": on every seed, or with at least ``probability``.

    Level and precision are as for `judge_rate`. The claim is untestable if no run could violate it: the bound is at
    least ``worst``, the largest possible value, or holds with probability 0. An infinite value violates any bound.

    Raises
    ------
    ValueError
        If a value is not a number.
    """
    values = np.asarray(values, dtype=np.float64)
    if not len(values) or np.isnan(values).any():
        raise ValueError(f"{int(np.isnan(values).sum())} of {len(values)} values are NaN; expected one number per seed")
    ended = values[np.isfinite(values)]
    shown = f"{ended.mean():.2f}" if len(ended) else "none"
    if len(ended) < len(values):
        shown = f"{len(ended)} of {len(values)}, {shown} on average over those that ended"
    if bound >= worst:
        why = f"the bound is {bound:.0f}; no policy can have more than {worst:.0f}, so no run could violate it"
    elif probability is not None and probability <= 0:
        why = f"the bound is {bound:.0f}, with a probability of at least {probability:.3g}, so it says nothing"
    else:
        judged = judge_rate(values <= bound, 1.0 if probability is None else probability)
        largest = f"the largest value {values.max():.1f}" if len(ended) == len(values) else "some runs did not end"
        return replace(judged, reason=reason(f"the bound is {bound:.1f}, {largest}", f"mean {shown}", judged.reason))
    return Judgement(Outcome.OPEN, why, shown, n=len(values), why=Why.UNTESTABLE)
