"""How far a run has come and how long it still takes, from Snakemake's own log of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
from scipy.optimize import nnls

from replication.tools.planning.costs import Costs
from replication.tools.planning.jobs import Job, PlanError, Run, read_run
from replication.tools.planning.schedule import schedule

LOGS = Path(".snakemake/log")
#: The share of the work whose jobs say nothing yet of the pace: the first ones compile the kernels.
EARLY = 0.05
#: Seconds below which jobs count as equally long, since the log's times are whole seconds.
SHORT = 1.0
#: The least share of the cores' time that jobs can fill: less cannot be told from times of whole seconds.
FILLED = 0.05
_COMMAND = re.compile(r"^  Command: .*?snakemake(?:/__main__\.py)?(?= |$)(.*)$", re.MULTILINE)
_CORES = re.compile(r"^Provided (?:cores|remote nodes): (\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Progress:
    """Where a run stands.

    Attributes
    ----------
    papers : dict
        Jobs done and jobs in all, by paper; jobs for all papers stand under the empty name.
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

    The jobs to go are scheduled on the cores, each with the seconds that jobs of its cost took of late, and with what
    of the cores' time jobs filled of late.

    Parameters
    ----------
    run : Run
        What its log says.
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
    # Whoever runs longer than expected is nearly done, as far as one can tell.
    left = {job: max(pace.seconds(expected[job]) - begun.get(job, 0.0), 0.0) for job in todo}
    seconds = schedule(list(todo), left, dict.fromkeys(todo, 0.0), cores).seconds / pace.filled
    return Progress(papers, finished / total, seconds)


@dataclass(frozen=True)
class _Pace:
    """Seconds of a job: ``start`` and ``each`` for every expected CPU second; ``filled``: share of the cores' time."""

    start: float
    each: float
    filled: float

    def seconds(self, expected: float) -> float:
        return self.start + self.each * expected


def _pace(run: Run, running: Sequence[datetime], expected: Mapping[Job, float], cores: int, now: datetime) -> _Pace:
    """The pace of the later half of the time: first jobs compile kernels, and a machine's other work comes and goes."""
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


@dataclass(frozen=True)
class Command:
    """How the newest run was started.

    Attributes
    ----------
    arguments : list of str
    cores : int
    run : Run
    """

    arguments: list[str]
    cores: int
    run: Run


def newest(folder: Path) -> Command:
    """The newest run that Snakemake logged below a folder.

    Raises
    ------
    PlanError
        If there is none.
    """
    for log in sorted((folder / LOGS).glob("*.snakemake.log"), reverse=True):
        with log.open(errors="replace") as file:
            lines = file.readlines()
        told = "".join(lines[:60])
        command, cores = _COMMAND.search(told), _CORES.search(told)
        if command and cores:
            return Command(command[1].split(), int(cores[1]), read_run(lines))
    raise PlanError(f"no run of Snakemake in {folder / LOGS}")
