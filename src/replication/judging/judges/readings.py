"""One verdict from several judgements, and what many verdicts together can be expected to get wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from replication.judging.judges.judgement import (
    BY_CONSTRUCTION,
    CALIBRATED,
    CONTRADICTED,
    DIRECTION_ONLY,
    EVIDENCE,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    SIMULATED,
    Judgement,
)

#: How a reading's verdict is told.
_TOLD = {
    REPRODUCED: "holds",
    DIRECTION_ONLY: "holds in direction only",
    NOT_REPRODUCED: "does not hold",
    CONTRADICTED: "contradicted by the paper",
    INCONCLUSIVE: "cannot be told",
    CALIBRATED: "calibrated",
    NOT_TESTABLE: "not testable",
}


def over_readings(judged: Mapping[str, Judgement], missing: Sequence[str] = ()) -> Judgement:
    """One verdict of a claim that the paper leaves open how to read.

    ========================================================  =========================
    readings                                                  verdict
    ========================================================  =========================
    all hold, all are run                                     reproduced
    some hold, some do not                                    direction only
    none fails, one holds in direction only                   direction only
    some hold, some cannot be told, none fails                inconclusive
    all that are run hold, some are not run                   direction only
    none holds, some cannot be told                           inconclusive
    none holds, some are not run                              inconclusive
    none holds, all are run                                   not reproduced
    none holds, all contradicted by the paper, all are run    contradicted by the paper
    ========================================================  =========================

    A reading that is not testable counts as not run, unless all are. One that is calibrated, picked with the published
    values in view for instance, is told and decides nothing, unless all are. One under which the claim could not have
    come out otherwise (`by construction`) tells nothing where another does.

    Parameters
    ----------
    judged : dict from reading to Judgement
        Those that are run, the default first: its numbers are shown. May be empty.
    missing : sequence of str
        Readings that this configuration does not run.

    Returns
    -------
    Judgement
        ``why`` names what each reading says; the evidence is the weakest of the readings that tell something.
    """
    if not judged:
        return Judgement(NOT_TESTABLE, f"not in this configuration: {', '.join(missing)}", SIMULATED)
    default = next(iter(judged.values()))
    told_of = {name: j for name, j in judged.items() if j.verdict not in (CALIBRATED, NOT_TESTABLE)}
    complete = not missing and all(j.verdict != NOT_TESTABLE for j in judged.values())
    telling = {name: j for name, j in told_of.items() if j.evidence != BY_CONSTRUCTION} or told_of
    verdict = _combined([j.verdict for j in telling.values()], complete) if telling else _untold(judged)
    why = default.why
    if len(judged) + len(missing) > 1:
        told = [_told(name, j) for name, j in judged.items()] + [f"{name}: not run" for name in missing]
        why = f"{why}; by reading: {'; '.join(told)}"
    evidence = max((j.evidence for j in (telling or judged).values()), key=EVIDENCE.index)
    return replace(
        default,
        verdict=verdict,
        why=why,
        evidence=evidence,
        fact=_merged(j.fact for j in judged.values()),
        ledger=_merged(j.ledger for j in judged.values()),
        level=max(j.level for j in (telling or judged).values()),
    )


def _combined(verdicts: Sequence[str], complete: bool) -> str:
    found = set(verdicts)
    holds, fails = found & {REPRODUCED, DIRECTION_ONLY}, found & {NOT_REPRODUCED, CONTRADICTED}
    if (holds and fails) or DIRECTION_ONLY in holds:
        return DIRECTION_ONLY
    if INCONCLUSIVE in found:
        return INCONCLUSIVE
    if holds:
        return REPRODUCED if complete else DIRECTION_ONLY
    if not complete:
        return INCONCLUSIVE
    return CONTRADICTED if fails == {CONTRADICTED} else NOT_REPRODUCED


def _untold(judged: Mapping[str, Judgement]) -> str:
    return CALIBRATED if any(j.verdict == CALIBRATED for j in judged.values()) else NOT_TESTABLE


def _told(name: str, judged: Judgement) -> str:
    told = f"{name}: {_TOLD[judged.verdict]}"
    if not judged.replicated:
        return told
    interval = "" if judged.ci_low != judged.ci_low else f", {judged.ci_low:.4g} to {judged.ci_high:.4g}"
    return f"{told} ({judged.replicated}{interval})"


def _merged(words: Iterable[str]) -> str:
    """Each word once, in order."""
    return " ".join(dict.fromkeys(word for entry in words for word in entry.split()))


def or_direction(number: Judgement, ordering: Judgement) -> Judgement:
    """The verdict of a number whose ordering is judged too: where the number fails, the ordering may still hold.

    Where the ordering cannot be told, neither can which of `direction only` and `not reproduced` it is: more seeds
    would tell, so that is inconclusive, and ``why`` begins with what is sure: that the number does not hold. (To call
    it not reproduced would let more seeds improve it.)
    """
    if number.verdict != NOT_REPRODUCED or ordering.verdict not in (REPRODUCED, DIRECTION_ONLY, INCONCLUSIVE):
        return number
    told = "cannot be told" if ordering.verdict == INCONCLUSIVE else "holds"
    verdict = INCONCLUSIVE if ordering.verdict == INCONCLUSIVE else DIRECTION_ONLY
    evidence = max(number.evidence, ordering.evidence, key=EVIDENCE.index)
    why = f"the number does not hold: {number.why}; the ordering {told}: {ordering.replicated}, {ordering.why}"
    return replace(number, verdict=verdict, evidence=evidence, why=why)


def expected_false(rows: Iterable[tuple[str, str, float]]) -> float:
    """How many claims that are true are called not reproduced by chance alone, at most, in expectation.

    Multiplicity is not corrected: the levels of the judges add up, however much the rows depend on each other. (A claim
    that is true under several readings is called not reproduced only if all of them are.)

    Parameters
    ----------
    rows : iterable of (verdict, evidence, level)
        Of a table of verdicts; only what is simulated and tested counts.
    """
    tested = (REPRODUCED, DIRECTION_ONLY, NOT_REPRODUCED, INCONCLUSIVE)
    return sum(level for verdict, evidence, level in rows if verdict in tested and evidence == SIMULATED)
