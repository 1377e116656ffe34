"""Schedule jobs on N cores: each starts, in their order, once a core is free and its inputs are made."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from replication.tools.planning.jobs import Job


@dataclass(frozen=True)
class Schedule:
    """How long a schedule takes and how much memory it needs.

    Attributes
    ----------
    seconds : float
        From the first start to the last end.
    peak_mb : float
        The most memory that jobs hold at one time.
    """

    seconds: float
    peak_mb: float


def schedule(jobs: Sequence[Job], seconds: Mapping[Job, float], peak_mb: Mapping[Job, float], cores: int) -> Schedule:
    """Schedule jobs, each on one core, by list scheduling.

    Parameters
    ----------
    jobs : sequence of Job
        In order of preference. A job waits for the jobs that make its inputs; inputs that no job makes are there.
    seconds, peak_mb : mapping
        Of every job.
    cores : int
        At least 1.

    Raises
    ------
    ValueError
        If there is no core, or jobs wait for each other in a circle.
    """
    if cores < 1:
        raise ValueError(f"{cores} cores; expected at least 1")
    maker = {output: job for job in jobs for output in job.outputs}
    waits = {job: {maker[file] for file in job.inputs if file in maker} for job in jobs}
    feeds = defaultdict[Job, list[Job]](list)
    for job, makers in waits.items():
        for other in makers:
            feeds[other].append(job)
    place = {job: position for position, job in enumerate(jobs)}
    ready = [place[job] for job in jobs if not waits[job]]
    heapq.heapify(ready)
    running: list[tuple[float, int]] = []
    now, held, peak, ended = 0.0, 0.0, 0.0, 0
    while ready or running:
        while ready and len(running) < cores:
            job = jobs[heapq.heappop(ready)]
            heapq.heappush(running, (now + seconds[job], place[job]))
            held += peak_mb[job]
        peak = max(peak, held)
        now, position = heapq.heappop(running)
        done, ended = jobs[position], ended + 1
        held -= peak_mb[done]
        for job in feeds[done]:
            waits[job].discard(done)
            if not waits[job]:
                heapq.heappush(ready, place[job])
    if ended < len(jobs):
        raise ValueError(f"{len(jobs) - ended} jobs wait for each other")
    return Schedule(now, peak)
