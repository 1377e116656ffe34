"""The jobs of a run, as Snakemake prints them: what a dry run would start, or what a real one has begun and ended."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

_BEGINS = re.compile(r"(?:local)?rule \w+:")
_ENDS = re.compile(r"Finished jobid: (\d+)\b")
_TIME = "[%a %b %d %H:%M:%S %Y]"


class PlanError(Exception):
    """No jobs can be listed; in one line."""


@dataclass(frozen=True)
class Job:
    """One job.

    Attributes
    ----------
    name : str
        Its log below the folder of logs, without suffix: ``simulate/lee2019/frontdoor/ts_pomis/0-249``.
    paper : str
        Empty where it serves all.
    seeds : int
        How many it plays; 0 where it plays none.
    inputs, outputs : tuple of str
    """

    name: str
    paper: str = ""
    seeds: int = 0
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The first part of its name."""
        return self.name.partition("/")[0]

    @property
    def series(self) -> str:
        """The name without the block of seeds: what jobs share that differ in nothing else."""
        return self.name.rpartition("/")[0] if self.seeds else self.name


@dataclass
class Run:
    """What a text of Snakemake's tells.

    Attributes
    ----------
    jobs : list of Job
        In order; those that make nothing (targets) are left out.
    begun, ended : dict
        When, by job.
    """

    jobs: list[Job] = field(default_factory=list)
    begun: dict[Job, datetime] = field(default_factory=dict)
    ended: dict[Job, datetime] = field(default_factory=dict)


def read_run(lines: Iterable[str]) -> Run:
    """The jobs of a dry run's output, or of the log of a running or finished one.

    A job that was begun again after a failure counts once, with its last times.
    """
    run, number, block, now = Run(), dict[str, Job](), dict[str, str](), datetime.min
    told = dict[str, Job]()
    margin = 0  # of the block's first line: jobs of a group are indented
    for line in [*lines, ""]:
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if block and text and indent > margin:
            key, _, value = text.partition(": ")
            block[key] = value
            continue
        if "log" in block:
            job = _job(block)
            if job.name not in told:
                told[job.name] = job
                run.jobs.append(job)
            number[block["jobid"]] = job = told[job.name]
            run.begun[job] = now
        block, margin = ({"rule": text}, indent) if _BEGINS.fullmatch(text) else ({}, 0)
        if text.startswith("[") and text.endswith("]"):
            try:
                now = datetime.strptime(text, _TIME)
            except ValueError:
                continue
        elif (ended := _ENDS.match(text)) and ended[1] in number:
            run.ended[number[ended[1]]] = now
    return run


def _job(block: dict[str, str]) -> Job:
    """A job, of what its block says; logs are ``<logs>/<kind>/<paper>/...``, or ``<logs>/<kind>`` for all."""
    wildcards = dict(re.findall(r"(paper|first|last)=(\w+)(?:, |$)", block.get("wildcards", "")))
    seeds = int(wildcards["last"]) - int(wildcards["first"]) + 1 if "first" in wildcards else 0
    parts = block["log"].removesuffix(".log").split("/")
    name = "/".join(parts[parts.index(wildcards["paper"]) - 1 :] if "paper" in wildcards else parts[-1:])
    files = (tuple(block[key].split(", ")) if key in block else () for key in ("input", "output"))
    return Job(name, wildcards.get("paper", ""), seeds, *files)


def planned(arguments: Sequence[str]) -> list[Job]:
    """The jobs that ``snakemake`` with ``arguments`` would start now.

    Raises
    ------
    PlanError
        If Snakemake cannot tell.
    """
    command = [sys.executable, "-m", "snakemake", *arguments, "--dry-run"]
    if not any(argument.startswith(("--cores", "-c", "-j", "--jobs")) for argument in arguments):
        command += ["--cores", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        # A dry run tells errors where it tells jobs; before it, as of an unknown option, they stand with warnings.
        why = (done.stdout.strip() or done.stderr.strip()).splitlines()[-3:]
        raise PlanError("\n".join([f"snakemake {' '.join(arguments)}:", *why]))
    return read_run((done.stdout + done.stderr).splitlines()).jobs
