"""Judge a published number that depends on parameters which the paper omits.

An ensemble of problems predicts it.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import stdtrit

from causal_bandits.arrays import FloatArray
from replication.judging.judges.intervals import CONFIDENCE, Z, checked
from replication.judging.judges.judgement import Basis, Because, Judgement, Needs, Outcome, reason
from replication.judging.judges.means import PRECISION

#: Fewer problems say too little of an ensemble's shape: so many all miss a second kind, of one problem in six, in 2.6 %
#: of cases.
MEMBERS = 20

#: How an interval is taken: of the numbers themselves; of logarithms, so that it ends above 0; or, of percentages below
#: another number, of the logarithms of the ratio of the two, so that it ends below 100 %.
Scale = Literal["linear", "logarithms", "percentages"]


def judge_predicted(
    published: float,
    members: FloatArray,
    noise: float,
    *,
    errors: FloatArray | None = None,
    precision: float = PRECISION,
    scale: Scale = "linear",
) -> Judgement:
    """Judge a published number that the members x of an ensemble predict.

    Level: the 95 % prediction interval of one more member's published number,

        mean(x) -+ t(n - 1) sqrt(max(0, var(x) - mean(errors^2)) + var(x) / n + noise^2),

    and at least as far as the members themselves lie, each with its noise: so it is wrong in at most 5 % of cases, of
    skewed ensembles and of those of two kinds too. With another ``scale`` this interval is one of logarithms. The claim
    holds if the number lies inside and the interval reaches at most ``2 precision`` times it to either side; it is open
    if it lies inside a wider one, which does not tell the number from others that would matter; it fails if it lies
    outside. Fewer than `MEMBERS` problems decide nothing.

    Parameters
    ----------
    published : float
    members : array, shape (n,)
        One per problem.
    noise : float
        Standard error of the published number, given the problem.
    errors : array, shape (n,), optional
        Standard errors of the members, which are no spread of the ensemble; 0 by default.
    precision : float
        Positive, relative to the published number.
    scale : str
        One of `Scale`. An ensemble with a member of 0 or less has no logarithms: its numbers are taken themselves.

    Raises
    ------
    ValueError
        If the precision is not positive, or a number is not finite.
    """
    members = checked(members)
    own = np.zeros(len(members)) if errors is None else checked(errors)
    if precision <= 0:
        raise ValueError(f"precision={precision}: expected a positive number")
    n, mean, asked = len(members), float(members.mean()), 2 * precision * abs(published)
    if n < 2:
        why = "one problem predicts no interval"
        return Judgement(Outcome.OPEN, why, Basis.SIMULATED, f"{mean:.2f}", n=n, because=Because.SEEDS)
    low, high = _interval(members, own, noise, scale)
    shown = (Basis.SIMULATED, f"{mean:.2f}", low, high, n)
    if n < MEMBERS:
        needs = Needs(MEMBERS, "problem")
        return Judgement(
            Outcome.OPEN, f"{n} problems bound no prediction; {needs}", *shown, because=Because.SEEDS, needs=needs
        )
    inside, narrow = low <= published <= high, max(mean - low, high - mean) <= asked
    outcome = (Outcome.HOLDS if narrow else Outcome.OPEN) if inside else Outcome.FAILS
    is_open = outcome is Outcome.OPEN
    where, below = "within" if inside else "outside", int((members < published).sum())
    why = reason(
        f"{where} the 95 % prediction interval of {n} problems, of which {below} lie below it",
        f"wider than {asked:.3g} to either side: what the paper omits decides the number" if is_open else "",
    )
    return Judgement(outcome, why, *shown, because=Because.OMITTED if is_open else None)


class _Ends(NamedTuple):
    low: float
    high: float


def _interval(members: FloatArray, errors: FloatArray, noise: float, scale: Scale) -> _Ends:
    """Compute the prediction interval on a scale."""
    if scale == "percentages":
        low, high = _interval(1 - members / 100, errors / 100, noise / 100, "logarithms")
        return _Ends(100 * (1 - high), 100 * (1 - low))
    if scale == "logarithms" and (members > 0).all():
        logarithms = np.log(members)
        typical = math.exp(float(logarithms.mean()))
        low, high = _interval(logarithms, errors / members, noise / typical, "linear")
        with np.errstate(over="ignore"):  # an interval without an end
            return _Ends(float(np.exp(low)), float(np.exp(high)))
    n, mean, total = len(members), float(members.mean()), float(members.var(ddof=1))
    between = max(0.0, total - float((errors**2).mean()))
    half = float(stdtrit(n - 1, 0.5 + CONFIDENCE / 2)) * math.sqrt(between + total / n + noise**2)
    low = min(mean - half, float((members - Z * np.hypot(errors, noise)).min()))
    high = max(mean + half, float((members + Z * np.hypot(errors, noise)).max()))
    return _Ends(low, high)
