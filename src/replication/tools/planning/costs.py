"""The table of what jobs took (data/reference/jobs.csv), and what jobs to come are expected to take."""

from __future__ import annotations

import csv
import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from experiments.atomic import whole
from experiments.joblog import taken
from replication.tools.planning.jobs import Job

TABLE = Path("data/reference/jobs.csv")
COLUMNS = ("series", "jobs", "seeds", "seconds", "peak_mb")


@dataclass(frozen=True)
class Cost:
    """What all jobs of one series took together.

    Attributes
    ----------
    jobs, seeds : int
    seconds : float
        Of CPU.
    peak_mb : float
        Of the largest.
    """

    jobs: int
    seeds: int
    seconds: float
    peak_mb: float


class Costs:
    """Predict what a job takes from what jobs of its series took, or of its kind.

    Parameters
    ----------
    measured : dict
        By series of jobs (`Job.series`).

    Raises
    ------
    ValueError
        If ``measured`` is empty.
    """

    def __init__(self, measured: dict[str, Cost]) -> None:
        if not measured:
            raise ValueError("no times of jobs were measured; expected at least one")
        self.measured = measured
        #: Seconds that any job takes: those of the cheapest.
        self.start = min(cost.seconds / cost.jobs for cost in measured.values())
        kinds = defaultdict[str, list[Cost]](list)
        for series, cost in measured.items():
            kinds[series.partition("/")[0]].append(cost)
        self._kinds = {kind: _typical(costs) for kind, costs in kinds.items()} | {"": _typical(measured.values())}

    def known(self, job: Job) -> bool:
        """Say whether the job's own series was measured; otherwise it is taken as the median of its kind."""
        return job.series in self.measured

    def seconds(self, job: Job) -> float:
        """Predict CPU seconds: those that any job takes, and the rest in proportion to the seeds."""
        cost = self._of(job)
        each = cost.seconds / cost.jobs
        if not (job.seeds and cost.seeds):
            return each
        return self.start + (each - self.start) * job.seeds * cost.jobs / cost.seeds

    def peak_mb(self, job: Job) -> float:
        """Predict peak memory, in MB."""
        return self._of(job).peak_mb

    def _of(self, job: Job) -> Cost:
        return self.measured.get(job.series) or self._kinds.get(job.kind) or self._kinds[""]


def _typical(costs: Iterable[Cost]) -> Cost:
    """Make a cost of the medians per job."""
    every = list(costs)
    seeds = round(statistics.median(cost.seeds / cost.jobs for cost in every))
    seconds = statistics.median(cost.seconds / cost.jobs for cost in every)
    return Cost(1, seeds, seconds, statistics.median(cost.peak_mb for cost in every))


def measured(logs: Path, jobs: Iterable[Job]) -> dict[str, Cost]:
    """Collect what jobs took from their logs in a folder; logs of other jobs there are ignored."""
    found = defaultdict[str, list[Cost]](list)
    for job in jobs:
        log = logs / f"{job.name}.log"
        if log.exists() and (took := taken(log)):
            found[job.series].append(Cost(1, job.seeds, took.cpu, took.peak_mb))
    return {
        series: Cost(
            len(costs), sum(c.seeds for c in costs), sum(c.seconds for c in costs), max(c.peak_mb for c in costs)
        )
        for series, costs in found.items()
    }


def write_costs(costs: dict[str, Cost], path: Path) -> None:
    """Write the table, whole or not at all."""
    with whole(path) as temporary, temporary.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for series, cost in sorted(costs.items()):
            table.writerow([series, cost.jobs, cost.seeds, f"{cost.seconds:.1f}", f"{cost.peak_mb:.0f}"])


def read_costs(path: Path) -> dict[str, Cost]:
    """Read the table."""
    with path.open(newline="") as file:
        return {
            row["series"]: Cost(int(row["jobs"]), int(row["seeds"]), float(row["seconds"]), float(row["peak_mb"]))
            for row in csv.DictReader(file)
        }
