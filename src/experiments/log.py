"""Redirect a job's output and traceback to its log."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path


@contextmanager
def logged(path: str | Path) -> Iterator[None]:
    """Redirect output to the file ``path``; an exception is written there once and ends the job."""
    with Path(path).open("w", encoding="utf-8") as log, redirect_stdout(log), redirect_stderr(log):
        try:
            yield
        except BaseException:
            traceback.print_exc(file=log)
            raise SystemExit(1) from None
