"""The logger plugin: what it prints of the records that Snakemake sends."""

import io
import logging
import os
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

import snakemake_logger_plugin_brief as brief


class Terminal(io.StringIO):
    """What a reader of a terminal sees: the lines, and each state of the last one."""

    def isatty(self):
        return True

    def fileno(self):
        return 1


@pytest.fixture
def handler(monkeypatch):
    """Give a handler that writes to a stream of its own; ``columns``: to a terminal of so many."""
    handlers = []

    def make(dryrun=False, verbose=False, columns=None):
        stream = io.StringIO() if columns is None else Terminal()
        monkeypatch.setattr("sys.stderr", stream)
        monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((columns, 24)))
        common = SimpleNamespace(stdout=False, dryrun=dryrun, verbose=verbose)
        handlers.append(brief.LogHandler(common, None))
        return handlers[-1]

    yield make
    for one in handlers:
        one.close()


def send(handler, event=None, message="", level=logging.INFO, **about):
    record = logging.LogRecord("snakemake", level, __file__, 1, message, (), None)
    vars(record).update(about, event=event)
    handler.emit(record)
    return handler.stream.getvalue()


def plan(handler, *jobs):
    """Jobs as pairs of rule and reason; those of a paper have wildcards."""
    send(handler, LogEvent.RUN_INFO, stats={"total": len(jobs)})  # Snakemake says it twice
    for number, (rule, reason, *wildcards) in enumerate(jobs):
        about = {"jobid": number, "rule_name": rule, "reason": reason}
        send(handler, LogEvent.JOB_INFO, wildcards=dict(zip(("paper", "item"), wildcards, strict=False)), **about)
    return send(handler, LogEvent.RUN_INFO, stats={"total": len(jobs)}).splitlines()


def keyed(**keys):
    return ", ".join(f"'{name}': '{key * 16}'" for name, key in keys.items())


def test_a_dry_run_is_a_table_in_the_order_of_the_flow(handler):
    lines = plan(
        handler(dryrun=True),
        ("all", "Rules with no output"),
        ("figure", "Input files updated by another job: x.parquet", "lee2019", "fig5"),
        ("experiment", "Forced execution", "lee2019", "sixvar"),
        ("experiment", "Forced execution", "lu2021", "tree"),
    )
    assert lines == [
        "                    experiment        figure           all",
        "lee2019                      1             1              ",
        "lu2021                       1                            ",
        "study                                                    1",
        "4 jobs in all; a dry run: nothing was done",
        "why jobs replace a result:",
        "  lee2019/sixvar: Forced execution",
        "  lu2021/tree: Forced execution",
    ]


def test_a_dry_run_names_the_policies_whose_key_changed(handler):
    before = {f"p{i}": "a" for i in range(9)}
    for changed, said in ((2, "p0, p1"), (7, "p0, p1, p2, p3, p4 and 2 more")):
        now = before | {f"p{i}": "b" for i in range(changed)}
        reason = f"Params have changed since last execution: before: {keyed(**before)} now: {keyed(**now)}"
        lines = plan(handler(dryrun=True), ("experiment", reason, "lee2019", "sixvar"))
        assert lines[-1] == f"  lee2019/sixvar: code or configuration of {said}"


def test_a_dry_run_says_how_many_reasons_it_leaves_out(handler):
    for more, said in ((1, "  and 1 more job"), (2, "  and 2 more jobs")):
        jobs = [("figure", "Forced execution", "p", f"f{i}") for i in range(brief.REASONS + more)]
        assert plan(handler(dryrun=True), *jobs)[-1] == said


def test_the_line_fits_the_terminal_and_names_what_runs(handler):
    narrow = handler(columns=60)
    plan(narrow, *[("experiment", "", "lee2019", f"experiment_with_a_long_name_{i}") for i in range(5)])
    text = send(narrow, LogEvent.JOB_STARTED, jobs=range(5))
    states = text.replace("\n", "\r").split("\r\x1b[K")
    assert all(len(state) < 60 for state in states)
    assert "0 of 5 jobs" in states[-1]
    assert "lee2019/" in states[-1]
    send(narrow, LogEvent.JOB_FINISHED, job_id=0)
    assert list(narrow.running) == [1, 2, 3, 4]
    send(narrow, LogEvent.JOB_ERROR, jobid=1, rule_name="experiment")
    assert list(narrow.running) == [2, 3, 4]


def test_the_line_goes_on_while_a_job_runs(handler):
    live = handler(columns=80)
    send(live, LogEvent.JOB_STARTED, jobs=[1])
    before, deadline = live.stream.getvalue(), time.monotonic() + 20
    while live.stream.getvalue() == before:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert "of 0 jobs" in live.stream.getvalue().removeprefix(before)


def test_elsewhere_there_is_a_line_at_each_tenth(handler):
    quiet = handler()
    plan(quiet, *[("figure", "", "p", f"f{i}") for i in range(40)])
    for done in range(41):
        text = send(quiet, LogEvent.PROGRESS, done=done, total=40)
    lines = text.splitlines()
    assert lines[:1] == ["40 jobs"]
    assert len(lines[2:]) == 10
    assert lines[-1].startswith("40 of 40 jobs")
    assert "\x1b" not in text


def test_a_warning_is_printed_once_and_chatter_not_at_all(handler):
    one = handler()
    for message in ("Building DAG of jobs...", "None", "RuleException:\nCalledProcessError in file x"):
        assert send(one, message=message) == ""
    for _ in range(2):
        text = send(one, message="the disk is full", level=logging.WARNING)
    assert text == "the disk is full\n"
    assert send(one, message="Nothing to be done").endswith("Nothing to be done\n")


def test_of_a_job_that_fails_the_end_of_its_log_is_printed_once(handler, tmp_path):
    log = tmp_path / "a.log"
    log.write_text("".join(f"line {i}\n" for i in range(50)))
    one = handler()
    send(one, LogEvent.JOB_INFO, jobid=3, rule_name="figure", wildcards={"paper": "p", "item": "f"}, reason="")
    for _ in range(2):
        text = send(
            one, LogEvent.JOB_ERROR, jobid=3, rule_name="figure", log=[f"{log} (check log file(s) for error details)"]
        )
    lines = text.splitlines()
    assert lines[:2] == ["FAILED: figure p/f", f"  the end of {log}:"]
    assert lines[2:] == [f"    line {i}" for i in range(50 - brief.LINES, 50)]


def test_of_a_job_that_a_signal_ended_the_signal_is_named(handler, tmp_path):
    """Snakemake's own words, as it sends them before it says which job failed."""
    code = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    with pytest.raises(subprocess.CalledProcessError) as killed:
        subprocess.run([sys.executable, "-c", code], check=True)
    log = tmp_path / "a.log"
    log.touch()
    one = handler()
    send(one, message=f"RuleException:\nCalledProcessError in file x:\n{killed.value}", level=logging.ERROR)
    text = send(one, LogEvent.JOB_ERROR, jobid=3, rule_name="experiment", log=[str(log)])
    assert text.splitlines() == [
        "a job died with SIGKILL: somebody killed it, or memory ran out",
        "FAILED: experiment ",
        f"  {log} is empty",
    ]
