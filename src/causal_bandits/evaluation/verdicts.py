"""One verdict per published claim: does it hold, within what error, on what evidence, and if not, why."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

from causal_bandits.evaluation.claims import Claim, Judge, Reading, at_readings, expect_rounds, judges_of, read
from causal_bandits.evaluation.judges import (
    BY_CONSTRUCTION,
    CALIBRATED_EVIDENCE,
    DIRECTION_ONLY,
    EVIDENCE,
    NOT_TESTABLE,
    REPRODUCED,
    VERDICTS,
    Judgement,
    calibrated,
    expected_false,
    over_readings,
)
from causal_bandits.evaluation.results import NotRunError, Results
from causal_bandits.files import whole

#: Columns of a table of verdicts.
COLUMNS = (
    "claim_id",
    "paper",
    "item",
    "published",
    "replicated",
    "ci_low",
    "ci_high",
    "n",
    "verdict",
    "evidence",
    "fact",
    "why",
    "ledger",
)

#: How the ``why`` of a claim begins that this configuration leaves out; "not testable" otherwise means by anybody.
NOT_RUN = "not in this configuration: "


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
        row = {"claim_id": claim.claim_id, "paper": paper, "item": item, "published": claim.value, **vars(judged)}
        rows.append({name: _cell(row[name]) for name in COLUMNS})
    _write(rows, output)


def judge_claim(claim: Claim, judge: Judge, readings: Sequence[Reading], results: Results) -> Judgement:
    """The verdict of one claim, over all readings of what the paper leaves open about it (see `over_readings`).

    A reading that this configuration does not run leaves the others' judgements as they are.
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


def combine(tables: Iterable[str | Path], output: str | Path, summary: str | Path) -> None:
    """Put the verdicts of several papers into one table, and count them as Markdown.

    Parameters
    ----------
    tables : iterable of path
        Written by `judge`.
    output : path
        CSV, all rows.
    summary : path
        Markdown: verdicts by evidence, by paper and evidence, the facts behind them, and what chance rejects.
    """
    rows: list[dict[str, str]] = []
    for path in tables:
        with Path(path).open(newline="", encoding="utf-8") as file:
            rows.extend(csv.DictReader(file))
    _write(rows, output)
    with whole(summary) as temporary:
        temporary.write_text(summarise(rows), encoding="utf-8")


def summarise(rows: Sequence[Mapping[str, str]]) -> str:
    """Counts of verdicts as Markdown; ``rows`` have the columns of `COLUMNS`."""
    kinds = [kind for kind in EVIDENCE if any(row["evidence"] == kind for row in rows)]
    papers = list(dict.fromkeys(row["paper"] for row in rows))
    by_evidence = [[kind, *_counts([r for r in rows if r["evidence"] == kind])] for kind in kinds]
    behind = [{(r["paper"], r["fact"]) for r in rows if r["verdict"] == verdict} for verdict in VERDICTS]
    facts = [len(found) for found in behind] + [len(set[tuple[str, str]]().union(*behind))]
    by_paper = [
        [paper, kind, *_counts(chosen)]
        for paper in papers
        for kind in kinds
        if (chosen := [r for r in rows if (r["paper"], r["evidence"]) == (paper, kind)])
    ]
    not_run = sum(row["why"].startswith(NOT_RUN) for row in rows)
    chance = expected_false((row["verdict"], row["evidence"]) for row in rows)
    return "\n".join(
        [
            "# Verdicts",
            "",
            "By what they rest on. Only `simulated` rows are statistical; `computed` ones have no sampling error,",
            "`by construction` could not have come out otherwise, `calibrated` numbers fixed what the paper omits.",
            "",
            _markdown(["evidence", *VERDICTS, "all"], [*by_evidence, ["all", *_counts(rows)]]),
            "",
            f"Of the claims that are not testable, {not_run} are not in this configuration; the papers omit what the",
            "others need, or no outcome could contradict them.",
            "",
            "Several rows can rest on one fact. Distinct facts behind each verdict (one may stand behind several):",
            "",
            _markdown(["", *VERDICTS, "all"], [["facts", *facts], ["rows", *_counts(rows)]]),
            "",
            "By paper:",
            "",
            _markdown(["paper", "evidence", *VERDICTS, "all"], by_paper),
            "",
            "Multiplicity is not corrected: each test may reject a true claim in up to 2.5 % of cases. If every claim",
            f"that is tested on simulations were true, up to {chance:.1f} of them would be expected to be called not",
            "reproduced by chance alone; were every one false, as many would be called reproduced.",
            "",
        ]
    )


def _counts(rows: Sequence[Mapping[str, str]]) -> list[object]:
    """Rows per verdict, and of all."""
    counted = Counter(row["verdict"] for row in rows)
    return [*(counted[verdict] for verdict in VERDICTS), len(rows)]


def _markdown(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _cell(value: object) -> str:
    """As it stands in a table: six digits, nothing for what is not a number."""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return str(value)


def _write(rows: Iterable[Mapping[str, str]], output: str | Path) -> None:
    with whole(output) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
