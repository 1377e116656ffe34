"""Judge of a published mean."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from causal_bandits.arrays import FloatArray
from replication.judging.judges.intervals import RARE, Estimate, Z, checked, clopper_pearson, mean_interval
from replication.judging.judges.judgement import Basis, Because, Judgement, Needs, Outcome, reason
from replication.judging.judges.telling import Open, fewest, needed, no_interval

#: Precision of a published number, relative to it: no truth further off than twice this is said to hold. A choice: the
#: papers' own comparisons are about differences of a quarter and more (lee2019: 24.8 to 61 %).
PRECISION = 0.1

#: A published number fails if the means of as many trials as the paper's lie as far off in at most this share of cases.
FEW = 0.025

#: The mean of fewer trials is so skewed that the border does not refute it: of exponential values, 4 % lie beyond.
NEARLY_NORMAL = 4

#: Fewer values say nothing of rare ones: if a share `RARE` of them carries much of the mean, fewer would miss them all
#: in more than 2.5 % of cases.
SEEN = 72


def explained_by(trials: int) -> float:
    """Return in standard errors how far the mean of ``trials`` values lies off in a share `FEW` of cases.

    For normal values on both sides together; for exponential ones, where that is more, on their long side alone, by the
    first Cornish-Fisher term. Of fewer trials than `NEARLY_NORMAL` the normal one: what refutes them is counting.
    """
    both, one = float(ndtri(1 - FEW / 2)), float(ndtri(1 - FEW))
    return both if trials < NEARLY_NORMAL else max(both, one + (one**2 - 1) / (3 * math.sqrt(trials)))


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
    2.24 standard errors of their mean (`explained_by`), beyond which 2.5 % of such means lie. Precision: where that is
    more than ``2 precision scale``, it never holds. So a truth further off than ``2 precision |published|`` is said to
    hold in at most 2.5 % of cases, and an equal truth is said to fail in at most 2.5 %. (1,000 trials are precise
    enough for a standard deviation of up to 2.8 times the published value, 100 for 0.9, 5 for 0.2.) Fewer than `SEEN`
    values decide nothing.

    Where trials are so few that they can never be confirmed, or fewer than `NEARLY_NORMAL`, counting refutes them: the
    replication's own values, taken ``trials`` at a time, have means; if at most `FEW` of these surely lie as far from
    their mean as the published one does (95 % interval of Clopper and Pearson, which asks for 146 of them), the claim
    fails (ledger L161).

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
        Declared equivalence margin, relative to ``scale``; 0 for none. A truth that near holds too.
    scale : float, optional
        What precision and margin are relative to; the published value's size by default. Needed where it is 0.
    drawn : array, shape (n,), optional
        The same by drawn rewards, where the paper averages these and the replication their expectations: what a trial
        of the paper's is like.
    unit : str
        What one value is of, for the reason.
    """
    asked = _Asked(published, trials, precision, margin, abs(published) if scale is None else scale)
    at = mean_interval(values)
    if drawn is None:
        return _judge_number(asked, at, at.sd, _means_of(values, trials), unit)
    return _judge_number(asked, at, mean_interval(drawn).sd, _means_of(drawn, trials), unit)


def judge_zero(values: FloatArray, trials: int) -> Judgement:
    """Judge a published count of 0.

    It is the mean of ``trials`` repetitions of something that is never negative. Level: 95 % interval (Clopper-Pearson)
    of the share of seeds with 0. It holds if that is at least 0.95 (`RARE`); it fails if ``trials`` repetitions are all
    0 in at most 2.5 % of cases (`FEW`). Between the two it is open for the paper's trials are too few.

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

    found, why = outcome(low, high), f"{none} of {n} seeds have none, over {trials} trials"
    missing: Open | None = None
    if found is Outcome.OPEN:
        missing = fewest(lambda k: outcome(*clopper_pearson(none / n * k, k)) is not Outcome.OPEN, n, 1, "seed")
        if missing["needs"] is None and fails < none / n < 1 - RARE:
            missing = {"because": Because.UNTESTABLE, "needs": None}
    known = missing or {"because": None, "needs": None}
    why = reason(why, str(known["needs"] or ""))
    return Judgement(found, why, Basis.SIMULATED, f"{at.value:.2f}", at.low, at.high, n, **known)


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
    """Judge a published number by the interval of the study's mean.

    ``sd`` is the standard deviation of one of the paper's trials. ``alike`` are means of as many of the study's seeds
    as the paper has trials.
    """
    published, trials, precision, margin, scale = asked
    if precision <= 0 or margin < 0:
        raise ValueError(f"precision={precision}, margin={margin}: expected > 0 and >= 0")
    most = 2 * precision * scale
    explained = explained_by(trials) * sd / math.sqrt(trials) + 1e-9 * abs(published)  # the rest is rounding
    allowed = margin * scale

    def beyond(low: float, high: float, border: float) -> bool:
        return low > published + border or high < published - border

    def outcome(low: float, high: float, width: float) -> Outcome:
        # The standard deviation is an estimate too: few seeds must find it smaller to be sure of it.
        precise = explained * width / Z <= most
        borders = ([explained] if precise else []) + ([allowed] if margin else [])
        if any(published - border <= low and high <= published + border for border in borders):
            return Outcome.HOLDS
        refuted = trials >= NEARLY_NORMAL and beyond(low, high, max(explained, allowed))
        return Outcome.FAILS if refuted else Outcome.OPEN

    missing: Open

    def judgement(found: Outcome, *clauses: str, missing: Open | None = None) -> Judgement:
        shown = _shown(at.value, published)
        if found is not Outcome.OPEN or missing is None:
            return Judgement(found, reason(*clauses), Basis.SIMULATED, shown, at.low, at.high, at.n)
        told = str(missing["needs"] or "")
        return Judgement(found, reason(*clauses, told), Basis.SIMULATED, shown, at.low, at.high, at.n, **missing)

    if math.isnan(at.low):
        return judgement(Outcome.OPEN, no_interval(at, unit), missing={"because": Because.SEEDS, "needs": None})
    if at.n < SEEN:
        missing = {"because": Because.SEEDS, "needs": Needs(SEEN, unit)}
        return judgement(Outcome.OPEN, f"{at.n} {unit}s may all have missed what is rare", missing=missing)
    found, is_off = outcome(at.low, at.high, at.quantile), beyond(at.low, at.high, max(explained, allowed))
    where = "within" if found is Outcome.HOLDS else "off by more than" if is_off else "neither within nor beyond"
    border = f"{_shown(explained, published)}, what {trials} trials explain"
    border += f", or the declared {_shown(allowed, published)}" if allowed else ""
    off = f"{100 * (at.value / published - 1):+.1f} % of the published value" if published else ""
    hopeless = explained * Z / at.quantile > most and not margin
    if found is Outcome.OPEN and (is_off or hopeless):
        refuted, missing, told = _refuted_by_few(asked, at.value, alike, unit)
        few = f"no number of {unit}s could confirm it to {_shown(most, published)}" if hopeless else ""
        found = Outcome.FAILS if refuted else Outcome.OPEN
        return judgement(found, f"{where} {border}", told, few, off, missing=missing)
    if found is Outcome.OPEN:
        missing = needed(at, outcome, unit)
        return judgement(found, f"{where} {border}", f"at most {_shown(most, published)} is asked for", missing=missing)
    return judgement(found, f"{where} {border}", off)


def _refuted_by_few(asked: _Asked, mean: float, alike: FloatArray, unit: str) -> tuple[bool, Open, str]:
    """Say whether the published number lies too far from the mean for the paper's few trials; and why.

    It does if at most `FEW` of the means of so few trials lie as far away.
    """
    groups, trials = len(alike), asked.trials
    too_few: Open = {"because": Because.UNTESTABLE, "needs": None}
    if not groups:
        return False, too_few, f"fewer {unit}s than the paper has trials"
    as_far = int((np.abs(alike - mean) >= abs(asked.published - mean)).sum())
    low, high = clopper_pearson(as_far, groups)
    told = f"{as_far} of {groups} means of {trials} {unit}s lie as far off, border {100 * FEW:g} %"
    if low > FEW or as_far >= FEW * groups or high <= FEW:
        return high <= FEW, too_few, told
    return False, fewest(lambda n: clopper_pearson(as_far / groups * n, n)[1] <= FEW, groups, trials, unit), told


def _shown(number: float, published: float) -> str:
    """With two digits after the point, or four beside a published number below one."""
    return f"{number:.{2 if abs(published) >= 1 else 4}f}"
