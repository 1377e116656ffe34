"""The scale at which a study was run, which its job of all verdicts records beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.atomic import whole
from replication.judging.verdict_tables import TableError

#: The name of the record, in the folder of results.
SCALE = "scale.json"
#: Values of ``scale`` with which a study is no smaller than the published ones.
PUBLISHED = {"horizon": (None,), "replicates": (None,), "when": (None, "whole", "asked")}


def write(scale: Mapping[str, Any], path: str | Path) -> None:
    """Record the ``scale`` of a study's configuration, whole or not at all."""
    with whole(path) as temporary:
        temporary.write_text(json.dumps(dict(scale)) + "\n", encoding="utf-8")


def limits(results: Path) -> dict[str, Any]:
    """Read in what the results are smaller than the study at published scale: nothing if they are not.

    Parameters
    ----------
    results : Path
        The folder that holds ``scale.json``.

    Raises
    ------
    TableError
        If there is no record, or it is none.
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
