"""The plugin of Snakemake forgets a job of SLURM while the controller is away. Prints what is wrong, or "mended"."""

import asyncio
import logging
import os
import tempfile
from pathlib import Path
from types import SimpleNamespace

from snakemake_executor_plugin_slurm import Executor

#: A cluster without accounting whose controller has just come back: it did not answer `scontrol` yet, and answers
#: `squeue` now.
COMMANDS = {
    "scontrol": "echo 'slurm_load_ctl_conf error: Unable to contact slurm controller' >&2; exit 1",
    "sacct": "echo 'Slurm accounting storage is disabled' >&2; exit 1",
    "squeue": "echo '1|COMPLETED'",
}


class Limiter:
    """A limit of the rate of queries that lets all pass."""

    async def __aenter__(self) -> None: ...

    async def __aexit__(self, *_: object) -> None: ...


def looked_at() -> tuple[list[str], list[str]]:
    """Let the plugin look once at a job that has ended; returns the jobs that have ended, and those that it keeps."""
    ended: list[str] = []
    executor = Executor.__new__(Executor)
    settings = SimpleNamespace(
        status_command="squeue",
        status_attempts=2,
        init_seconds_before_status_checks=40,
        keep_successful_logs=True,
    )
    executor.__dict__ |= {
        "workflow": SimpleNamespace(executor_settings=settings),
        "logger": logging.getLogger("slurm"),
        "run_uuid": "run",
        "status_rate_limiter": Limiter(),
        "report_job_success": lambda job: ended.append(job.external_jobid),
        "_next_seconds_between_status_checks": 40,
        "_status_query_calls": 0,
        "_status_query_failures": 0,
        "_status_query_total_seconds": 0.0,
        "_status_query_min_seconds": None,
        "_status_query_max_seconds": 0.0,
        "_status_query_cycle_rows": [],
    }
    job = SimpleNamespace(external_jobid="1", aux={})

    async def look() -> list[str]:
        return [kept.external_jobid async for kept in executor.check_active_jobs([job])]

    with tempfile.TemporaryDirectory() as folder:
        for name, text in COMMANDS.items():
            command = Path(folder) / name
            command.write_text(f"#!/bin/sh\n{text}\n")
            command.chmod(0o755)
        before = os.environ["PATH"]
        os.environ["PATH"] = f"{folder}:{before}"
        try:
            return ended, asyncio.run(look())
        finally:
            os.environ["PATH"] = before


def defect() -> str | None:
    """A job that ended is reported, or kept for the next look; the next look knows of kept jobs only."""
    ended, kept = looked_at()
    return None if ended or kept else "the job is neither reported as ended nor kept; expected that it has ended"


if __name__ == "__main__":
    print(defect() or "mended")
