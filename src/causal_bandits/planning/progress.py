"""How far a run has come and how long it still takes, from Snakemake's own log of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from causal_bandits.planning.costs import Costs
from causal_bandits.planning.jobs import Job, PlanError, Run, read_run
from causal_bandits.planning.schedule import schedule

LOGS = Path(".snakemake/log")
#: The share of the work whose jobs say nothing yet of the pace: the first ones compile the kernels.
EARLY = 0.05
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

    The jobs to go are scheduled on the cores as if the machine were idle. How much longer they take, on a busy or
    slower machine and with all that Snakemake does between them, is what the jobs so far say.

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
    # Whoever runs longer than expected is nearly done, as far as one can tell.
    begun = {job: (now - run.begun[job]).total_seconds() for job in todo if job in run.begun}
    papers = {
        paper: (sum(job.paper == paper for job in done), sum(job.paper == paper for job in every.values()))
        for paper in sorted({job.paper for job in every.values()})
    }
    total, finished = sum(expected.values()), sum(expected[job] for job in done)
    if not done or finished < EARLY * total:
        return Progress(papers, finished / total, None)
    elapsed = (now - min(run.begun.values())).total_seconds()
    played = finished + sum(min(seconds, expected[job]) for job, seconds in begun.items())
    pace = max(elapsed, 1.0) * min(cores, len(every)) / played
    left = {job: max(expected[job] - begun.get(job, 0.0) / pace, 0.0) for job in todo}
    seconds = schedule(list(todo), left, dict.fromkeys(todo, 0.0), cores).seconds * pace
    return Progress(papers, finished / total, seconds)


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
