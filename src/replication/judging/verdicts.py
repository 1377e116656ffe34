"""Judge every published claim: whether it holds, within what error, on what basis, and if not, why not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from experiments.results import NotRunError, Results
from replication.judging.claims import Claim, CutOffError, Judge, Reading, at_readings, expect_rounds, read
from replication.judging.generic import judges_of
from replication.judging.jobs import VerdictsJob
from replication.judging.judges import Basis, Because, Judgement, Outcome, fitted, not_run, reason
from replication.judging.readings import over_readings
from replication.judging.verdict_tables import DEFAULT, READING_COLUMNS, write


def judge(job: VerdictsJob, inputs: Mapping[str, Any], output: str | Path, readings: str | Path) -> None:
    """Judge every claim of a paper and write its two tables of verdicts, each atomically.

    Parameters
    ----------
    job : VerdictsJob
    inputs : mapping
        As for `Results.load`; ``published`` is the table of claims.
    output, readings : path
        CSV with the columns of `COLUMNS` and of `READING_COLUMNS`, in the order of the claims.

    Raises
    ------
    RuntimeError
        If a judge fails; the message names the claim.
    """
    paper, path = job.paper, str(inputs["published"])
    claims, judges = read(path, path), judges_of(paper)
    results = Results.load(job, inputs)
    rows: list[dict[str, object]] = []
    of_readings: list[dict[str, object]] = []
    for claim in claims:
        try:
            judged = judge_claim(claim, judges[claim.judge], job.readings.get(claim.readings, ()), results)
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise RuntimeError(f"{path}:{claim.line}: {claim.claim_id}: judge {claim.judge!r}: {what}") from error
        rows.append(_row(paper, claim, judged))
        of_readings.extend(_reading_rows(claim, judged))
    write(of_readings, readings, READING_COLUMNS)
    write(rows, output)


def judge_claim(claim: Claim, judge: Judge, readings: Sequence[Reading], results: Results) -> Judgement:
    """Judge one claim, over all readings of what the paper leaves open about it (see `over_readings`).

    A reading that this configuration does not play is open because it is `not run`.
    """
    judged = {name: _under(at, judge, results, ledger) for name, ledger, at in _readings(claim, readings, results)}
    return _as_claimed(claim, over_readings(judged, claim.number if claim.is_number else None))


def _under(claim: Claim, judge: Judge, results: Results, ledger: str) -> Judgement:
    """Judge a claim under one reading, which the entries ``ledger`` describe."""
    try:
        expect_rounds(claim, results)
        judged = judge.function(claim, results, **claim.arguments)
    except NotRunError as error:
        return not_run(error.what)
    except CutOffError as error:
        judged = Judgement(Outcome.OPEN, reason(str(error)), Basis.SIMULATED, because=Because.NOT_RUN)
    return replace(judged, ledger=f"{judged.ledger} {ledger}")


def _readings(claim: Claim, readings: Sequence[Reading], results: Results) -> Iterator[tuple[str, str, Claim]]:
    """Yield the name, ledger entries and claim of every reading.

    If the paper leaves nothing open about the claim, this is the claim itself.
    """
    if not readings:
        yield "", "", claim
        return
    for reading, at in at_readings(claim, readings, results.plans):
        yield reading["name"], reading.get("ledger", ""), at


def _as_claimed(claim: Claim, judged: Judgement) -> Judgement:
    """Add the ledger entries and the basis that the claim's row states."""
    judged = replace(judged, ledger=" ".join(dict.fromkeys(f"{claim.ledger} {judged.ledger}".split())))
    untold = judged.because in (Because.NOT_RUN, Because.UNTESTABLE)
    if claim.basis is Basis.FITTED and not untold:
        return replace(fitted(judged, "used to fill in what the paper omits"), readings=judged.readings)
    # A claim that fails was not true by construction.
    if claim.basis and (untold or judged.outcome in (Outcome.HOLDS, Outcome.DEPENDS)):
        return replace(judged, basis=claim.basis)
    return judged


def _row(paper: str, claim: Claim, judged: Judgement) -> dict[str, object]:
    item = ", ".join(filter(None, (claim.item, claim.row, claim.column)))
    of_claim = {
        "claim_id": claim.claim_id,
        "paper": paper,
        "item": item,
        "statement": claim.statement,
        "headline": claim.headline,
        "published": claim.value,
        "fact": claim.fact or claim.claim_id,
        "fault": claim.fault if judged.outcome is Outcome.FAILS else "",
        "in_view": claim.in_view,
    }
    return _cells(judged) | of_claim


def _reading_rows(claim: Claim, judged: Judgement) -> Iterator[dict[str, object]]:
    for i, (name, under) in enumerate(judged.readings):
        yield _cells(under) | {"claim_id": claim.claim_id, "reading": name, "default": "" if i else DEFAULT}


def _cells(judged: Judgement) -> dict[str, object]:
    return vars(judged) | {"because": judged.because or ""}
