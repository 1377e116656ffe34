"""End a simulation that takes too long, for instance because its policy never returns."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

#: Environment variable that tells jobs how many seconds a simulation may take; without it there is no limit.
LIMIT = "CAUSAL_BANDITS_TIME_LIMIT"
#: The limit where the configuration has none, in seconds; the longest simulation of the study takes 202.
DEFAULT = 3600.0
#: The function that the limit is for.
SIMULATE = "replication.pipeline.simulate:simulate"
#: Seconds until a simulation that goes on all the same is ended in a harder way.
GRACE = 5.0


class TimeLimitExceeded(ValueError):
    """A simulation took longer than it may.

    `replication.pipeline.simulate` adds experiment, policy and seed.
    """


@contextmanager
def limited(function: str, arguments: Mapping[str, Any]) -> Iterator[None]:
    """Limit how long a simulation may take; other functions are left alone.

    The limit counts seconds of wall time, and not those in which the machine sleeps. Plain Python is interrupted by an
    exception where it stands. If it catches the exception and goes on, the process ends `GRACE` seconds later. A
    compiled loop cannot be interrupted: the process ends two such times later, after the lines that it had reached.

    Parameters
    ----------
    function : str
        Import path; only `SIMULATE` is limited.
    arguments : mapping
        Those of the function.

    Raises
    ------
    TimeLimitExceeded
        Inside, wherever the simulation is.
    SystemExit
        There too, if the first exception was caught.
    """
    limit = os.environ.get(LIMIT)
    if function != SIMULATE or limit is None:
        yield
        return
    seconds, raised = float(limit), 0

    def interrupt(_signal: int, frame: FrameType | None) -> None:
        nonlocal raised
        raised += 1
        message = (
            f"still playing after {seconds:g} s, the time_limit of the configuration; does the policy loop for ever?"
        )
        if raised == 1:
            raise TimeLimitExceeded(message)
        job = arguments["job"]
        where = f"{job['experiment']}: policy {job['policy']}, seed {_seed(frame)}: {message}"
        if raised == 2:
            raise SystemExit(where)
        print(where, file=sys.stderr, flush=True)
        os._exit(1)

    handler = signal.signal(signal.SIGALRM, interrupt)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds, GRACE)
    faulthandler.dump_traceback_later(seconds + 3 * GRACE, exit=True, file=sys.stderr)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)


def _seed(frame: FrameType | None) -> str:
    """Return the seed that the simulation plays at the moment."""
    while frame is not None:
        if frame.f_globals.get("__name__") == SIMULATE.partition(":")[0] and "seed" in frame.f_locals:
            return str(frame.f_locals["seed"])
        frame = frame.f_back
    return "unknown"
