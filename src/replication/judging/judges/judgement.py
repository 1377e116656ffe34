"""The words of a verdict, which are defined only here, and the record of one judgement."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

from replication.judging.judges.intervals import CONFIDENCE


class Outcome(StrEnum):
    """What the replication says about a claim, in the order in which tables list the outcomes."""

    HOLDS = "holds"
    DEPENDS = "depends"
    FAILS = "fails"
    OPEN = "open"


class Because(StrEnum):
    """Why a claim is open.

    If several reasons apply, the first in this order is given, because more seeds settle only the last.
    """

    OMITTED = "omitted"
    UNTESTABLE = "untestable"
    NOT_RUN = "not run"
    SEEDS = "seeds"


class Basis(StrEnum):
    """What an outcome is based on, from strongest to weakest.

    Computation without sampling; sampling; truth by construction; numbers that were fitted to the published ones.
    """

    EXACT = "exact"
    SIMULATED = "simulated"
    IDENTITY = "identity"
    FITTED = "fitted"


#: The outcomes of a single judgement, from worst to best.
WORST_FIRST = (Outcome.FAILS, Outcome.OPEN, Outcome.HOLDS)

#: The largest share of true claims that a judge lets fail, or of false ones that it lets hold, if it states no other.
LEVEL = (1 - CONFIDENCE) / 2

#: The longest reason, in characters.
LONGEST = 200


@dataclass(frozen=True)
class Needs:
    """Roughly how many values would decide an open claim.

    Attributes
    ----------
    count : int
    unit : str
        What one value belongs to: a seed, a draw or a sample.
    """

    count: int
    unit: str

    def __str__(self) -> str:
        """Return a clause for a reason."""
        return f"about {self.count:,} {self.unit}s would decide"


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
    basis : Basis
    replicated : str
        The replication's own value, as shown.
    ci_low, ci_high : float
        The 95 % interval on which the outcome is based; NaN if there is none.
    n : int
        Number of seeds (or samples, or instances); 0 if nothing is sampled.
    because : Because or None
        Why the claim is open; None if it is not.
    needs : Needs or None
        How many values would decide a claim that is open for lack of seeds, if that is known.
    ledger : str
        Ids of the ledger entries behind the judgement.
    readings : tuple of (str, Judgement)
        The judgement under each reading of what the paper leaves open, the default first; empty if there is
        only one.

    Raises
    ------
    ValueError
        If a word is unknown, the reason is empty or too long, or ``because`` is missing with `open` or given
        with a different outcome.
    """

    outcome: Outcome
    reason: str
    basis: Basis
    replicated: str = ""
    ci_low: float = math.nan
    ci_high: float = math.nan
    n: int = 0
    because: Because | None = None
    needs: Needs | None = None
    ledger: str = ""
    readings: tuple[tuple[str, Judgement], ...] = ()

    def __post_init__(self) -> None:
        for word, words in ((self.outcome, Outcome), (self.basis, Basis), (self.because or Because.SEEDS, Because)):
            if not isinstance(word, words):
                raise ValueError(f"{word!r} is not one of {', '.join(words)}")
        if (self.outcome is Outcome.OPEN) != (self.because is not None):
            raise ValueError(f"{self.outcome} because of {self.because}: expected one if open, else none")
        if self.needs is not None and self.because is not Because.SEEDS:
            raise ValueError(f"{self.outcome} because of {self.because}: more {self.needs.unit}s would not settle it")
        if not 0 < len(self.reason) <= LONGEST:
            raise ValueError(f"a reason of {len(self.reason)} characters, expected 1 to {LONGEST}: {self.reason}")


def noted(judged: Judgement, *clauses: str) -> Judgement:
    """Return the judgement with as many of the clauses added to its reason as fit."""
    return replace(judged, reason=reason(judged.reason, *clauses))


def fitted(judged: Judgement, *clauses: str) -> Judgement:
    """Mark a judgement as fitted: the published value filled in what the paper omits, so it is no evidence."""
    return replace(judged, basis=Basis.FITTED, reason=reason(*clauses, judged.reason), readings=())


def not_run(what: str) -> Judgement:
    """Return the judgement of a claim that needs ``what``, which this configuration does not play."""
    told = what if len(what) <= LONGEST else f"{what[: LONGEST - 1]}…"
    return Judgement(Outcome.OPEN, told, Basis.SIMULATED, because=Because.NOT_RUN)
