"""The terms of every claim: what is fixed before a run, and which of it changed once results had been seen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.loading import FILES, read_yaml
from replication.judging.claims import read_cells

#: The cells of a claim that its outcome follows from. All others are words.
CELLS = ("value", "judge", "experiment", "policy", "against", "metric", "arguments", "evidence")
#: The words of a reading.
WORDS = ("name", "ledger")


def terms(paper: str, published: Path, root: Path) -> dict[str, str]:
    """Digest the terms of every claim of a paper: its cells, its readings and the seeds of its experiments.

    Parameters
    ----------
    paper : str
        The slug.
    published : Path
        Folder of the tables of claims.
    root : Path
        The checkout's top folder.
    """
    place = FILES.format(paper=paper)
    settings = read_yaml(root / place, place)
    found = {}
    for cells in read_cells(published / f"{paper}.csv"):
        readings = settings.get("readings", {}).get(cells["readings"], [])
        changes = [{key: reading[key] for key in sorted(reading) if key not in WORDS} for reading in readings]
        experiments = {cells["experiment"], *(change.get("experiment", "") for change in changes)} - {""}
        seeds = {name: _seeds(settings["experiments"].get(name, {})) for name in sorted(experiments)}
        fixed = [{cell: cells[cell] for cell in CELLS}, changes, seeds]
        found[cells["claim_id"]] = hashlib.blake2b(
            json.dumps(fixed, sort_keys=True).encode(), digest_size=8
        ).hexdigest()
    return found


def _seeds(experiment: Mapping[str, Any]) -> dict[str, Any]:
    return {key: experiment[key] for key in ("replicates", "seeds_per_draw") if key in experiment}


def unmarked(before: Mapping[str, str], now: Mapping[str, str], in_view: Mapping[str, str]) -> list[str]:
    """List claims whose terms changed and whose cell ``in_view`` does not say what was chosen."""
    return [claim for claim in now if claim in before and now[claim] != before[claim] and not in_view[claim]]
