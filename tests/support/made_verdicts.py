"""Rows of verdicts, and the published claims p.a and p.b."""

from pathlib import Path

from replication.judging import claims
from replication.judging.verdict_tables import COLUMNS


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
