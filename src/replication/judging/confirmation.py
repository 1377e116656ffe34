"""What a run with a fresh root seed confirms of the verdicts that an earlier seed gave under the same rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from replication.judging.claims import FAMILIES
from replication.judging.judges.judgement import Outcome
from replication.judging.verdict_tables import FIRST, Row, family_of, is_tested, markdown, ours, read

#: Verdicts with the first seed.
FIRST_SEED = Path("data/reference/first_seed.csv")


def first_seed(root: Path) -> dict[str, dict[str, str]]:
    """Read the verdicts with the first seed, by claim; none if there is no second."""
    path = root / FIRST_SEED
    return read(path) if path.exists() else {}


def beside(rows: Mapping[str, Row], first: Mapping[str, Row]) -> dict[str, dict[str, str]]:
    """Add to each verdict the outcome with the first seed if it was another one; otherwise the cell is empty."""
    found = {}
    for id_, row in rows.items():
        before = first.get(id_, row)["outcome"]
        found[id_] = {**row, FIRST: before if before != row["outcome"] else ""}
    return found


def report(first: Mapping[str, Row], second: Mapping[str, Row]) -> str:
    """Compare two tables of verdicts of the same claims as Markdown: counts by kind, and every claim that differs.

    Only claims that are tested on simulations are counted: chance changes no others.
    """
    pairs = [(first[id_], row) for id_, row in second.items() if id_ in first and is_tested(row)]
    lines = []
    for family in FAMILIES:
        of = [(one, other) for one, other in pairs if family_of(other) == family]
        again = [_again(of, outcome) for outcome in Outcome]
        lines.append([family, *again, f"{sum(a['outcome'] == b['outcome'] for a, b in of)} of {len(of)}"])
    counts = markdown(["", *(f"{outcome}, again" for outcome in Outcome), "same outcome"], lines)
    differing = [(one, other) for one, other in pairs if one["outcome"] != other["outcome"]]
    if not differing:
        return f"{counts}\n\nNo claim has another outcome."
    table = markdown(
        ["claim", "first seed", "", "second seed", ""],
        [[two["claim_id"], *_told(one), *_told(two)] for one, two in differing],
    )
    return f"{counts}\n\n{len(differing)} of {len(pairs)} claims have another outcome:\n\n{table}"


def _again(pairs: Iterable[tuple[Row, Row]], outcome: Outcome) -> str:
    had = [other["outcome"] for one, other in pairs if one["outcome"] == outcome]
    return f"{had.count(outcome)} of {len(had)}"


def _told(row: Row) -> tuple[str, str]:
    why = f" ({row['why']})" if row["why"] else ""
    return f"{row['outcome']}{why}", ours(row, (), row["shown"])
