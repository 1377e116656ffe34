"""A logger for Snakemake, ``snakemake --logger=brief``: one live line in place of a page per job.

In a terminal the line has a bar, the elapsed time, and the jobs that are running. It does not guess the time left: jobs
take seconds or many minutes, and the short ones come first. Elsewhere there is a line at each tenth of the run.
Warnings are printed in full, and so is the end of the log of a job that fails. A dry run prints one table, and says why
jobs replace a result. Snakemake writes everything to ``.snakemake/log``; ``--verbose`` prints it too.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

#: The largest numbers of: log lines of a failed job, lines of reasons in a dry run, policies in a reason; bar width.
LINES, REASONS, POLICIES, WIDTH = 20, 30, 5, 20
#: Rules in the order of the flow, for the table of a dry run; others follow.
_FLOW = ("data", "discovery", "bounds", "experiment", "figure", "table", "verdicts", "all_verdicts")
#: Snakemake's reasons for making results that do not exist yet, or that follow from other jobs.
_PLAIN = re.compile(r"(Missing output files: [^;]*|Input files updated by another job: [^;]*|Rules with no output)")
#: A policy and its key, as Snakemake prints the params of an experiment.
_KEYED = re.compile(r"'([^']+)': '([0-9a-f]{16})'")
#: What Snakemake says, before it says which job failed, of a process that a signal ended.
_SIGNAL = re.compile(r"died with <Signals\.(SIG\w+)")
_MEMORY = ": somebody killed it, or memory ran out"
#: Informative lines of Snakemake that a reader of the bar does not need.
_WORDY = re.compile(
    "host: |Building DAG|Using |Provided cores|Rules claiming|Select jobs|Execute |Elapsed|Complete log|Finished|Would"
    "|This was a dry-run|Reasons:|Assuming|Some jobs were|Rules with|Conda env|Localrules|Config file|Job stats"
)


class LogHandler(LogHandlerBase):
    """The handler that Snakemake asks for."""

    writes_to_stream, writes_to_file = True, False
    has_filter = has_formatter = False  # Snakemake's own: with --verbose its text is printed
    needs_rulegraph = False

    def __post_init__(self) -> None:
        self.stream = sys.stdout if self.common_settings.stdout else sys.stderr
        self.live = self.stream.isatty()
        self.began, self.done, self.total, self.tenth = time.monotonic(), 0, 0, 0
        self.names: dict[int, str] = {}
        self.running: dict[int, None] = {}
        self.planned: Counter[tuple[str, str]] = Counter()
        self.reasons: list[str] = []
        self.failed: set[int] = set()
        self.said = ""
        if self.live and not self.common_settings.dryrun:
            threading.Thread(target=self._tick, daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Show one record; nothing that goes wrong here may end a run."""
        try:
            if self.common_settings.verbose:
                self._print(self.format(record))
            else:
                self._show(vars(record), record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Leave the terminal as a run without this handler would."""
        self.running.clear()
        if self.live:
            self._print("")
        super().close()

    def _show(self, about: dict[str, Any], record: logging.LogRecord) -> None:
        event = about.get("event")
        if event == LogEvent.JOB_INFO:
            self._job(about)
        elif event == LogEvent.RUN_INFO:
            self._run(about["stats"].get("total", 0))
        elif event == LogEvent.JOB_STARTED:
            self.running |= dict.fromkeys(about["jobs"])
            self._bar()
        elif event == LogEvent.JOB_FINISHED:
            self.running.pop(about["job_id"], None)
        elif event == LogEvent.PROGRESS:
            self.done, self.total = about["done"], about["total"]
            self._bar()
        elif event in (LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR):
            self._error(about)
        elif event is None or event == LogEvent.ERROR:
            said = record.getMessage()
            loud = record.levelno >= logging.WARNING or (said and said != "None" and not _WORDY.match(said))
            if said.startswith("RuleException:\nCalledProcessError"):
                if signal := _SIGNAL.search(said):
                    self._print(f"a job died with {signal[1]}{_MEMORY * (signal[1] == 'SIGKILL')}")
            elif loud and said != self.said:
                self._print(said)
                self.said = said

    def _job(self, about: dict[str, Any]) -> None:
        of = [str(value) for value in dict(about["wildcards"] or {}).values()]
        self.names[about["jobid"]] = name = "/".join(of) or about["rule_name"]
        self.planned[of[0] if of else "study", about["rule_name"]] += 1
        if not self.common_settings.dryrun:
            self._bar()
        elif why := _why(about["reason"]):
            self.reasons.append(f"  {name}: {why}")

    def _run(self, total: int) -> None:
        self.total, count = total, f"{total} job{'s' * (total != 1)}"
        if not self.common_settings.dryrun:
            self._print(count)
        elif self.planned:  # a dry run, too, states its total before its jobs
            rules = sorted({rule for _, rule in self.planned}, key=lambda rule: ((*_FLOW, rule).index(rule), rule))
            table = {"": rules} | {
                of: [self.planned[of, rule] or "" for rule in rules] for of, _ in sorted(self.planned)
            }
            lines = ["".join([f"{of:16}", *(f"{cell:>14}" for cell in row)]) for of, row in table.items()]
            lines.append(f"{count} in all; a dry run: nothing was done")
            lines += ["why jobs replace a result:", *sorted(self.reasons)[:REASONS]] if self.reasons else []
            if more := len(self.reasons[REASONS:]):
                lines.append(f"  and {more} more job{'s' * (more != 1)}")
            self._print("\n".join(lines))

    def _bar(self) -> None:
        gone = time.monotonic() - self.began
        share = self.done / self.total if self.total else 0.0
        said = f"{self.done} of {self.total} jobs, {_clock(gone)}"
        if self.live:
            bar = ("=" * round(WIDTH * share)).ljust(WIDTH)
            now = ", ".join(self.names[job] for job in list(self.running) if job in self.names)
            room = (os.get_terminal_size(self.stream.fileno()).columns or 80) - 1
            self.stream.write("\r\x1b[K" + f"[{bar}] {said}  {now}"[:room])
            self.stream.flush()
        elif int(10 * share) > self.tenth:
            self.tenth = int(10 * share)
            self._print(said)

    def _tick(self) -> None:
        while True:
            time.sleep(1)
            if self.running:
                self._bar()

    def _error(self, about: dict[str, Any]) -> None:
        job = about.get("jobid", -1)
        self.running.pop(job, None)
        if job in self.failed:
            return
        self.failed.add(job)
        self._print(f"FAILED: {about.get('rule_name', 'group')} {self.names.get(job, '')}")
        for log in about.get("log") or ():
            path = Path(str(log).split(" (")[0])
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
            end = f"the end of {path}:" if lines else f"{path} is empty"
            self._print("\n".join([f"  {end}", *(f"    {line}" for line in lines[-LINES:])]))

    def _print(self, text: str) -> None:
        self.stream.write(f"\r\x1b[K{text}\n" if self.live else f"{text}\n")
        self.stream.flush()


def _why(reason: str) -> str:
    """Say in a few words why a result is replaced; empty if it is missing or follows from others."""
    why = " ".join(_PLAIN.sub("", reason).split()).strip("; ")
    if "Params have changed" not in why:
        return why[:200]
    before, _, now = why.partition(" now: ")
    changed = [*dict.fromkeys(name for name, key in _KEYED.findall(now) if f"'{name}': '{key}'" not in before)]
    if not changed:
        return "its code, configuration or inputs"
    more = f" and {len(changed) - POLICIES} more" * (len(changed) > POLICIES)
    return f"code or configuration of {', '.join(changed[:POLICIES])}{more}"


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds:02d} s" if minutes else f"{seconds} s"
