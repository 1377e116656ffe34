"""Jobs and their times, from the events that Snakemake hands to loggers."""

import logging
import sys
from datetime import datetime

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from replication.tools.planning.events import LISTING, RECORDS, Recorder, read_run, record_jobs

STARTED = {"event": LogEvent.RESOURCES_INFO, "cores": 2}
PLAYED = {
    "event": LogEvent.JOB_INFO,
    "jobid": 78,
    "input": ["data/networks/sachs.bif.gz"],
    "output": ["results/lee2019/sixvar/runs/ts,c=0.5/250-499.parquet"],
    "log": ["logs/simulate/lee2019/sixvar/ts,c=0.5/250-499.log"],
    "wildcards": {"paper": "lee2019", "experiment": "sixvar", "policy": "ts,c=0.5", "first": "250", "last": "499"},
}
JUDGED = {
    "event": LogEvent.JOB_INFO,
    "jobid": 3,
    "input": ["results/lee2019/verdicts.csv", "results/lu2021/verdicts.csv"],
    "output": ["results/verdicts.csv"],
    "log": ["logs/quick/all_verdicts.log"],
    "wildcards": None,
}
TARGET = {**JUDGED, "jobid": 0, "log": [], "output": []}


@pytest.fixture
def logger(monkeypatch, tmp_path):
    """A logger as Snakemake's, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["snakemake", "--cores", "2", "--", "lee 2019"])
    logger = logging.Logger("snakemake")
    yield logger
    for handler in logger.handlers:
        handler.close()


def tell(logger, *events):
    for event in events:
        logger.info("in English", extra=event)


def test_a_run_is_recorded_with_its_command_its_jobs_and_their_times(logger, tmp_path):
    record_jobs(logger)
    finished = {"event": LogEvent.JOB_FINISHED, "job_id": 78}
    started = datetime.now()
    tell(logger, {"event": LogEvent.RESOURCES_INFO}, STARTED, PLAYED, {"event": LogEvent.PROGRESS}, finished)
    tell(logger, JUDGED, TARGET)
    (record,) = (tmp_path / RECORDS).iterdir()
    run = read_run(record.open())
    played, judged = run.jobs
    assert (run.arguments, run.cores) == (["--cores", "2", "--", "lee 2019"], 2)
    assert (played.name, played.paper, played.seeds) == ("simulate/lee2019/sixvar/ts,c=0.5/250-499", "lee2019", 250)
    assert played.series == "simulate/lee2019/sixvar/ts,c=0.5"
    assert played.outputs == tuple(PLAYED["output"])
    assert (judged.name, judged.paper, judged.kind) == ("all_verdicts", "", "all_verdicts")
    assert judged.inputs == tuple(JUDGED["input"])
    assert list(run.ended) == [played]
    assert started <= run.begun[played] <= run.ended[played] <= run.begun[judged] <= datetime.now()


def test_a_job_that_is_started_again_counts_once(logger, tmp_path):
    record_jobs(logger)
    tell(logger, STARTED, PLAYED, {**PLAYED, "jobid": 5})
    (record,) = (tmp_path / RECORDS).iterdir()
    run = read_run(record.open())
    assert len(run.jobs) == len(run.begun) == 1


def test_a_dry_run_records_its_jobs_where_it_is_told_to_and_nothing_otherwise(logger, tmp_path, monkeypatch):
    record_jobs(logger)
    tell(logger, PLAYED)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv(LISTING, str(tmp_path / "listing"))
    record_jobs(logger)
    tell(logger, PLAYED, TARGET)
    run = read_run((tmp_path / "listing").open())
    assert [job.seeds for job in run.jobs] == [250]
    assert run.cores == 0


def test_a_line_that_is_being_written_is_left_for_the_next_time(logger, tmp_path):
    logger.addHandler(Recorder(tmp_path / "record"))
    tell(logger, STARTED, PLAYED, JUDGED)
    text = (tmp_path / "record").read_text()
    assert len(read_run(text[:-5].splitlines(keepends=True)).jobs) == 1
