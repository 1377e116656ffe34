"""Tables of verdicts: their columns, all papers in one, and what counts of them say."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from replication.judging.judges.judgement import EVIDENCE, LEVEL, VERDICTS
from replication.judging.judges.readings import expected_false
from replication.pipeline.atomic import whole

#: Columns of a table of verdicts.
COLUMNS = (
    "claim_id",
    "paper",
    "item",
    "kind",
    "published",
    "replicated",
    "ci_low",
    "ci_high",
    "n",
    "verdict",
    "evidence",
    "level",
    "fact",
    "why",
    "ledger",
)

#: How the ``why`` of a claim begins that this configuration leaves out; "not testable" otherwise means by anybody.
NOT_RUN = "not in this configuration: "


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
    write(rows, output)
    with whole(summary) as temporary:
        temporary.write_text(summarise(rows), encoding="utf-8")


def summarise(rows: Sequence[Mapping[str, str]]) -> str:
    """Counts of verdicts as Markdown; ``rows`` have the columns of `COLUMNS`."""
    kinds = [kind for kind in EVIDENCE if any(row["evidence"] == kind for row in rows)]
    by_evidence = [[kind, *_counts([r for r in rows if r["evidence"] == kind])] for kind in kinds]
    behind = [{(r["paper"], r["fact"]) for r in rows if r["verdict"] == verdict} for verdict in VERDICTS]
    facts = [len(found) for found in behind] + [len(set[tuple[str, str]]().union(*behind))]
    of_kinds = [[kind, *_counts([r for r in rows if r["kind"] == kind])] for kind in sorted({r["kind"] for r in rows})]
    not_run = sum(row["why"].startswith(NOT_RUN) for row in rows)
    chance = expected_false((row["verdict"], row["evidence"], float(row["level"] or 0)) for row in rows)
    false = expected_false((row["verdict"], row["evidence"], LEVEL) for row in rows)
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
            overview(rows),
            "",
            "By what is claimed:",
            "",
            _markdown(["kind", *VERDICTS, "all"], of_kinds),
            "",
            "Multiplicity is not corrected: each test may reject a true claim in a share of cases, its level (2.5 % or",
            f"what the row says). If every claim that is tested on simulations were true, up to {chance:.1f} of them",
            "would be expected to be called not reproduced by chance alone; were every one false, up to",
            f"{false:.1f} would be called reproduced.",
            "",
        ]
    )


def overview(rows: Sequence[Mapping[str, str]]) -> str:
    """Counts of verdicts by paper and evidence as Markdown; ``rows`` have the columns of `COLUMNS`."""
    papers = dict.fromkeys(row["paper"] for row in rows)
    counts = [
        [paper, kind, *_counts(chosen)]
        for paper in papers
        for kind in EVIDENCE
        if (chosen := [r for r in rows if (r["paper"], r["evidence"]) == (paper, kind)])
    ]
    return _markdown(["paper", "evidence", *VERDICTS, "all"], counts)


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


def write(rows: Iterable[Mapping[str, object]], output: str | Path) -> None:
    """Write a table of verdicts, whole or not at all; ``rows`` have the columns of `COLUMNS`, and may have others."""
    with whole(output) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([_cell(row[name]) for name in COLUMNS] for row in rows)
