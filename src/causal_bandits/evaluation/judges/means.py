"""Judges of means: a published mean or percentage, an ordering, a bound on an expectation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from causal_bandits.evaluation.judges.intervals import (
    Estimate,
    FloatArray,
    Z,
    difference,
    mean_interval,
    percent_below,
    quantile,
)
from causal_bandits.evaluation.judges.judgement import (
    INCONCLUSIVE,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    SIMULATED,
    Judgement,
)

#: Precision of a published number, relative to it: `reproduced` is said of no truth further off than twice this. A
#: choice: the papers' own comparisons are about differences of a quarter and more (lee2019: 24.8 to 61 %).
PRECISION = 0.1

#: Seeds of a replication that must be able to call an equal truth reproduced, if the paper has fewer trials.
SEEDS = 100

#: A difference between two policies that is none, relative to the difference that the paper claims.
SHARE_OF_CLAIMED = 0.1

#: The same where no difference is published, relative to the mean of the smaller.
SHARE_OF_SMALLER = 0.01


def judge_mean(
    published: float,
    values: FloatArray,
    trials: int,
    *,
    precision: float = PRECISION,
    margin: float = 0.0,
    scale: float | None = None,
    drawn: FloatArray | None = None,
) -> Judgement:
    """Judge a published mean over ``trials`` repetitions.

    Level: 95 % interval of the replication's mean. Border: the true mean is off by what the paper's own trials explain,

        z sqrt(sd^2/N + drawn_sd^2/trials) + sd q(N)/sqrt(N),  N = max(trials, SEEDS),

    with q(N)/sqrt(N) half the interval of N seeds: then N seeds of a replication of an equal truth reproduce the number
    in 95 % of cases. Precision: where that is more than ``2 precision scale``, it is never reproduced. So a truth
    further off than ``2 precision |published|`` is called reproduced in at most 2.5 % of cases, and one that the
    paper's trials explain is called not reproduced in at most 2.5 %. (1,000 trials are precise enough for a standard
    deviation of up to 1.2 times the published value, 100 for 0.3, 5 for 0.14.)

    Parameters
    ----------
    published : float
    values : array, shape (n,)
        The replication's value per seed.
    trials : int
        The number of repetitions that the paper averages, at least 1.
    precision : float
        Positive, relative to ``scale``.
    margin : float
        Declared equivalence margin, relative to ``scale``; 0 for none. A truth that near is reproduced too.
    scale : float, optional
        What precision and margin are relative to; the published value's size by default. Needed where it is 0.
    drawn : array, shape (n,), optional
        The same by drawn rewards, where the paper averages these and the replication their expectations: the spread of
        the paper's own trials.
    """
    own = None if drawn is None else mean_interval(drawn).sd
    return _judge_number(published, mean_interval(values), trials, precision, margin, scale, own)


def judge_percentage(
    published: float,
    base: FloatArray,
    other: FloatArray,
    trials: int,
    *,
    precision: float = PRECISION,
    margin: float = 0.0,
    drawn: tuple[FloatArray, FloatArray] | None = None,
) -> Judgement:
    """Judge "``other`` lies ``published`` percent below ``base``", both means over ``trials``, paired by seed.

    Level, border and precision as `judge_mean`, relative to the published percentage; the interval is Fieller's.
    ``drawn`` are base and other by drawn rewards.
    """
    percent = percent_below(base, other)
    own = None if drawn is None else percent_below(*drawn).sd
    judged = _judge_number(published, percent, trials, precision, margin, None, own)
    return replace(judged, replicated=f"{percent.value:.1f}")


def _judge_number(
    published: float,
    at: Estimate,
    trials: int,
    precision: float,
    margin: float,
    scale: float | None,
    own: float | None,
) -> Judgement:
    """``own`` is the standard deviation of one of the paper's trials, where it is not the replication's."""
    if trials < 1 or precision <= 0 or margin < 0:
        raise ValueError(f"trials={trials}, precision={precision}, margin={margin}: expected >= 1, > 0 and >= 0")
    scale = abs(published) if scale is None else scale
    asked = 2 * precision * scale
    seeds = max(trials, SEEDS)
    own = at.sd if own is None else own
    explained = Z * math.hypot(at.sd / math.sqrt(seeds), own / math.sqrt(trials))
    explained += at.sd * quantile(seeds) / math.sqrt(seeds)
    explained += 1e-9 * abs(published)  # rounding in floating point
    allowed = margin * scale

    def verdict(low: float, high: float, width: float) -> str:
        # The standard deviation is an estimate too: few seeds must find it smaller to be sure of it.
        precise = explained * width / Z <= asked
        borders = ([explained] if precise else []) + ([allowed] if margin else [])
        if any(published - border <= low and high <= published + border for border in borders):
            return REPRODUCED
        border = max(explained, allowed)
        return NOT_REPRODUCED if low > published + border or high < published - border else INCONCLUSIVE

    found = verdict(at.low, at.high, at.quantile)
    off = f"; replicated over published {100 * (at.value / published - 1):+.1f} %" if published else ""
    border = f"{_shown(explained, published)}, what {trials} trials explain"
    border += f", or the declared {_shown(allowed, published)}" if allowed else ""
    where = {REPRODUCED: "within", NOT_REPRODUCED: "off by more than", INCONCLUSIVE: "neither within nor beyond"}[found]
    why = f"95 % interval {_shown(at.low, published)} to {_shown(at.high, published)}, {where} {border}{off}"
    if math.isnan(at.low):
        why = _no_interval(at)
    elif found == INCONCLUSIVE and explained > asked and not allowed:
        why = f"{why}; that is more than the {_shown(asked, published)} asked for, whatever the number of seeds"
    elif found == INCONCLUSIVE:
        why = f"{why}; at most {_shown(asked, published)} is asked for: {_needed(at, verdict)}"
    return Judgement(found, why, SIMULATED, _shown(at.value, published), at.low, at.high, at.n)


def judge_above(
    larger: FloatArray, smaller: FloatArray, *, claimed: float | None = None, precision: float | None = None
) -> Judgement:
    """Judge "``larger`` exceeds ``smaller`` on average", paired by seed.

    Level: 95 % interval of the paired difference. Border: a difference of ``precision`` times the claimed difference (a
    tenth by default) or, where none is published, times the smaller's mean (a hundredth). A smaller one is none that
    matters: it is called reproduced in at most 2.5 % of cases, a larger one not reproduced in at most 2.5 %.

    Raises
    ------
    ValueError
        If the arrays differ in length or the claimed difference is not positive.
    """
    if claimed is not None and claimed <= 0:
        raise ValueError(f"claimed={claimed}: the larger one's excess, expected a positive number")
    at = mean_interval(difference(larger, smaller))
    if claimed is None:
        border = (SHARE_OF_SMALLER if precision is None else precision) * abs(float(np.mean(smaller)))
    else:
        border = (SHARE_OF_CLAIMED if precision is None else precision) * claimed
    return _judge_border(at, border, "difference", f"{border:.3g}, the least that matters")


class Moments(NamedTuple):
    """Mean and standard deviation of ``n`` seeds, where their values are not kept."""

    mean: float
    sd: float
    n: int


def judge_above_apart(larger: Moments, smaller: Moments, *, precision: float | None = None) -> Judgement:
    """As `judge_above` where the seeds' values are not kept: not paired, so that the interval is wider.

    Common worlds make seeds of two policies correlate positively; the interval takes them for independent.
    """
    n = min(larger.n, smaller.n)
    width = quantile(n)
    error = math.hypot(larger.sd / math.sqrt(larger.n), smaller.sd / math.sqrt(smaller.n))
    value = larger.mean - smaller.mean
    known = error > 0 and not math.isnan(width)
    low, high = (value - width * error, value + width * error) if known else (math.nan, math.nan)
    border = (SHARE_OF_SMALLER if precision is None else precision) * abs(smaller.mean)
    at = Estimate(value, error * math.sqrt(n), width if known else math.nan, low, high, n)
    return _judge_border(at, border, "difference", f"{border:.3g}, the least that matters")


def judge_mean_bound(bound: float, values: FloatArray, worst: float) -> Judgement:
    """Judge "the expected regret is at most ``bound``".

    Level: 95 % interval of the mean. Border: the bound itself. ``worst`` as in `judge_bound`.
    """
    at = mean_interval(values)
    if bound >= worst:
        why = f"the bound is {bound:.0f}; no policy can have more than {worst:.0f}, so no run could break it"
        return Judgement(NOT_TESTABLE, why, SIMULATED, f"{at.value:.2f}", n=at.n)
    return replace(
        _judge_border(at, bound, "mean", f"the bound, {bound:.1f}", below=True), replicated=f"{at.value:.2f}"
    )


def _judge_border(at: Estimate, border: float, name: str, described: str, below: bool = False) -> Judgement:
    """Reproduced if the interval lies above the border (or at most there, ``below``), not reproduced if beyond."""

    def verdict(low: float, high: float, _width: float) -> str:
        holds, fails = (high <= border, low > border) if below else (low > border, high <= border)
        return REPRODUCED if holds else NOT_REPRODUCED if fails else INCONCLUSIVE

    found = verdict(at.low, at.high, at.quantile)
    if math.isnan(at.low):
        why = _no_interval(at)
    elif found == INCONCLUSIVE:
        why = f"the 95 % interval has {described}, inside; {_needed(at, verdict)}"
    else:
        side = "below" if (found == REPRODUCED) == below else "above"
        why = f"the 95 % interval lies {side} {described}"
    return Judgement(found, why, SIMULATED, f"{name} {at.value:.2f}", at.low, at.high, at.n)


def _needed(at: Estimate, verdict: Callable[[float, float, float], str]) -> str:
    """How many seeds would tell if mean and spread stayed what they are."""

    def tells(n: int) -> bool:
        half = quantile(n) * at.sd / math.sqrt(n)
        return verdict(at.value - half, at.value + half, quantile(n)) != INCONCLUSIVE

    few, enough = at.n, 10**7
    if not tells(enough):
        return "it is too near the border for any number of seeds to tell"
    while enough > 1.02 * few + 1:
        middle = max(few + 1, math.isqrt(few * enough))
        few, enough = (few, middle) if tells(middle) else (middle, enough)
    return f"about {float(f'{enough:.2g}'):,.0f} seeds would tell"


def _no_interval(at: Estimate) -> str:
    return "one seed has no interval" if at.n == 1 else f"{at.n} equal values tell nothing of the spread (72 would)"


def _shown(number: float, published: float) -> str:
    """With two digits after the point, or four beside a published number below one."""
    return f"{number:.{2 if abs(published) >= 1 else 4}f}"
