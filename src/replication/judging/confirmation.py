"""What runs with another root seed or other random problems confirm, under the same rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from replication.judging.claims import FAMILIES
from replication.judging.judges.judgement import Outcome
from replication.judging.verdict_tables import ELSEWHERE, Row, family_of, is_tested, markdown, ours, read

FIRST_SEED, FRESH_PROBLEMS = "with the first seed", "with fresh random problems"
#: Verdicts that the reference is compared with.
OTHER_RUNS = {
    FIRST_SEED: Path("data/reference/first_seed.csv"),
    FRESH_PROBLEMS: Path("data/reference/fresh_problems.csv"),
}

#: Verdicts by claim, of each other run by its name.
Others = Mapping[str, Mapping[str, Row]]


def other_runs(root: Path) -> dict[str, dict[str, dict[str, str]]]:
    """Read the verdicts of the other runs that there are."""
    return {name: read(root / path) for name, path in OTHER_RUNS.items() if (root / path).exists()}


def elsewhere(row: Row, others: Others) -> list[tuple[str, Row]]:
    """List the other runs that gave a claim another outcome, each with its verdict."""
    found = [(name, of[row["claim_id"]]) for name, of in others.items() if row["claim_id"] in of]
    return [(name, other) for name, other in found if other["outcome"] != row["outcome"]]


def beside(rows: Mapping[str, Row], others: Others) -> dict[str, dict[str, str]]:
    """Add to each verdict the outcomes of other runs where they differ; otherwise the cell is empty."""
    return {
        id_: {**row, ELSEWHERE: "; ".join(f"{name}: {other['outcome']}" for name, other in elsewhere(row, others))}
        for id_, row in rows.items()
    }


def compared(reference: Mapping[str, Row], other: Mapping[str, Row]) -> list[tuple[Row, Row]]:
    """Pair the verdicts of two runs on each claim that the reference tests on simulations: chance changes no others."""
    return [(row, other[id_]) for id_, row in reference.items() if id_ in other and is_tested(row)]


def report(pairs: Sequence[tuple[Row, Row]], names: tuple[str, str]) -> str:
    """Write a comparison of two runs as Markdown: counts by kind, and every claim whose outcome differs.

    Parameters
    ----------
    pairs : sequence of (Row, Row)
        The verdicts of the earlier and the later run on each claim.
    names : (str, str)
        What to call the runs.
    """
    lines = []
    for family in FAMILIES:
        of = [(one, other) for one, other in pairs if family_of(other) == family]
        if of:
            again = [_again(of, outcome) for outcome in Outcome]
            lines.append([family, *again, f"{sum(a['outcome'] == b['outcome'] for a, b in of)} of {len(of)}"])
    counts = markdown(["", *(f"{outcome}, again" for outcome in Outcome), "same outcome"], lines)
    differing = [(one, other) for one, other in pairs if one["outcome"] != other["outcome"]]
    if not differing:
        return f"{counts}\n\nNo claim has another outcome."
    table = markdown(
        ["claim", names[0], "", names[1], ""],
        [[two["claim_id"], *_told(one), *_told(two)] for one, two in differing],
    )
    return f"{counts}\n\n{len(differing)} of {len(pairs)} claims have another outcome:\n\n{table}"


def _again(pairs: Iterable[tuple[Row, Row]], outcome: Outcome) -> str:
    had = [other["outcome"] for one, other in pairs if one["outcome"] == outcome]
    return f"{had.count(outcome)} of {len(had)}"


def _told(row: Row) -> tuple[str, str]:
    why = f" ({row['why']})" if row["why"] else ""
    return f"{row['outcome']}{why}", ours(row, (), row["shown"])
