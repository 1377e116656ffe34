"""The words of a verdict, and the record of one judgement. The words stand here and nowhere else."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

from replication.judging.judges.intervals import CONFIDENCE


class Outcome(StrEnum):
    """What the replication says of a claim, the best first."""

    HOLDS = "holds"
    DEPENDS = "depends"
    FAILS = "fails"
    OPEN = "open"


class Because(StrEnum):
    """Why a claim is open.

    Of several reasons the one named first stands, for more seeds settle only the last.
    """

    OMITTED = "omitted"
    UNTESTABLE = "untestable"
    NOT_RUN = "not run"
    SEEDS = "seeds"


class Basis(StrEnum):
    """What an outcome rests on, the strongest first.

    No sampling; sampling; what could not have come out otherwise; numbers that were fitted to the published ones.
    """

    EXACT = "exact"
    SIMULATED = "simulated"
    IDENTITY = "identity"
    FITTED = "fitted"


#: What a single judgement finds, the worst first.
WORST_FIRST = (Outcome.FAILS, Outcome.OPEN, Outcome.HOLDS)

#: How often, at most, a judge says "fails" of what is true, or "holds" of what is false, if it names no other level.
LEVEL = (1 - CONFIDENCE) / 2

#: The longest reason, in characters.
LONGEST = 200


@dataclass(frozen=True)
class Needs:
    """How many values would decide an open claim, roughly.

    Attributes
    ----------
    count : int
    unit : str
        What one value is of: a seed, a draw, a sample.
    """

    count: int
    unit: str

    def __str__(self) -> str:
        """As a clause of a reason."""
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
        The replication's own value, as it is shown.
    ci_low, ci_high : float
        The 95 % interval that the outcome rests on; NaN where there is none.
    n : int
        Seeds (or samples, or instances); 0 where nothing is sampled.
    because : Because or None
        Why the claim is open; None if it is not.
    needs : Needs or None
        How many values would decide what is open for want of seeds, where that is known.
    ledger : str
        Ids of ledger entries that it rests on.
    readings : tuple of (str, Judgement)
        The judgement under each reading of what the paper leaves open, the default first; empty if there is one.

    Raises
    ------
    ValueError
        If a word is unknown, the reason is empty or too long, or ``because`` stands beside another outcome than `open`.
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
            raise ValueError(f"{self.outcome} because of {self.because}: what is open says why, and nothing else does")
        if self.needs is not None and self.because is not Because.SEEDS:
            raise ValueError(f"{self.outcome} because of {self.because}: {self.needs.unit}s do not settle it")
        if not 0 < len(self.reason) <= LONGEST:
            raise ValueError(f"a reason of {len(self.reason)} characters, expected 1 to {LONGEST}: {self.reason}")


def noted(judged: Judgement, *clauses: str) -> Judgement:
    """The same judgement with clauses added to its reason, as far as they fit."""
    return replace(judged, reason=reason(judged.reason, *clauses))


def fitted(judged: Judgement, *clauses: str) -> Judgement:
    """Mark the judgement: the published value was used to fix what the paper omits, so it is no evidence."""
    return replace(judged, basis=Basis.FITTED, reason=reason(*clauses, judged.reason), readings=())


def not_run(what: str) -> Judgement:
    """The judgement of what this configuration does not play; ``what`` says what that is."""
    told = what if len(what) <= LONGEST else f"{what[: LONGEST - 1]}…"
    return Judgement(Outcome.OPEN, told, Basis.SIMULATED, because=Because.NOT_RUN)
