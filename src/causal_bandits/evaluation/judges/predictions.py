"""Judges of a published number that parameters decide which the paper omits: an ensemble of problems predicts it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import stdtrit

from causal_bandits.evaluation.judges.intervals import CONFIDENCE, FloatArray, checked, difference
from causal_bandits.evaluation.judges.judgement import (
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    SIMULATED,
    Judgement,
)
from causal_bandits.evaluation.judges.means import PRECISION

#: How often a true claim is called not reproduced: on either side of the interval.
LEVEL = 1 - CONFIDENCE


def judge_predicted(published: float, members: FloatArray, noise: float, *, precision: float = PRECISION) -> Judgement:
    """Judge a published positive number that the members of an ensemble predict.

    Level: the 95 % prediction interval of one more member's published number, on the logarithms x of the members',

        mean(x) -+ t(n - 1) sqrt(var(x) (1 + 1/n) + noise^2),

    wider for fewer members. Reproduced if the number lies inside and half the interval is at most ``2 precision``
    times it; inconclusive if it lies inside a wider one, which does not tell the number from others that would matter;
    not reproduced if it lies outside: where the ensemble is right, in 5 % of cases.

    Parameters
    ----------
    published : float
        Positive.
    members : array, shape (n,)
        Positive, one per problem. Their own noise counts as spread of the ensemble.
    noise : float
        Relative standard error of the published number, given the problem.
    precision : float
        Positive, relative to the published number.

    Raises
    ------
    ValueError
        If a number is not positive.
    """
    members = checked(members)
    if published <= 0 or precision <= 0 or (members <= 0).any():
        raise ValueError("published number, precision and members must be positive")
    return _judged(published, np.log(members), math.log(published), noise, math.exp, precision * published)


def judge_predicted_percentage(
    published: float, base: FloatArray, other: FloatArray, noise: float, *, precision: float = PRECISION
) -> Judgement:
    """Judge "``other`` lies ``published`` percent below ``base``", as `judge_predicted` by the ratio of the two.

    ``precision`` is relative to the published percentage, ``noise`` that of the ratio.
    """
    logs = difference(np.log(checked(other)), np.log(checked(base)))
    return _judged(
        published,
        logs,
        math.log1p(-published / 100),
        noise,
        lambda x: -100 * math.expm1(x),
        precision * abs(published),
    )


def _judged(
    published: float, logs: FloatArray, at: float, noise: float, back: Callable[[float], float], precision: float
) -> Judgement:
    n, mean = len(logs), float(logs.mean())
    if n < 2:
        return Judgement(
            INCONCLUSIVE, "one problem predicts no interval", SIMULATED, f"{back(mean):.2f}", n=n, level=LEVEL
        )
    spread = math.sqrt(float(logs.var(ddof=1)) * (1 + 1 / n) + noise**2)
    half = float(stdtrit(n - 1, 0.5 + CONFIDENCE / 2)) * spread
    low, high = sorted((back(mean - half), back(mean + half)))
    inside, narrow = low <= published <= high, (high - low) / 2 <= 2 * precision
    verdict = (REPRODUCED if narrow else INCONCLUSIVE) if inside else NOT_REPRODUCED
    below = int((np.sign(back(1.0) - back(0.0)) * (logs - at) < 0).sum())
    where = "within" if inside else "outside"
    why = f"{where} the 95 % prediction interval {low:.2f} to {high:.2f} of {n} problems, of which {below} lie below it"
    if inside and not narrow:
        why += f"; at most {2 * precision:.3g} to either side is asked for: what the paper omits decides the number"
    return Judgement(verdict, why, SIMULATED, f"{back(mean):.2f}", low, high, n, level=LEVEL)
