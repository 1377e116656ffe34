"""The scale at which a study was run, which is recorded next to its verdicts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.files import whole
from replication.judging.verdict_tables import TableError

#: The name of the record, in the folder of results.
SCALE = "scale.json"
#: Values of ``scale`` for which a study is no smaller than the published ones.
PUBLISHED = {"horizon": (None,), "replicates": (None,), "when": (None, "whole", "asked")}


def write(scale: Mapping[str, Any], path: str | Path) -> None:
    """Record the ``scale`` of a study's configuration atomically."""
    with whole(path) as temporary:
        temporary.write_text(json.dumps(dict(scale)) + "\n", encoding="utf-8")


def limits(results: Path) -> dict[str, Any]:
    """Read the limits that make the results smaller than the study at published scale: empty if there are none.

    Parameters
    ----------
    results : Path
        The folder that holds ``scale.json``.

    Raises
    ------
    TableError
        If the record is missing or invalid.
    """
    path = results / SCALE
    try:
        scale = json.loads(path.read_text(encoding="utf-8"))
        return {name: scale[name] for name, values in PUBLISHED.items() if scale.get(name) not in values}
    except (OSError, ValueError, AttributeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise TableError(
            f"{path}: {why}; expected the scale of these verdicts, which Snakemake's job all_verdicts writes: "
            "run make quick or make reproduce again"
        ) from None
