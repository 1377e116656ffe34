"""Record what a run of Snakemake does, job by job.

`make progress` and `make estimate` read the file. Snakemake hands loggers events with typed fields
(`snakemake_interface_logger_plugins.common.LogEvent`). A plugin for them would have to be an installed package:
Snakemake looks for plugins before it reads the Snakefile, and so the code beside the Snakefile would not be the code
that runs. Therefore workflow/rules/common.smk adds a handler of Python's `logging` to Snakemake's logger. It gets the
same events.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from replication.tools.planning.jobs import Job

#: Environment variable with the file in which a dry run lists its jobs; a dry run without it records nothing.
LISTING = "CAUSAL_BANDITS_LISTING"
#: Folder of the records of real runs, beside Snakemake's own logs.
RECORDS = Path(".snakemake/log")
#: How the name of a record ends.
SUFFIX = ".jobs.jsonl"


class Recorder(logging.Handler):
    """Write one JSON line per event: a run's start, and a job's start and end.

    Parameters
    ----------
    path : Path, optional
        The file to write. By default a new file below `RECORDS`, which is made when a run really starts; a dry run
        makes none.
    """

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        self.path = path

    def emit(self, record: logging.LogRecord) -> None:
        """Write an event, if it is one of the three."""
        try:
            told = _told(record)
            if told and "cores" in told and self.path is None:
                RECORDS.mkdir(parents=True, exist_ok=True)
                now = datetime.fromtimestamp(record.created)
                self.path = RECORDS / f"{now:%Y-%m-%dT%H%M%S.%f}{SUFFIX}"
            if told and self.path is not None:
                with self.path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"time": record.created, **told}) + "\n")
        except OSError:  # a full disk: the run itself says so, where it writes results
            self.handleError(record)


def _told(record: logging.LogRecord) -> dict[str, Any]:
    """Select the fields of an event that are recorded; empty for all other records."""
    said, event = vars(record), str(getattr(record, "event", None))
    cores = said.get("cores") or said.get("nodes")
    if event == "resources_info" and cores:
        return {"event": event, "arguments": sys.argv[1:], "cores": cores}
    if event == "job_info":
        files = {name: list(said[name] or ()) for name in ("input", "output", "log")}
        return {"event": event, "job": said["jobid"], "wildcards": dict(said["wildcards"] or {}), **files}
    if event == "job_finished":
        return {"event": event, "job": said["job_id"]}
    return {}


def record_jobs(logger: logging.Logger) -> None:
    """Record the events of a run that ``logger``, Snakemake's, is told of."""
    listing = os.environ.get(LISTING)
    logger.addHandler(Recorder(Path(listing) if listing else None))


@dataclass
class Run:
    """What a record says of a run.

    Attributes
    ----------
    arguments : list of str
        Of the command ``snakemake``.
    cores : int
        0 for a dry run.
    jobs : list of Job
        In order; those that make nothing (targets) are left out.
    begun, ended : dict
        When, by job.
    """

    arguments: list[str] = field(default_factory=list)
    cores: int = 0
    jobs: list[Job] = field(default_factory=list)
    begun: dict[Job, datetime] = field(default_factory=dict)
    ended: dict[Job, datetime] = field(default_factory=dict)


def read_run(lines: Iterable[str]) -> Run:
    """Read a record; its last line may be cut off while the run goes on.

    A job that was started again after a failure counts once, with its last times.
    """
    run, number, known = Run(), dict[int, Job](), dict[str, Job]()
    for line in lines:
        if not line.endswith("\n"):
            break
        told = json.loads(line)
        now = datetime.fromtimestamp(told["time"])
        if told["event"] == "resources_info":
            run.arguments, run.cores = told["arguments"], told["cores"]
        elif told["event"] == "job_info" and told["log"]:
            job = _job(told)
            if job.name not in known:
                known[job.name] = job
                run.jobs.append(job)
            number[told["job"]] = job = known[job.name]
            run.begun[job] = now
        elif told["event"] == "job_finished" and told["job"] in number:
            run.ended[number[told["job"]]] = now
    return run


def _job(told: dict[str, Any]) -> Job:
    """Make a job of what an event says.

    Logs are ``<logs>/<kind>/<paper>/...``, or ``<logs>/<kind>`` for all papers.
    """
    wildcards = told["wildcards"]
    seeds = int(wildcards["last"]) - int(wildcards["first"]) + 1 if "first" in wildcards else 0
    parts = told["log"][0].removesuffix(".log").split("/")
    name = "/".join(parts[parts.index(wildcards["paper"]) - 1 :] if "paper" in wildcards else parts[-1:])
    return Job(name, wildcards.get("paper", ""), seeds, tuple(told["input"]), tuple(told["output"]))
