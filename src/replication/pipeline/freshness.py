"""Let contents decide what Snakemake makes again, where it would go by times or by records of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

#: An input of every job that makes something. A job whose output is not what it should be has to run again; the
#: workflow then hands it this file as a newer one (see `outdated`), and to all other jobs without its time.
MARK = Path(".snakemake/checked")
#: The time that outputs get that have to be made again, and the later one of the mark; both before any real output.
_OUTDATED, _MARKED = 86_400, 2 * 86_400


def begin(folders: Iterable[Path]) -> None:
    """Prepare a run: write the mark, and let no file below ``folders`` be of the future.

    A clock that ran ahead leaves files with times to come. Whatever is made afterwards would be older than these, and
    Snakemake would refuse it.
    """
    MARK.parent.mkdir(parents=True, exist_ok=True)
    MARK.write_text(f"{time.time_ns()}\n", encoding="utf-8")  # the same content would count as unchanged
    os.utime(MARK, (_MARKED, _MARKED))
    now = time.time()
    for folder in folders:
        for path in folder.rglob("*"):
            with suppress(OSError):  # gone meanwhile, or not ours to change
                if path.stat().st_mtime > now:
                    os.utime(path, (now, now))


def outdated(outputs: Iterable[str | Path]) -> None:
    """Make outputs look older than the mark."""
    for path in outputs:
        with suppress(OSError):
            os.utime(path, (_OUTDATED, _OUTDATED))
