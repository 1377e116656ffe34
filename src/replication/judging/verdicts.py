"""One verdict per published claim: does it hold, within what error, on what evidence, and if not, why."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

from replication.judging.binding import judges_of
from replication.judging.claims import Claim, CutOffError, Judge, Reading, at_readings, expect_rounds, read
from replication.judging.judges import (
    BY_CONSTRUCTION,
    CALIBRATED_EVIDENCE,
    DIRECTION_ONLY,
    INCONCLUSIVE,
    NOT_TESTABLE,
    REPRODUCED,
    SIMULATED,
    Judgement,
    calibrated,
    over_readings,
)
from replication.judging.verdict_tables import NOT_RUN, write
from replication.pipeline.results import NotRunError, Results


class VerdictsJob(TypedDict):
    """The verdicts of one paper: its slug, the experiments that are played, and its sets of readings."""

    paper: str
    experiments: list[str]
    readings: Mapping[str, Sequence[Reading]]


def judge(job: VerdictsJob, inputs: Mapping[str, Any], output: str | Path) -> None:
    """Judge every claim of a paper and write the table of verdicts, whole or not at all.

    Parameters
    ----------
    job : VerdictsJob
    inputs : mapping
        As `Results.load`; ``published`` is the table of claims.
    output : path
        CSV with the columns of `COLUMNS`, in the order of the claims.

    Raises
    ------
    RuntimeError
        If a judge fails: which claim it was.
    """
    paper, path = job["paper"], str(inputs["published"])
    claims, judges = read(path, path), judges_of(paper)
    results = Results.load(job["experiments"], inputs)
    rows = []
    for claim in claims:
        try:
            judged = judge_claim(claim, judges[claim.judge], job["readings"].get(claim.readings, ()), results)
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise RuntimeError(f"{path}:{claim.line}: {claim.claim_id}: judge {claim.judge!r}: {what}") from error
        item = ", ".join(filter(None, (claim.item, claim.row, claim.column)))
        row = {"claim_id": claim.claim_id, "paper": paper, "item": item, "kind": claim.kind, "published": claim.value}
        row |= vars(judged)
        rows.append(row if judged.evidence == SIMULATED else row | {"level": math.nan})
    write(rows, output)


def judge_claim(claim: Claim, judge: Judge, readings: Sequence[Reading], results: Results) -> Judgement:
    """The verdict of one claim, over all readings of what the paper leaves open about it (see `over_readings`).

    A reading that this configuration does not run leaves the others' judgements as they are. Where runs were cut off
    before they had the outcome that is judged, that is inconclusive.
    """
    judged: dict[str, Judgement] = {}
    missing: dict[str, str] = {}
    for name, ledger, at in _readings(claim, readings, results):
        try:
            expect_rounds(at, results)
            found = judge.function(at, results, **at.arguments)
            judged[name] = replace(found, ledger=f"{found.ledger} {ledger}")
        except NotRunError as error:
            missing[name] = str(error).removeprefix(NOT_RUN)
        except CutOffError as error:
            judged[name] = Judgement(INCONCLUSIVE, str(error), SIMULATED, ledger=ledger)
    told = over_readings(judged, list(missing)) if judged else over_readings({}, [next(iter(missing.values()))])
    return _as_claimed(claim, told)


def _readings(claim: Claim, readings: Sequence[Reading], results: Results) -> Iterable[tuple[str, str, Claim]]:
    """Name, ledger entries and claim of every reading; the claim itself if the paper leaves nothing open about it."""
    if not readings:
        return [("", "", claim)]
    return [(r["name"], r.get("ledger", ""), at) for r, at in at_readings(claim, readings, results.plans)]


def _as_claimed(claim: Claim, judged: Judgement) -> Judgement:
    """With the fact, the ledger's entries and the kind of evidence that the claim's row states."""
    ledger = " ".join(dict.fromkeys(f"{claim.ledger} {judged.ledger}".split()))
    judged = replace(judged, fact=claim.fact or claim.claim_id, ledger=ledger)
    if claim.evidence == CALIBRATED_EVIDENCE and judged.verdict != NOT_TESTABLE:
        return calibrated(judged, f"used to fix what the paper omits; {judged.why}")
    # What fails could have come out otherwise.
    if claim.evidence == CALIBRATED_EVIDENCE or (
        claim.evidence == BY_CONSTRUCTION and judged.verdict in (REPRODUCED, DIRECTION_ONLY, NOT_TESTABLE)
    ):
        return replace(judged, evidence=claim.evidence)
    return judged
