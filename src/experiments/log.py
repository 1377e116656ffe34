"""Send what a job prints, and its traceback, to its log."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path


@contextmanager
def logged(path: str | Path) -> Iterator[None]:
    """Send output to the file ``path``; a failure is written there, once, and ends the job."""
    with Path(path).open("w", encoding="utf-8") as log, redirect_stdout(log), redirect_stderr(log):
        try:
            yield
        except BaseException:
            traceback.print_exc(file=log)
            raise SystemExit(1) from None
