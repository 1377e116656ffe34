"""Say how far a run has come and how long it still takes, from the record of its jobs (see `events`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
from scipy.optimize import nnls

from replication.tools.planning.costs import Costs
from replication.tools.planning.events import RECORDS, SUFFIX, Run, read_run
from replication.tools.planning.jobs import Job, PlanError
from replication.tools.planning.schedule import schedule

#: Share of the work whose jobs are no measure of the pace yet: the first ones compile the kernels.
EARLY = 0.05
#: Seconds below which jobs count as equally long: their times are mostly the start of a process.
SHORT = 1.0
#: The least share of the cores' time that jobs are taken to fill: a run that stood still goes on some time.
FILLED = 0.05


@dataclass(frozen=True)
class Progress:
    """How far a run has come.

    Attributes
    ----------
    papers : dict
        Number of jobs done and of all jobs, by paper; jobs for all papers stand under the empty name.
    work : float
        Share of the expected CPU seconds that is done.
    left : float or None
        Seconds to go; None where too little is done to tell.
    """

    papers: dict[str, tuple[int, int]]
    work: float
    left: float | None


def progress(run: Run, todo: Sequence[Job], costs: Costs, cores: int, now: datetime) -> Progress:
    """Say how far a run has come.

    The remaining jobs are scheduled on the cores. Each takes the seconds that jobs of its cost took lately, and jobs
    fill the share of the cores' time that they filled lately.

    Parameters
    ----------
    run : Run
        What its record says.
    todo : sequence of Job
        Jobs that are not done, running ones too.
    costs : Costs
    cores : int
    now : datetime
    """
    every = {job.name: job for job in [*run.ended, *todo]}
    done = [job for job in every.values() if job in run.ended]
    expected = {job: costs.seconds(job) for job in every.values()}
    papers = {
        paper: (sum(job.paper == paper for job in done), sum(job.paper == paper for job in every.values()))
        for paper in sorted({job.paper for job in every.values()})
    }
    total, finished = sum(expected.values()), sum(expected[job] for job in done)
    if not done or finished < EARLY * total:
        return Progress(papers, finished / total, None)
    begun = {job: (now - run.begun[job]).total_seconds() for job in todo if job in run.begun}
    pace = _pace(run, [run.begun[job] for job in begun], expected, min(cores, len(every)), now)
    # A job that already runs longer than expected is taken to be nearly done.
    left = {job: max(pace.seconds(expected[job]) - begun.get(job, 0.0), 0.0) for job in todo}
    seconds = schedule(list(todo), left, dict.fromkeys(todo, 0.0), cores).seconds / pace.filled
    return Progress(papers, finished / total, seconds)


@dataclass(frozen=True)
class _Pace:
    """How fast jobs go.

    A job takes ``start`` seconds and ``each`` per expected CPU second; jobs fill ``filled`` of the cores' time.
    """

    start: float
    each: float
    filled: float

    def seconds(self, expected: float) -> float:
        return self.start + self.each * expected


def _pace(run: Run, running: Sequence[datetime], expected: Mapping[Job, float], cores: int, now: datetime) -> _Pace:
    """Measure the pace in the later half of the time.

    The first jobs compile kernels, and other work on the machine comes and goes.
    """
    first = min(run.begun.values())
    since = now - (now - first) / 2
    late = [job for job in run.ended if job in run.begun and job in expected and run.ended[job] > since]
    if not late:  # one long job: all that is known
        since, late = first, list(run.ended)
    took = np.array([(run.ended[job] - run.begun[job]).total_seconds() for job in late])
    cost = np.array([expected[job] for job in late])
    # A job's time scatters with its length, so that its square is weighted by the reciprocal.
    weight = 1 / np.sqrt(np.maximum(cost, SHORT))
    (start, each), _ = nnls(np.column_stack([weight, weight * cost]), weight * took)
    busy = [run.ended[job] - max(run.begun[job], since) for job in late] + [now - max(time, since) for time in running]
    filled = sum(busy, timedelta()) / ((now - since) * cores)
    return _Pace(float(start), float(each), min(max(filled, FILLED), 1.0))


def newest(folder: Path) -> Run:
    """Read the record of the newest run in a folder.

    Raises
    ------
    PlanError
        If there is none.
    """
    for record in sorted((folder / RECORDS).glob(f"*{SUFFIX}"), reverse=True):
        with record.open(encoding="utf-8") as file:
            return read_run(file)
    raise PlanError(f"no run is recorded in {folder / RECORDS}")
