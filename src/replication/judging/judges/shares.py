"""Judges of shares: what holds on every seed, or with a probability; what samples show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray
from replication.judging.judges.intervals import clopper_pearson, difference
from replication.judging.judges.judgement import Basis, Because, Judgement, Outcome, reason
from replication.judging.judges.sample_size import Open, fewest, seeds_needed

#: A larger probability than this is judged as "on every seed": the studies have too few seeds to tell it from 1.
ALMOST_EVERY = 0.99

#: What is claimed of every seed holds where fewer seeds than this can be exceptions: 736 without one show that.
EXCEPTIONS = 0.005


def judge_same(a: FloatArray, b: FloatArray, *, by_construction: bool = False) -> Judgement:
    """Judge "exactly the same results", seed by seed.

    Level: 95 % (Clopper-Pearson). One seed that differs refutes it. Precision: seeds that differ are fewer than one in
    200 (`EXCEPTIONS`), which takes 736 equal ones. With ``by_construction`` (both have the same arms and meet the same
    rounds) any number does, and the basis is `identity`.
    """
    off = np.abs(difference(a, b))
    unequal, n = int((off > 0).sum()), len(off)
    shown = f"largest difference {off.max():g}"
    if unequal:
        return Judgement(Outcome.FAILS, f"{unequal} of {n} seeds differ", Basis.SIMULATED, shown, n=n)
    share = clopper_pearson(0, n)[1]
    why = f"equal for every seed: at most {100 * share:.1f} % of seeds differ (95 % interval)"
    if by_construction:
        return Judgement(Outcome.HOLDS, why, Basis.IDENTITY, shown, n=n)
    if share <= EXCEPTIONS:
        return Judgement(Outcome.HOLDS, why, Basis.SIMULATED, shown, n=n)
    return Judgement(Outcome.OPEN, why, Basis.SIMULATED, shown, n=n, **_every(n))


def judge_rate(kept: NDArray[np.bool_], at_least: float) -> Judgement:
    """Judge "with probability at least ``at_least``", from what each seed kept.

    Level: 95 % interval of the share (Clopper-Pearson). Border: ``at_least``. A probability above 0.99 (with 1: "on
    every seed") takes more seeds than a study has: one seed that does not keep it refutes probability 1; to hold, all
    seeds must keep it and be enough to bound the share of others below one in 200 (736).

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
    why, missing = f"{hits} of {n} seeds satisfy it, where a share of {at_least:g} is claimed", None
    if high < at_least or (at_least == 1 and hits < n):
        found = Outcome.FAILS
    elif low >= at_least:
        found = Outcome.HOLDS
    elif at_least > ALMOST_EVERY and hits == n:
        found = Outcome.HOLDS if 1 - low <= EXCEPTIONS else Outcome.OPEN
        why, missing = f"{why}; so near 1, all seeds must satisfy it, and {1 - EXCEPTIONS:g} be certain", _every(n)
    else:
        found, missing = Outcome.OPEN, _share(hits / n, at_least, n)
    if found is not Outcome.OPEN or missing is None:
        return Judgement(found, why, Basis.SIMULATED, f"{hits} of {n}", low, high, n)
    why = reason(why, seeds_needed(missing, "seed"))
    return Judgement(found, why, Basis.SIMULATED, f"{hits} of {n}", low, high, n, **missing)


def _every(n: int) -> Open:
    """How many seeds must agree for a claim about every seed."""
    return fewest(lambda k: clopper_pearson(0, k)[1] <= EXCEPTIONS, n, 1, "seed")


def _share(share: float, at_least: float, n: int) -> Open:
    """How many seeds would tell a share from the one that is claimed."""

    def tells(k: int) -> bool:
        low, high = clopper_pearson(share * k, k)
        return high < at_least or low >= at_least

    return fewest(tells, n, 1, "seed")


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
        why = f"the bound is {bound:.0f}, with a probability of at least {probability:.3g}, so it says nothing"
    else:
        judged = judge_rate(values <= bound, 1.0 if probability is None else probability)
        largest = f"the largest value {values.max():.1f}" if len(ended) == len(values) else "some runs did not end"
        return replace(judged, reason=reason(f"the bound is {bound:.1f}, {largest}", f"mean {shown}", judged.reason))
    return Judgement(Outcome.OPEN, why, Basis.SIMULATED, shown, n=len(values), because=Because.UNTESTABLE)
