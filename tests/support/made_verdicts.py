"""Rows of verdicts, and the published claims p.a and p.b."""

from pathlib import Path

from replication.judging import claims
from replication.judging.verdict_tables import COLUMNS, READING_COLUMNS, write

#: A tidy table.
TABLE = {"policy": ["a", "b", None], "seed": [0, 1, 2], "value": [1.5, None, -3.25], "kept": [True, False, True]}


def row(claim="p.a", value="10", low="9", high="11", n="100", outcome="holds", **more):
    known = dict.fromkeys(COLUMNS, "") | {"claim_id": claim, "paper": claim.split(".")[0], "kind": "mean"}
    known |= {"reason": "told", "why": "seeds" if outcome == "open" else ""}
    return known | {"replicated": value, "ci_low": low, "ci_high": high, "n": n, "outcome": outcome} | more


def left_out(claim):
    return row(claim, "", "", "", "0", "open", why="not run")


def publish(**statements):
    """The claims p.a and p.b, as the paper publishes them."""
    lines = [",".join(claims.COLUMNS)]
    for claim in ("p.a", "p.b"):
        cells = {"id": claim, "statement": statements.get(claim[2:], ""), "column": "POMIS", "kind": "mean"}
        lines.append(",".join(cells.get(column, "") for column in claims.COLUMNS))
    Path("data/published/p.csv").write_text("\n".join(lines) + "\n")


def write_readings(**cells):
    """The two readings of p.a, both as `row` has it."""
    readings = [{"claim_id": "p.a", "reading": name, "default": yes} for name, yes in (("one", "yes"), ("two", ""))]
    write([row(**cells) | reading for reading in readings], "results/verdict_readings.csv", READING_COLUMNS)
