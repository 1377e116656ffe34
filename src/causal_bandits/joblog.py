"""What a job writes into its log: when it ran, how long, what it took, and the whole traceback if it failed."""

from __future__ import annotations

import resource
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

#: What `resource` counts the peak memory in: kB on Linux, bytes on macOS.
_PER_MB = 1e6 if sys.platform == "darwin" else 1e3


@contextmanager
def logged(path: str | Path) -> Iterator[None]:
    """Send output to the file ``path``; a failure is written there and raised again.

    The last line has the seconds since the first, and of the whole process the CPU seconds and the peak memory: exact,
    where a benchmark of Snakemake's samples them.
    """
    start = time.perf_counter()
    with Path(path).open("w") as log, redirect_stdout(log), redirect_stderr(log):
        print(f"started {time.strftime('%Y-%m-%dT%H:%M:%S%z')}", file=log, flush=True)
        try:
            yield
        except BaseException:
            traceback.print_exc(file=log)
            raise
        finally:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _PER_MB
            took = time.perf_counter() - start
            print(f"ended after {took:.2f} s; {time.process_time():.2f} s of CPU, {peak:.0f} MB", file=log)
