"""Judge of a published number that parameters decide which the paper omits: an ensemble of problems predicts it."""

from __future__ import annotations

import math

from scipy.special import stdtrit

from replication.judging.judges.intervals import CONFIDENCE, FloatArray, checked
from replication.judging.judges.judgement import Basis, Because, Judgement, Outcome, reason
from replication.judging.judges.means import PRECISION


def judge_predicted(published: float, members: FloatArray, noise: float, *, precision: float = PRECISION) -> Judgement:
    """Judge a published number that the members x of an ensemble predict.

    Level: the 95 % prediction interval of one more member's published number,

        mean(x) -+ t(n - 1) sqrt(var(x) (1 + 1/n) + noise^2),

    wider for fewer members. The claim holds if the number lies inside and half the interval is at most ``2 precision``
    times it; it is open if it lies inside a wider one, which does not tell the number from others that would matter; it
    fails if it lies outside: where the ensemble is right, and normal, in 5 % of cases.

    Parameters
    ----------
    published : float
    members : array, shape (n,)
        One per problem. Their own noise counts as spread of the ensemble.
    noise : float
        Standard error of the published number, given the problem.
    precision : float
        Positive, relative to the published number.

    Raises
    ------
    ValueError
        If the precision is not positive, or a number is not finite.
    """
    members = checked(members)
    if precision <= 0:
        raise ValueError(f"precision={precision}: expected a positive number")
    n, mean, asked = len(members), float(members.mean()), 2 * precision * abs(published)
    if n < 2:
        why = "one problem predicts no interval"
        return Judgement(Outcome.OPEN, why, Basis.SIMULATED, f"{mean:.2f}", n=n, because=Because.SEEDS)
    spread = math.sqrt(float(members.var(ddof=1)) * (1 + 1 / n) + noise**2)
    half = float(stdtrit(n - 1, 0.5 + CONFIDENCE / 2)) * spread
    low, high = mean - half, mean + half
    inside, narrow = low <= published <= high, half <= asked
    outcome = (Outcome.HOLDS if narrow else Outcome.OPEN) if inside else Outcome.FAILS
    is_open = outcome is Outcome.OPEN
    where, below = "within" if inside else "outside", int((members < published).sum())
    why = reason(
        f"{where} the 95 % prediction interval of {n} problems, of which {below} lie below it",
        f"wider than {asked:.3g} to either side: what the paper omits decides the number" if is_open else "",
    )
    because = Because.OMITTED if is_open else None
    return Judgement(outcome, why, Basis.SIMULATED, f"{mean:.2f}", low, high, n, because=because)
