"""Seal figures and tables as text: a file beside the results says what they must hold.

A Parquet table has its checksums inside (`files`). A PNG or CSV has none: a digest of each is kept in a seal, with a
digest of all that they were made from. Without a seal that fits, the workflow makes them again: a damaged output, one
that somebody edited, one of older code, or the committed copy in a fresh clone.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from replication.pipeline.atomic import whole


def make(call: str, sealed: Sequence[str], seal_path: str, made_from: str, **arguments: Any) -> None:
    """Call a function that makes outputs, and seal them.

    Parameters
    ----------
    call : str
        Import path of the function.
    sealed : sequence of str
        The files that it makes.
    seal_path, made_from : str
        As `seal`.
    **arguments
        Of the function, by name.
    """
    module, _, name = call.partition(":")
    getattr(importlib.import_module(module), name)(**arguments)
    seal(sealed, seal_path, made_from)


def seal(outputs: Iterable[str | Path], path: str | Path, made_from: str) -> None:
    """Write the seal ``path`` of some outputs; ``made_from`` is a digest of what they were made from."""
    with whole(path) as temporary:
        temporary.write_text(json.dumps(_content(outputs, made_from), indent=1) + "\n", encoding="utf-8")


def is_broken(outputs: Iterable[str | Path], path: str | Path, made_from: str) -> bool:
    """Say whether outputs that are there are not those that the seal ``path`` was written for."""
    there = [Path(output) for output in outputs if Path(output).exists()]
    try:
        sealed = json.loads(Path(path).read_text(encoding="utf-8"))
        expected = {"made_from": made_from, "files": {out.name: sealed["files"][out.name] for out in there}}
        return bool(there) and _content(there, sealed["made_from"]) != expected
    except (OSError, ValueError, LookupError, TypeError):
        return bool(there)


def _content(outputs: Iterable[str | Path], made_from: str) -> dict[str, object]:
    digests = {Path(output).name: hashlib.blake2b(Path(output).read_bytes()).hexdigest()[:32] for output in outputs}
    return {"made_from": made_from, "files": digests}
