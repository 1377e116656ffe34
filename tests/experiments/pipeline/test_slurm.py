"""Jobs of SLURM are watched with the command that the profile names, also while the controller is away."""

import os
import runpy
from pathlib import Path

import pytest
import snakemake_executor_plugin_slurm as plugin

from experiments.slurm import SlurmError, watch_with_squeue

REPORT = Path(__file__).parents[3] / "docs/upstream/slurm-status-fallback.py"


@pytest.fixture
def controller(tmp_path, monkeypatch):
    """Let `scontrol show config` print something, or fail; the plugin is as before afterwards."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(plugin, "get_min_job_age", plugin.get_min_job_age)

    def says(text):
        command = tmp_path / "scontrol"
        command.write_text("#!/bin/sh\nexit 1\n" if text is None else f"#!/bin/sh\ncat <<'E'\n{text}\nE\n")
        command.chmod(0o755)

    return says


def configuration(age, accounts="none"):
    return f"AccountingStorageType   = accounting_storage/{accounts}\nMinJobAge               = {age} sec\n"


def test_a_job_is_kept_in_sight_while_the_controller_is_away(controller):
    looked_at = runpy.run_path(str(REPORT))["looked_at"]
    assert looked_at() == ([], []), "the plugin has been mended: see the report"
    controller(configuration(300))
    watch_with_squeue(plugin, 10)
    controller(None)
    assert plugin.get_min_job_age() == 300
    assert looked_at() == (["1"], [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "says no MinJobAge; expected a SLURM controller that answers"),
        ("", "says no MinJobAge"),
        (configuration(20), "MinJobAge is 20 s, and it keeps no accounts: .* expected at least 30 s, or accounting"),
    ],
)
def test_jobs_that_cannot_be_watched_are_not_submitted(controller, text, message):
    controller(text)
    with pytest.raises(SlurmError, match=message):
        watch_with_squeue(plugin, 10)


def test_with_accounting_a_short_memory_does_not_matter(controller):
    controller(configuration(2, accounts="slurmdbd"))
    watch_with_squeue(plugin, 10)
    assert plugin.get_min_job_age() == 2
