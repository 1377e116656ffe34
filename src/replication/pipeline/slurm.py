"""Keep watching SLURM's jobs with `squeue` while the controller does not answer.

Snakemake's plugin for SLURM asks the controller at every look at the jobs how long it remembers those that have ended.
Where no answer comes it takes `sacct` instead of the command that the profile names, although `sacct` says nothing on a
cluster without accounting; it then forgets its jobs and waits for ever (docs/upstream/slurm-status-fallback.md).
Here the controller is asked once, at the start.
"""

from __future__ import annotations

import subprocess
from types import ModuleType

#: The plugin looks at the jobs for the first time after so many of its intervals at most.
INTERVALS = 3


class SlurmError(RuntimeError):
    """Why jobs of this cluster could not be watched."""


def watch_with_squeue(plugin: ModuleType, interval: int) -> None:
    """Let the plugin keep the answer that the controller gives now.

    Parameters
    ----------
    plugin : module
        ``snakemake_executor_plugin_slurm``.
    interval : int
        Seconds between the plugin's looks at its jobs while some end, its ``init_seconds_before_status_checks``.

    Raises
    ------
    SlurmError
        If the controller does not answer, or forgets jobs that have ended before the plugin looks and nothing else
        remembers them.
    """
    remembers = plugin.get_min_job_age()
    if remembers is None:
        raise SlurmError("`scontrol show config` says no MinJobAge; expected a SLURM controller that answers")
    if remembers < INTERVALS * interval and not _has_accounting():
        raise SlurmError(
            f"SLURM's MinJobAge is {remembers} s, and it keeps no accounts: how a job ended is soon forgotten;"
            f" expected at least {INTERVALS * interval} s, or accounting. profiles/slurm/allocation.sh needs neither"
        )
    setattr(plugin, "get_min_job_age", lambda: remembers)  # noqa: B010 - a module's name, which mypy does not know


def _has_accounting() -> bool:
    """Say whether the cluster keeps accounts, which `sacct` reads."""
    done = subprocess.run(["scontrol", "show", "config"], capture_output=True, text=True, check=True, timeout=60)
    settings = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    stored = {key.strip(): value.strip() for key, value in settings.items()}.get("AccountingStorageType", "")
    return bool(stored) and not stored.endswith("none")
