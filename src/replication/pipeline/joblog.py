"""Log a job: when it ran, how long, what it took, and the whole traceback if it failed."""

from __future__ import annotations

import re
import resource
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

_STATUS = Path("/proc/self/status")
_ENDED = re.compile(r"ended after ([\d.]+) s; ([\d.]+) s of CPU, (\d+) MB")


class Taken(NamedTuple):
    """What a job took, as its log says.

    Attributes
    ----------
    seconds, cpu : float
        From its first line to its last; of CPU, of the whole process.
    peak_mb : float
        The most memory that the process held.
    """

    seconds: float
    cpu: float
    peak_mb: float


def taken(path: Path) -> Taken | None:
    """Read what a job took from its log; None where it has not ended."""
    ended = _ENDED.search(path.read_text(errors="replace"))
    return ended and Taken(*map(float, ended.groups()))


def _peak_mb() -> float:
    """Return the most memory that this process has held, in MB.

    On Linux not that of `resource`, which begins with what the process held that started this one: Snakemake, 430 MB.
    """
    if _STATUS.exists():
        (line,) = (line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024 / 1e6
    per_mb = 1e6 if sys.platform == "darwin" else 1e3  # bytes on macOS, else kB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / per_mb


@contextmanager
def logged(path: str | Path) -> Iterator[None]:
    """Send output to the file ``path``; a failure is written there and raised again.

    The last line has the seconds since the first, and of the whole process the CPU seconds and the peak memory (see
    `taken`). Snakemake's benchmarks would sample them, of the process that asks for a job instead of the job's own.
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
            took = time.perf_counter() - start
            print(f"ended after {took:.2f} s; {time.process_time():.2f} s of CPU, {_peak_mb():.0f} MB", file=log)
