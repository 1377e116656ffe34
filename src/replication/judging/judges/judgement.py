"""The words of a verdict, which are defined only here, and the record of one judgement."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from replication.judging.judges.intervals import CONFIDENCE


class Outcome(StrEnum):
    """What the replication says about a claim, in the order in which tables list the outcomes."""

    HOLDS = "holds"
    DEPENDS = "depends"
    FAILS = "fails"
    OPEN = "open"


class Why(StrEnum):
    """Why a claim is open, what is wrong in the paper if it fails, or that it holds by construction.

    Reasons for an open claim come first: if several apply, the first in this order is given, because more seeds settle
    only `SEEDS`. An open claim is `FITTED` if the published value filled in what the paper omits, so that our value is
    no evidence. A claim that fails is an `ERROR` of the paper (a statement, or the idea of an algorithm), a `SLIP` (the
    writing of pseudo-code) or a `MISPRINT` (a letter or a number); only an error affects what the paper finds.
    """

    OMITTED = "omitted"
    UNTESTABLE = "untestable"
    NOT_RUN = "not run"
    SEEDS = "seeds"
    FITTED = "fitted"
    ERROR = "error"
    SLIP = "slip"
    MISPRINT = "misprint"
    BY_CONSTRUCTION = "by construction"


_WHYS = tuple(Why)
FAULTS = (Why.ERROR, Why.SLIP, Why.MISPRINT)
#: The reasons that go with each outcome; those of an open claim in order of precedence. Only it must have one.
REASONS: dict[Outcome, tuple[Why, ...]] = {
    Outcome.HOLDS: (Why.BY_CONSTRUCTION,),
    Outcome.DEPENDS: (),
    Outcome.FAILS: FAULTS,
    Outcome.OPEN: _WHYS[: _WHYS.index(Why.FITTED) + 1],
}

#: The outcomes of a single judgement, from worst to best.
WORST_FIRST = (Outcome.FAILS, Outcome.OPEN, Outcome.HOLDS)

#: The largest share of true claims that a judge lets fail, or of false ones that it lets hold, if it states no other.
LEVEL = (1 - CONFIDENCE) / 2

#: The longest reason, in characters.
LONGEST = 200

#: No study plays more values than this: a claim that takes more is untestable.
MOST = 10**5


def reason(*clauses: str) -> str:
    """Join clauses, the most important first, leaving out those that would make the reason too long.

    Raises
    ------
    ValueError
        If the first clause alone is too long.
    """
    told, *others = (clause for clause in clauses if clause)
    for clause in others:
        longer = f"{told}; {clause}"
        told = longer if len(longer) <= LONGEST else told
    if len(told) > LONGEST:
        raise ValueError(f"a reason of {len(told)} characters, expected at most {LONGEST}: {told}")
    return told


@dataclass(frozen=True)
class Judgement:
    """What the replication says about one published claim, or about one reading of it.

    Attributes
    ----------
    outcome : Outcome
    reason : str
        What decided it, in at most `LONGEST` characters.
    replicated : str
        The replication's own value, as shown.
    ci_low, ci_high : float
        The 95 % interval on which the outcome is based; NaN if there is none.
    n : int
        Number of seeds (or samples, or instances); 0 if nothing is sampled.
    why : Why or None
        One of the `REASONS` of the outcome; None unless the claim is open, or there is nothing to add.
    ledger : str
        Ids of the ledger entries behind the judgement.
    readings : tuple of (str, Judgement)
        The judgement under each reading of what the paper leaves open, the default first; empty if there is
        only one.

    Raises
    ------
    ValueError
        If a word is unknown, the reason is empty or too long, or ``why`` does not go with the outcome.
    """

    outcome: Outcome
    reason: str
    replicated: str = ""
    ci_low: float = math.nan
    ci_high: float = math.nan
    n: int = 0
    why: Why | None = None
    ledger: str = ""
    readings: tuple[tuple[str, Judgement], ...] = ()

    def __post_init__(self) -> None:
        allowed = REASONS.get(self.outcome, ())
        if not isinstance(self.outcome, Outcome):
            raise ValueError(f"{self.outcome!r} is not one of {', '.join(Outcome)}")
        if self.why not in (allowed if self.outcome is Outcome.OPEN else (None, *allowed)):
            raise ValueError(f"{self.outcome}, why: {self.why}; expected one of {', '.join(allowed) or 'none'}")
        if not 0 < len(self.reason) <= LONGEST:
            raise ValueError(f"a reason of {len(self.reason)} characters, expected 1 to {LONGEST}: {self.reason}")


def opened(outcome: Outcome, why: Why) -> Why | None:
    """Return ``why`` if the outcome is open, else nothing."""
    return why if outcome is Outcome.OPEN else None


def seeds_or_never(decides: Callable[[int], bool]) -> Why:
    """Return why a claim is open: too few seeds, or that even `MOST` values would not decide it."""
    return Why.SEEDS if decides(MOST) else Why.UNTESTABLE


def noted(judged: Judgement, *clauses: str) -> Judgement:
    """Return the judgement with as many of the clauses added to its reason as fit."""
    return replace(judged, reason=reason(judged.reason, *clauses))


def fitted(judged: Judgement, *clauses: str) -> Judgement:
    """Open a judgement as fitted: the published value filled in what the paper omits, so it is no evidence."""
    why = reason(*clauses, judged.reason)
    return replace(judged, outcome=Outcome.OPEN, why=Why.FITTED, reason=why, readings=())


def by_construction(judged: Judgement) -> Judgement:
    """Mark a claim that holds as true by construction: no run could have contradicted it."""
    return replace(judged, why=Why.BY_CONSTRUCTION) if judged.outcome is Outcome.HOLDS else judged


def not_run(what: str) -> Judgement:
    """Return the judgement of a claim that needs ``what``, which this configuration does not play."""
    told = what if len(what) <= LONGEST else f"{what[: LONGEST - 1]}…"
    return Judgement(Outcome.OPEN, told, why=Why.NOT_RUN)
