"""Predict, follow or measure the jobs of a run.

Call: ``python -m replication.tools.planning estimate|progress|measure``. ``estimate`` (`make estimate`) counts the jobs
that are not done, their CPU minutes, and minutes and memory on N cores. All further arguments are Snakemake's, so that
``lee2019`` or ``--configfile config/quick.yaml`` choose a part. ``progress`` (`make progress`) says how far the newest
run in this folder is. ``measure`` (`make reference`) writes the table on which both rest, from the logs of all jobs of
the study, those on request included.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from replication.tools.planning.costs import TABLE, Costs, measured, read_costs, write_costs
from replication.tools.planning.dry_run import planned
from replication.tools.planning.jobs import Job, PlanError
from replication.tools.planning.progress import newest, progress
from replication.tools.planning.schedule import schedule


def estimated(jobs: Sequence[Job], costs: Costs, cores: Sequence[int]) -> str:
    """Describe jobs to do: their number and CPU minutes, then minutes and memory by number of cores."""
    seconds = {job: costs.seconds(job) for job in jobs}
    memory = {job: costs.peak_mb(job) for job in jobs}
    unknown = sum(not costs.known(job) for job in jobs)
    guessed = f"; {unknown} of them never measured, taken as the median of their kind" if unknown else ""
    lines = [f"{len(jobs)} jobs to do, {sum(seconds.values()) / 60:.1f} CPU minutes{guessed}"]
    if jobs:
        lines.append(f"one job holds at most {max(memory.values()) / 1000:.1f} GB")
        lines.append("cores  minutes  GB at most, of all jobs at a time")
    for n in cores if jobs else ():
        found = schedule(jobs, seconds, memory, n)
        lines.append(f"{n:5d}  {found.seconds / 60:7.1f}  {found.peak_mb / 1000:.1f}")
    return "\n".join(lines)


def told(folder: Path, costs: Costs) -> str:
    """Describe the newest run: jobs done by paper, the share of the work, and the time that is left."""
    run = newest(folder)
    todo = planned(run.arguments)
    found = progress(run, todo, costs, run.cores, datetime.now())
    width = max(map(len, found.papers), default=0)
    lines = [f"{paper or 'all':{width}}  {done:4d} of {every} jobs" for paper, (done, every) in found.papers.items()]
    left = "too early to say how long" if found.left is None else f"about {found.left / 60:.0f} minutes to go"
    return "\n".join([*lines, f"{found.work:.0%} of the work is done; {left}" if todo else "all is done"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is asked for; returns 0, or 1 if Snakemake cannot list its jobs."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.planning", description=__doc__)
    parser.add_argument("what", choices=("estimate", "progress", "measure"))
    parser.add_argument(
        "--on", type=int, default=os.cpu_count() or 1, metavar="N", help="cores; default: this machine's"
    )
    parser.add_argument("--logs", type=Path, default=Path("logs"), help="what `measure` reads")
    known, snakemake = parser.parse_known_args(arguments)
    try:
        if known.what == "measure":
            jobs = planned(["--forceall", "--configfile", "config/everything.yaml"])
            write_costs(found := measured(known.logs, jobs), TABLE)
            print(f"measure: {sum(cost.jobs for cost in found.values())} jobs of {known.logs} into {TABLE}")
            return 0
        costs = Costs(read_costs(TABLE))
        if known.what == "estimate":
            print(estimated(planned(snakemake), costs, [known.on * 2**i for i in range(4)]))
        else:
            print(told(Path.cwd(), costs))
    except PlanError as error:
        print(f"{known.what}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
