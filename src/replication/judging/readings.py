"""One outcome from the readings of what a paper leaves open, and from a number and its ordering."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from replication.judging.judges.judgement import (
    SILENT,
    Basis,
    Because,
    Judgement,
    Outcome,
    reason,
)

_BASES, _BECAUSES = tuple(Basis), tuple(Because)


def over_readings(judged: Mapping[str, Judgement]) -> Judgement:
    """Combine the judgements of a claim under every reading of what the paper leaves open.

    ================================================================  ======================
    readings                                                          outcome
    ================================================================  ======================
    all hold                                                          holds
    some hold, some fail                                              depends
    none fails, one depends                                           depends
    some hold, some could be told by more seeds or trials             open
    all that tell something hold, some are silent                     depends
    none holds, some could be told                                    open
    none holds, some are silent                                       open
    none holds                                                        fails
    none holds, all are wrong in the paper                            wrong in the paper
    ================================================================  ======================

    A reading is silent if it is not run, untestable, or about what the paper omits. One that is fitted, picked with the
    published values in view for instance, is shown and decides nothing, unless all are. One under which the claim could
    not have come out otherwise (`identity`) decides nothing where another does.

    Parameters
    ----------
    judged : dict from reading to Judgement
        The default first: its numbers are shown, or those of the first reading that is run. At least one. A judgement
        that has readings itself stands for each of them.

    Returns
    -------
    Judgement
        Its ``readings`` are those given; its basis is the weakest of the readings that decide.
    """
    leaves = dict(_leaves(judged))
    shown = next((j for j in leaves.values() if j.because is not Because.NOT_RUN), next(iter(leaves.values())))
    if len(leaves) == 1:
        return shown
    loud = [j for j in leaves.values() if j.outcome is not Outcome.FITTED and j.because not in SILENT]
    deciding = [j for j in loud if j.basis is not Basis.IDENTITY] or loud
    silent = [j for j in leaves.values() if j.because in SILENT]
    outcome = _combined({j.outcome for j in deciding}, bool(silent)) if deciding else _undecided(leaves.values())
    because, needs = None, None
    if outcome is Outcome.OPEN:
        undecided = [j for j in (*deciding, *silent) if j.because is not None]
        because = min((j.because for j in undecided if j.because), key=_BECAUSES.index)
        if because is Because.SEEDS:
            needs = max((j.needs for j in undecided if j.needs), key=lambda needs: needs.count, default=None)
    return replace(
        shown,
        outcome=outcome,
        reason=reason(tally(leaves.values()), str(needs or ""), f"shown: {shown.reason}"),
        basis=max((j.basis for j in deciding or leaves.values()), key=_BASES.index),
        because=because,
        needs=needs,
        ledger=_merged(j.ledger for j in leaves.values()),
        readings=tuple(leaves.items()),
    )


def _leaves(judged: Mapping[str, Judgement]) -> Iterable[tuple[str, Judgement]]:
    for name, judgement in judged.items():
        if judgement.readings:
            for inner, leaf in judgement.readings:
                yield f"{name}; {inner}" if name else inner, replace(leaf, ledger=f"{judgement.ledger} {leaf.ledger}")
        else:
            yield name, judgement


def _combined(outcomes: Collection[Outcome], some_silent: bool) -> Outcome:
    found = set(outcomes)
    holds, fails = found & {Outcome.HOLDS, Outcome.DEPENDS}, found & {Outcome.FAILS, Outcome.WRONG}
    if (holds and fails) or Outcome.DEPENDS in holds:
        return Outcome.DEPENDS
    if Outcome.OPEN in found:
        return Outcome.OPEN
    if holds:
        return Outcome.DEPENDS if some_silent else Outcome.HOLDS
    if some_silent:
        return Outcome.OPEN
    return Outcome.WRONG if fails == {Outcome.WRONG} else Outcome.FAILS


def _undecided(judged: Iterable[Judgement]) -> Outcome:
    return Outcome.FITTED if any(j.outcome is Outcome.FITTED for j in judged) else Outcome.OPEN


def tally(judged: Collection[Judgement]) -> str:
    """Count what readings say: "holds under 5 of 8 readings, fails under none, 3 open"."""
    count = {outcome: sum(j.outcome is outcome for j in judged) for outcome in Outcome}
    count[Outcome.FAILS] += count[Outcome.WRONG]
    silent = sum(j.because is Because.NOT_RUN for j in judged)
    count[Outcome.OPEN] -= silent
    told = [
        f"holds under {count[Outcome.HOLDS] or 'none'} of {len(judged)} readings",
        f"fails under {count[Outcome.FAILS] or 'none'}",
    ]
    others = ((Outcome.DEPENDS, "depends"), (Outcome.OPEN, "open"), (Outcome.FITTED, "fitted"))
    told += [f"{count[outcome]} {word}" for outcome, word in others if count[outcome]]
    return ", ".join([*told, *([f"{silent} not run"] if silent else [])])


def _merged(words: Iterable[str]) -> str:
    """Each word once, in order."""
    return " ".join(dict.fromkeys(word for entry in words for word in entry.split()))


def or_direction(number: Judgement, ordering: Judgement) -> Judgement:
    """Judge a number whose ordering is claimed too: where the number fails, the ordering may still hold.

    Then the claim `depends`. Where the ordering is open, so is the claim: more seeds would tell which of `depends` and
    `fails` it is.
    """
    if number.outcome is not Outcome.FAILS or ordering.outcome not in (Outcome.HOLDS, Outcome.DEPENDS, Outcome.OPEN):
        return number
    is_open = ordering.outcome is Outcome.OPEN
    return replace(
        number,
        outcome=Outcome.OPEN if is_open else Outcome.DEPENDS,
        because=ordering.because,
        needs=ordering.needs,
        basis=max(number.basis, ordering.basis, key=_BASES.index),
        reason=reason(
            "the number fails, " + ("its direction is open" if is_open else "its direction holds"),
            f"{ordering.replicated}: {ordering.reason}",
            number.reason,
        ),
    )
