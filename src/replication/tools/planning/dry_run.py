"""List the jobs that Snakemake would start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from replication.tools.planning.events import LISTING, read_run
from replication.tools.planning.jobs import Job, PlanError

#: What Snakemake says where a run beside it removes an output, to make it anew, between two looks at it.
_REMOVED = "a concurrent process has deleted it"
#: How often a plan is tried that this spoils.
TRIES = 5


def planned(arguments: Sequence[str]) -> list[Job]:
    """List the jobs that ``snakemake`` with ``arguments`` would start now.

    Raises
    ------
    PlanError
        If Snakemake refuses; with the last lines that it prints.
    """
    # First, since arguments may end with targets after `--`.
    command = [sys.executable, "-m", "snakemake", "--dry-run"]
    if not any(argument.startswith(("--cores", "-c", "-j", "--jobs")) for argument in arguments):
        command += ["--cores", "1"]
    with tempfile.TemporaryDirectory(prefix="listing-") as folder:
        listing = Path(folder) / "jobs"
        for _ in range(TRIES):
            done = subprocess.run(
                [*command, *arguments],
                env={**os.environ, LISTING: str(listing)},
                capture_output=True,
                text=True,
                check=False,
            )
            if not (done.returncode and _REMOVED in done.stdout + done.stderr):
                break
        if done.returncode:
            # Errors of a dry run stand where it prints jobs; those before it, as of an unknown option, among warnings.
            why = (done.stdout.strip() or done.stderr.strip()).splitlines()[-3:]
            raise PlanError("\n".join([f"snakemake {' '.join(arguments)}:", *why]))
        if not listing.exists():  # no job, no event
            return []
        with listing.open(encoding="utf-8") as file:
            return read_run(file).jobs
