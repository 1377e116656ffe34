"""The jobs of a dry run, and Snakemake's own words where it fails."""

import subprocess
from pathlib import Path

import pytest

from replication.tools.planning import dry_run
from replication.tools.planning.dry_run import planned
from replication.tools.planning.events import LISTING
from replication.tools.planning.jobs import Job, PlanError

EVENT = (
    '{"time": 0, "event": "job_info", "job": 1, "wildcards": {}, "input": [], "output": ["x"], "log": ["logs/x.log"]}'
)


@pytest.fixture
def answering(monkeypatch):
    """Put a made-up Snakemake in place, which ends with a status, prints, and records one job where it ends well."""

    def put(status, says="", warns="Using workflow specific profile\n", records=True):
        def run(command, env, **_):
            asked.append(command[3:])
            if records and not status:
                Path(env[LISTING]).write_text(EVENT + "\n")
            return subprocess.CompletedProcess(command, status, stdout=says, stderr=warns)

        monkeypatch.setattr(dry_run.subprocess, "run", run)
        return asked

    asked = []
    return put


def test_jobs_are_listed_whatever_the_arguments(answering):
    asked = answering(0)
    assert planned(["--", "lee2019"]) == planned(["-c4"]) == [Job("x", outputs=("x",))]
    assert asked == [["--dry-run", "--cores", "1", "--", "lee2019"], ["--dry-run", "-c4"]]
    answering(0, "Nothing to be done.\n", records=False)
    assert planned([]) == []


def test_snakemakes_own_words_are_told_where_it_fails(answering):
    answering(1, "Building DAG of jobs...\nMissingRuleException:\nNo rule to produce lee2091\n")
    with pytest.raises(PlanError, match=r"^snakemake lee2091:\n.*\nMissingRuleException:\nNo rule to produce lee2091$"):
        planned(["lee2091"])
    answering(2, "", "usage: snakemake\nerror: ambiguous option: --confi\n")
    with pytest.raises(PlanError, match=r"error: ambiguous option: --confi$"):
        planned(["--confi"])


REMOVED = "figures/a.csv although it existed before. It could be that a concurrent process has deleted it.\n"


def test_a_plan_is_tried_again_where_a_run_removed_a_file_meanwhile(monkeypatch):
    answers = [(1, REMOVED), (1, REMOVED), (0, "")]

    def run(command, env, **_):
        status, says = answers.pop(0)
        if not status:
            Path(env[LISTING]).write_text(EVENT + "\n")
        return subprocess.CompletedProcess(command, status, stdout=says, stderr="")

    monkeypatch.setattr(dry_run.subprocess, "run", run)
    assert planned([]) == [Job("x", outputs=("x",))]
    assert answers == []


def test_a_plan_that_is_always_spoilt_says_why(answering):
    asked = answering(1, REMOVED)
    with pytest.raises(PlanError, match="a concurrent process has deleted it"):
        planned([])
    assert len(asked) == dry_run.TRIES
