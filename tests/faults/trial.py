"""A small study to do harm to, and what counts as surviving.

A fault is survived where the study, run again once the cause is gone, has the values of one that nothing happened to;
and where, while the cause lasts, it either has those values or stops and says which file it is. Other values with exit
status 0 never count.
"""

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from checkout import Checkout, one_task, read_yaml

from experiments.files import content_digest

TIDY = [f"results/lee2019/frontdoor/{name}.parquet" for name in ("finals", "curves")]
VERDICTS = "results/lee2019/verdicts.csv"
FIGURE = "figures/lee2019/fig1.png"
TABLE = "figures/lee2019/expressions_frontdoor.csv"
STAGE = "results/lee2019/data/curves.parquet"
TARGETS = ("--", *TIDY, STAGE, VERDICTS, FIGURE, TABLE)
RUNS = "results/lee2019/frontdoor/runs"


class NotSurvivedError(Exception):
    """Why a fault was not survived."""


def expect(holds, why):
    """Raise `NotSurvivedError` where something does not hold."""
    if not holds:
        raise NotSurvivedError(why)


class Trial:
    """A study of its own for one fault.

    Attributes
    ----------
    study : Checkout
    rng : random.Random
    right : dict
        What its tables must hold, by path.
    """

    def __init__(self, folder, rng, prepared=None, edits=()):
        self.study, self.rng = Checkout(folder), rng
        for edit in edits:
            self.study.edit(*edit)
        papers = "papers: [lee2019]"
        self.study.edit("config/config.yaml", self._line("config/config.yaml", "papers:"), papers)
        table = read_yaml(folder / "config/papers/lee2019.yaml")["tables"]["expressions_frontdoor"]
        one_task(self.study, 7)
        self.study.change_paper(lambda settings: settings.update(tables={"expressions_frontdoor": table}))
        self.prepared = prepared
        self.right = prepared.values() if prepared else None

    def _line(self, path, start):
        return next(line for line in (self.folder / path).read_text().splitlines() if line.startswith(start))

    @property
    def folder(self):
        return self.study.folder

    def fill(self, copy=shutil.copy2):
        """Put the results of the undisturbed study here, as if they had been made here."""
        for part in ("results", "figures", ".snakemake/metadata"):
            shutil.copytree(self.prepared.folder / part, self.folder / part, copy_function=copy)

    def values(self):
        """What the tables hold."""
        tables = {path: content_digest(self.folder / path) for path in (*TIDY, STAGE)}
        texts = {path: (self.folder / path).read_text() for path in (VERDICTS, TABLE)}
        picture = hashlib.sha256((self.folder / FIGURE).read_bytes()).hexdigest()
        return tables | texts | {FIGURE: picture}

    def run(self, first=":", cores=1, **environment):
        """Run the study after the shell's command ``first``; returns whether it ended well, and what it printed."""
        done = subprocess.run(
            ["sh", "-c", f'{first}; exec "$@"', "sh", *self.study.command(*TARGETS, cores=cores)],
            cwd=self.folder,
            env=self.study.environment | environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )
        return done.returncode == 0, done.stdout + done.stderr

    def python(self, text, *arguments, first=":"):
        """Run a text in the study's own Python, with the study's package, after the shell's command ``first``."""
        return subprocess.run(
            ["sh", "-c", f'{first}; exec "$@"', "sh", sys.executable, "-c", text, *map(str, arguments)],
            cwd=self.folder,
            env=self.study.environment | {"PYTHONPATH": str(self.folder / "src")},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def start(self, **environment):
        """Start the study in a process group of its own."""
        return subprocess.Popen(
            self.study.command(*TARGETS, cores=1),
            cwd=self.folder,
            env=self.study.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def until(self, n):
        """Wait for ``n`` files of runs."""
        deadline = time.monotonic() + 300
        while len(list((self.folder / RUNS).rglob("*.parquet"))) < n:
            expect(time.monotonic() < deadline, "the run made no progress")
            time.sleep(0.02)

    def unlock(self):
        """What Snakemake asks for after a kill that it could not see."""
        self.study.snakemake("--unlock")

    def recovers(self, first=":", **environment):
        """The study, run again, has the right values."""
        well, text = self.run(first, **environment)
        expect(well, f"a further run fails: {text[-600:]}")
        expect(self.values() == self.right, "a further run has other values")

    def refuses(self, *words):
        """The study, run again, stops, says these words, and leaves no wrong table."""
        well, text = self.run()
        expect(not well, "a run with it ends well")
        for word in words:
            expect(word in text, f"a run with it does not say {word!r}: {text[-600:]}")
        for path in TIDY:
            expect(not self._misleads(path), f"it leaves another {path}")
        return text

    def _misleads(self, path):
        """Whether a table can be read and holds other values; a damaged one is refused by whoever reads it."""
        try:
            return (self.folder / path).exists() and content_digest(self.folder / path) != self.right[path]
        except OSError:
            return False

    def some_run(self):
        """One of the files of runs."""
        return self.rng.choice(sorted((self.folder / RUNS).rglob("*.parquet")))


def kill_group(process, number=signal.SIGKILL):
    """Send a signal to a run and all its jobs, and wait for its end."""
    os.killpg(process.pid, number)
    process.communicate(timeout=120)


def prepare(folder, edits=()):
    """An undisturbed study that has run, its code with some edits."""
    trial = Trial(folder, random.Random(0), edits=edits)
    well, text = trial.run(cores=2)
    expect(well, text)
    return trial
