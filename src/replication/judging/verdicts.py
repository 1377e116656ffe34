"""Judge every published claim: whether it holds, within what error, and if not, why not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from experiments.results import NotRunError, Results
from replication.judging.claims import Claim, CutOffError, Printed, Under, claims_of, read
from replication.judging.jobs import VerdictsJob
from replication.judging.judges import Judgement, Outcome, Why, by_construction, fitted, not_run, reason
from replication.judging.readings import over_readings
from replication.judging.verdict_tables import DEFAULT, HEADLINE, READING_COLUMNS, write


def judge(job: VerdictsJob, inputs: Mapping[str, Any], output: str | Path, readings: str | Path) -> None:
    """Judge every claim of a paper and write its two tables of verdicts, each atomically.

    Parameters
    ----------
    job : VerdictsJob
    inputs : mapping
        As for `Results.load`; ``published`` is the table of what the paper prints.
    output, readings : path
        CSV with the columns of `COLUMNS` and of `READING_COLUMNS`, in the order of what is printed.

    Raises
    ------
    RuntimeError
        If a judge fails; the message names the claim.
    """
    printed, claims = read(str(inputs["published"])) if "published" in inputs else {}, claims_of(job.paper)
    results = Results.load(job, inputs)
    rows: list[dict[str, object]] = []
    of_readings: list[dict[str, object]] = []
    for id_, row in printed.items():
        try:
            judged = judge_claim(row, claims[id_], results)
        except Exception as error:
            place = f"papers/{job.paper}/claims.py:{claims[id_].line}"
            raise RuntimeError(f"{place}: {id_}: {type(error).__name__}: {error}") from error
        rows.append(_row(job.paper, row, claims[id_], judged))
        of_readings.extend(_reading_rows(id_, judged))
    write(of_readings, readings, READING_COLUMNS)
    write(rows, output)


def judge_claim(printed: Printed, claim: Claim, results: Results) -> Judgement:
    """Judge one claim, over all readings of what the paper leaves open about it (see `over_readings`).

    A reading that this configuration does not play is open because it is `not run`.
    """
    judged = {test.name: judge_under(test, printed, results) for test in claim.tests}
    return _as_claimed(claim, over_readings(judged, printed.number if printed.is_number else None))


def judge_under(test: Under, printed: Printed, results: Results) -> Judgement:
    """Judge a claim under one reading; what this configuration leaves out leaves it open."""
    try:
        return test.check(printed, results)
    except NotRunError as error:
        return not_run(error.what)
    except CutOffError as error:
        return Judgement(Outcome.OPEN, reason(str(error)), why=Why.NOT_RUN)


def _as_claimed(claim: Claim, judged: Judgement) -> Judgement:
    """Add the ledger entries, the evidence and the fault that the claim states."""
    judged = replace(judged, ledger=" ".join(dict.fromkeys(f"{claim.cited} {judged.ledger}".split())))
    if claim.evidence == "fitted" and judged.why not in (Why.NOT_RUN, Why.UNTESTABLE):
        return replace(fitted(judged, "used to fill in what the paper omits"), readings=judged.readings)
    if claim.evidence == "by construction":
        return by_construction(judged)
    return replace(judged, why=claim.fault) if claim.fault and judged.outcome is Outcome.FAILS else judged


def _row(paper: str, printed: Printed, claim: Claim, judged: Judgement) -> dict[str, object]:
    of_claim = {
        "claim_id": printed.id,
        "paper": paper,
        "place": printed.place,
        "row": printed.row,
        "column": printed.column,
        "kind": printed.kind,
        "statement": printed.statement,
        "headline": HEADLINE if claim.headline else "",
        "published": printed.value,
        "shown": claim.shown,
        "in_view": claim.in_view,
    }
    return _cells(judged) | of_claim


def _reading_rows(id_: str, judged: Judgement) -> Iterator[dict[str, object]]:
    for i, (name, under) in enumerate(judged.readings):
        yield _cells(under) | {"claim_id": id_, "reading": name, "default": "" if i else DEFAULT}


def _cells(judged: Judgement) -> dict[str, object]:
    return vars(judged) | {"why": judged.why or ""}
