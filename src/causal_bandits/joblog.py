"""What a job writes into its log: when it ran, how long, and the whole traceback if it failed."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path


@contextmanager
def logged(path: str | Path) -> Iterator[None]:
    """Send output to the file ``path``; a failure is written there and raised again."""
    start = time.perf_counter()
    with Path(path).open("w") as log, redirect_stdout(log), redirect_stderr(log):
        print(f"started {time.strftime('%Y-%m-%dT%H:%M:%S%z')}", file=log)
        try:
            yield
        except BaseException:
            traceback.print_exc(file=log)
            raise
        finally:
            print(f"ended after {time.perf_counter() - start:.2f} s", file=log)
