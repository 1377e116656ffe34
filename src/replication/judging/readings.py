"""Combine outcomes: those of a claim's readings, or of a printed number and of the ordering that it implies."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import compress

from replication.judging.judges.judgement import REASONS, Judgement, Outcome, Why, reason


def over_readings(judged: Mapping[str, Judgement], published: float | None = None) -> Judgement:
    """Combine the judgements of a claim under every reading of what the paper leaves open.

    ==================================================  ======================
    readings                                            outcome
    ==================================================  ======================
    all hold                                            holds
    all fail                                            fails
    some hold, some fail; or one depends                depends
    otherwise, if some are open                         open
    ==================================================  ======================

    A fitted reading, for instance one chosen after seeing the published values, is shown but decides nothing unless all
    are fitted. A reading under which the claim is true by construction decides nothing if there are other readings.

    Parameters
    ----------
    judged : dict from reading to Judgement
        At least one, that of all defaults first: its numbers are shown, or those of the first reading that is run.
    published : float, optional
        The published value, if it is a number: if it does not hold, the reason names the reading that comes nearest to
        it.

    Returns
    -------
    Judgement
        Its ``readings`` are those given.
    """
    shown = next((j for j in judged.values() if j.why is not Why.NOT_RUN), next(iter(judged.values())))
    if len(judged) == 1:
        return shown
    deciding = list(compress(judged.values(), which_decide([j.why for j in judged.values()])))
    outcome = combined({j.outcome for j in deciding})
    known = {j.why for j in deciding}
    why = next((why for why in REASONS[outcome] if why in known), None)
    nearest = _nearest(judged, published) if outcome is not Outcome.HOLDS and published is not None else ""
    return replace(
        shown,
        outcome=outcome,
        reason=reason(tally(judged.values()), nearest, f"shown: {shown.reason}"),
        why=why,
        ledger=_merged(j.ledger for j in judged.values()),
        readings=tuple(judged.items()),
    )


def _nearest(judged: Mapping[str, Judgement], published: float) -> str:
    """Say which reading comes nearest to a published number, including those chosen after seeing it."""
    off: dict[str, float] = {}
    for name, judgement in judged.items():
        with suppress(ValueError):
            off[name] = _number(judgement) - published
    if not off:
        return ""
    name = min(off, key=lambda name: abs(off[name]))
    picked = " (fitted)" if judged[name].why is Why.FITTED else ""
    miss = f"{100 * off[name] / published:+.1f} %" if published else f"{off[name]:+.3g}"
    return f"nearest: {name}{picked}, {miss}"


def _number(judgement: Judgement) -> float:
    return float(judgement.replicated.rstrip(" %"))


def combined(outcomes: Collection[Outcome]) -> Outcome:
    """Combine outcomes into one, as the table in `over_readings` says."""
    found = set(outcomes)
    if Outcome.DEPENDS in found or {Outcome.HOLDS, Outcome.FAILS} <= found:
        return Outcome.DEPENDS
    if Outcome.OPEN in found:
        return Outcome.OPEN
    return Outcome.FAILS if Outcome.FAILS in found else Outcome.HOLDS


def which_decide(whys: Sequence[str | None]) -> list[bool]:
    """Return which of a claim's readings decide it, given why they have their outcomes.

    Fitted readings do not, unless all are fitted; of the others, those under which the claim is true by construction do
    not, unless all are such.
    """
    told = [why != Why.FITTED for why in whys]
    could_differ = [why not in (Why.FITTED, Why.BY_CONSTRUCTION) for why in whys]
    return next((chosen for chosen in (could_differ, told) if any(chosen)), [True] * len(whys))


#: Verbs for a claim under one reading.
_VERBS = {
    Outcome.HOLDS: "holds",
    Outcome.DEPENDS: "depends",
    Outcome.FAILS: "fails",
    Outcome.OPEN: "is open",
}


def tally(judged: Collection[Judgement]) -> str:
    """Count the outcomes of readings: "holds under 5 of 8 readings, fails under none, 3 open".

    Those that decide nothing are counted separately: "holds under 5 of 8 readings, fails under 3; 2 true by
    construction". If only one decides: "fails under the one reading that decides; 1 fitted".
    """
    chosen = which_decide([j.why for j in judged])
    deciding, apart = list(compress(judged, chosen)), [j for j, one in zip(judged, chosen, strict=True) if not one]
    count = {outcome: sum(j.outcome is outcome for j in deciding) for outcome in Outcome}
    silent = sum(j.why is Why.NOT_RUN for j in deciding)
    count[Outcome.OPEN] -= silent
    told = [
        f"holds under {count[Outcome.HOLDS] or 'none'} of {len(deciding)} readings",
        f"fails under {count[Outcome.FAILS] or 'none'}",
    ]
    others = ((Outcome.DEPENDS, "depends"), (Outcome.OPEN, "open"))
    told += [f"{count[outcome]} {word}" for outcome, word in others if count[outcome]]
    told += [f"{silent} not run"] if silent else []
    if len(deciding) == 1 and apart:
        told = [f"{_VERBS[deciding[0].outcome]} under the one reading that decides"]
    of_fits = sum(j.why is Why.FITTED for j in apart)
    left = ((len(apart) - of_fits, "true by construction"), (of_fits, "fitted"))
    return "; ".join(filter(None, [", ".join(told), ", ".join(f"{n} {word}" for n, word in left if n)]))


def _merged(words: Iterable[str]) -> str:
    """Join distinct words, in order."""
    return " ".join(dict.fromkeys(word for entry in words for word in entry.split()))


def or_direction(number: Judgement, ordering: Judgement) -> Judgement:
    """Combine the judgements of a number and of the ordering that it implies: return that of the number.

    If the number fails, its reason also says whether the ordering holds.
    """
    if number.outcome is not Outcome.FAILS:
        return number
    told = {Outcome.HOLDS: "holds", Outcome.FAILS: "fails too"}.get(ordering.outcome, "is open")
    return replace(number, reason=reason(number.reason, f"its direction {told}: {ordering.replicated}"))
