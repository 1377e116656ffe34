"""Judges of published means and percentages."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from replication.judging.judges.intervals import (
    Estimate,
    FloatArray,
    Z,
    clopper_pearson,
    mean_interval,
    percent_below,
    quantile,
)
from replication.judging.judges.judgement import (
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    SIMULATED,
    Judgement,
)
from replication.judging.judges.telling import fewest, needed, no_interval

#: Precision of a published number, relative to it: `reproduced` is said of no truth further off than twice this. A
#: choice: the papers' own comparisons are about differences of a quarter and more (lee2019: 24.8 to 61 %).
PRECISION = 0.1

#: What the means of so few trials as the paper's may show in at most this share of cases is not reproduced.
FEW = 0.025

#: The mean of fewer trials is so skewed that the border does not refute it: of exponential values, 4 % lie beyond.
NEARLY_NORMAL = 4

#: Seeds of a replication that must be able to call an equal truth reproduced, if the paper has fewer trials.
SEEDS = 100


def judge_mean(
    published: float,
    values: FloatArray,
    trials: int,
    *,
    precision: float = PRECISION,
    margin: float = 0.0,
    scale: float | None = None,
    drawn: FloatArray | None = None,
    unit: str = "seed",
) -> Judgement:
    """Judge a published mean over ``trials`` repetitions.

    Level: 95 % interval of the replication's mean. Border: the true mean is off by what the paper's own trials explain,

        z sqrt(sd^2/N + drawn_sd^2/trials) + sd q(N)/sqrt(N),  N = max(trials, SEEDS),

    with q(N)/sqrt(N) half the interval of N seeds: then N seeds of a replication of an equal truth reproduce the number
    in 95 % of cases. Precision: where that is more than ``2 precision scale``, it is never reproduced. So a truth
    further off than ``2 precision |published|`` is called reproduced in at most 2.5 % of cases, and one that the
    paper's trials explain is called not reproduced in at most 2.5 %. (1,000 trials are precise enough for a standard
    deviation of up to 1.2 times the published value, 100 for 0.3, 5 for 0.14.)

    Where trials are so few that they can never be reproduced, or fewer than `NEARLY_NORMAL`, counting refutes them: the
    replication's own values, taken ``trials`` at a time, have means; if at most `FEW` of these surely lie as far from
    their mean as the published one does (95 % interval of Clopper and Pearson, which asks for 146 of them), it is not
    reproduced (ledger L161).

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
        The same by drawn rewards, where the paper averages these and the replication their expectations: what a trial
        of the paper's is like.
    unit : str
        What one value is of, for the ``why``.
    """
    asked = _Asked(published, trials, precision, margin, abs(published) if scale is None else scale)
    at = mean_interval(values)
    if drawn is None:
        return _judge_number(asked, at, at.sd, _means_of(values, trials), unit)
    return _judge_number(asked, at, mean_interval(drawn).sd, _means_of(drawn, trials), unit)


def judge_percentage(
    published: float,
    base: FloatArray,
    other: FloatArray,
    trials: int,
    *,
    precision: float = PRECISION,
    margin: float = 0.0,
    drawn: tuple[FloatArray, FloatArray] | None = None,
    unit: str = "seed",
) -> Judgement:
    """Judge "``other`` lies ``published`` percent below ``base``", both means over ``trials``, paired by seed.

    Level, border and precision as `judge_mean`, relative to the published percentage; the interval is Fieller's.
    ``drawn`` are base and other by drawn rewards.
    """
    percent = percent_below(base, other)
    own = percent if drawn is None else percent_below(*drawn)
    bases, others = (_means_of(each, trials) for each in drawn or (base, other))
    percents = 100 * (1 - np.divide(others, bases, out=np.full(len(bases), np.inf), where=bases != 0))
    asked = _Asked(published, trials, precision, margin, abs(published))
    judged = _judge_number(asked, percent, own.sd, percents, unit)
    return replace(judged, replicated=f"{percent.value:.1f}")


class _Asked(NamedTuple):
    """A published number over ``trials``, and how near a replication must come, relative to ``scale``."""

    published: float
    trials: int
    precision: float
    margin: float
    scale: float


def _means_of(values: FloatArray, size: int) -> FloatArray:
    """The means of successive values, ``size`` at a time; what is left over is in none."""
    if size < 1:
        raise ValueError(f"trials={size}: expected at least 1")
    groups = len(values) // size
    means: FloatArray = np.asarray(values, dtype=np.float64)[: groups * size].reshape(groups, size).mean(axis=1)
    return means


def _judge_number(asked: _Asked, at: Estimate, sd: float, alike: FloatArray, unit: str) -> Judgement:
    """``sd`` is that of one of the paper's trials, ``alike`` what these would be, were they the replication's."""
    published, trials, precision, margin, scale = asked
    if precision <= 0 or margin < 0:
        raise ValueError(f"precision={precision}, margin={margin}: expected > 0 and >= 0")
    most = 2 * precision * scale
    seeds = max(trials, SEEDS)
    explained = Z * math.hypot(at.sd / math.sqrt(seeds), sd / math.sqrt(trials))
    explained += at.sd * quantile(seeds) / math.sqrt(seeds)
    explained += 1e-9 * abs(published)  # rounding in floating point
    allowed = margin * scale

    def beyond(low: float, high: float, border: float) -> bool:
        return low > published + border or high < published - border

    def verdict(low: float, high: float, width: float) -> str:
        # The standard deviation is an estimate too: few seeds must find it smaller to be sure of it.
        precise = explained * width / Z <= most
        borders = ([explained] if precise else []) + ([allowed] if margin else [])
        if any(published - border <= low and high <= published + border for border in borders):
            return REPRODUCED
        refuted = trials >= NEARLY_NORMAL and beyond(low, high, max(explained, allowed))
        return NOT_REPRODUCED if refuted else INCONCLUSIVE

    found = verdict(at.low, at.high, at.quantile)
    off = f"; replicated over published {100 * (at.value / published - 1):+.1f} %" if published else ""
    border = f"{_shown(explained, published)}, what {trials} trials explain"
    border += f", or the declared {_shown(allowed, published)}" if allowed else ""
    is_off = beyond(at.low, at.high, max(explained, allowed))
    where = "within" if found == REPRODUCED else "off by more than" if is_off else "neither within nor beyond"
    why = f"95 % interval {_shown(at.low, published)} to {_shown(at.high, published)}, {where} {border}{off}"
    hopeless = explained * Z / at.quantile > most and not margin
    if math.isnan(at.low):
        why = no_interval(at, unit)
    elif found == INCONCLUSIVE and (is_off or hopeless):
        refuted, told = _refuted_by_few(asked, at.value, alike, unit)
        found = NOT_REPRODUCED if refuted else INCONCLUSIVE
        asks = f"; that is more than the {_shown(most, published)} asked for, whatever the number of {unit}s"
        why = f"{why}{asks if hopeless else ''}; {told}"
    elif found == INCONCLUSIVE:
        why = f"{why}; at most {_shown(most, published)} is asked for: {needed(at, verdict, unit)}"
    return Judgement(found, why, SIMULATED, _shown(at.value, published), at.low, at.high, at.n)


def _refuted_by_few(asked: _Asked, mean: float, alike: FloatArray, unit: str) -> tuple[bool, str]:
    """Whether at most `FEW` of what so few trials give lies as far from the mean as the published number; and why."""
    groups, trials = len(alike), asked.trials
    if not groups:
        return False, f"fewer {unit}s than trials cannot refute it either"
    as_far = int((np.abs(alike - mean) >= abs(asked.published - mean)).sum())
    low, high = clopper_pearson(as_far, groups)
    told = f"{as_far} of {groups} means of {trials} {unit}s lie as far off: 95 % interval {100 * low:.1f} to "
    told += f"{100 * high:.1f} %, border {100 * FEW:g} %"
    if low > FEW:
        told += ", so they do not refute it either"
    elif as_far >= FEW * groups:
        told += ", so many that they may not refute it at all"
    elif high > FEW:
        told += f": {fewest(lambda n: clopper_pearson(as_far / groups * n, n)[1] <= FEW, groups, trials, unit)}"
    return high <= FEW, told


def _shown(number: float, published: float) -> str:
    """With two digits after the point, or four beside a published number below one."""
    return f"{number:.{2 if abs(published) >= 1 else 4}f}"
