"""Follow one claim from the paper to its verdict.

Call: ``python -m replication.tools.explain CLAIM`` (`make explain`). It prints the claim, its outcome under every
reading, the judge's place in the code, the experiments, policies, files, ledger entries and figures behind it, and the
commands that make only these again. It works before anything has been run: then it tells what would be read, and what
the committed run at published scale gave.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import inspect
import re
import shlex
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from snakemake.utils import update_config

from causal_bandits import problems
from causal_bandits.policies.registry import import_path
from experiments import files
from experiments.aggregate import described
from experiments.errors import ConfigError
from experiments.loading import read_yaml
from experiments.results import NotRunError, Plan
from experiments.settings import LOADER, compact
from experiments.study import Study
from replication.judging.claims import Claim, at_readings, read
from replication.judging.generic import judges_of
from replication.tools import reference
from replication.tools.ledger import FOLDER, read_entries
from replication.tools.reference import READINGS, VERDICTS, NoReferenceError
from replication.tools.terms import experiments_read, texts
from replication.tools.verify import at_hand

CONFIG, QUICK = "config/config.yaml", "config/quick.yaml"
#: Width of the column of headings.
INDENT = 13


class ExplainError(ValueError):
    """A claim that does not exist, or results in another form; in one line."""


@dataclass(frozen=True)
class Read:
    """What a judge reads under any reading of the claim.

    Attributes
    ----------
    experiments : list of str
        Those that this configuration plays.
    policies : list of (str, str)
        Experiment and label of the policies that the claim names; a judge of whole experiments finds others itself.
    left_out : list of str
        What this configuration does not play.
    tables : list of str
        Names of tables of earlier stages that the judge can read.
    """

    experiments: list[str]
    policies: list[tuple[str, str]]
    left_out: list[str]
    tables: list[str]


class Explained:
    """One claim of a study, and where everything that decides it is.

    Parameters
    ----------
    claim_id : str
    root : Path
        The checkout's top folder.
    overlays : sequence of str
        Files that change config/config.yaml, for instance ``config/quick.yaml``.

    Raises
    ------
    ExplainError
        If no paper of the study has the claim.
    ConfigError
        If the configuration is wrong.
    """

    def __init__(self, claim_id: str, root: Path, overlays: Sequence[str] = ()) -> None:
        self.root, self.overlays = root, overlays
        config = read_yaml(root / CONFIG, CONFIG)
        for overlay in overlays:
            update_config(config, read_yaml(root / overlay, overlay))
        self.study = Study(config, root)
        places = {"results": "results", "figures": "figures", **config.get("pathvars", {})}
        self.results, self.figures = Path(places["results"]), Path(places["figures"])
        self.paper, self.claim, known = "", None, []
        for paper in self.study.papers:
            for claim in read(root / _published(paper), _published(paper)):
                known.append(claim.claim_id)
                if claim.claim_id == claim_id:
                    self.paper, self.claim = paper, claim
        if self.claim is None:
            near = difflib.get_close_matches(claim_id, known, n=3, cutoff=0) or known[:3]
            raise ExplainError(f"no claim {claim_id!r} in data/published; the nearest: {', '.join(near)}")
        self.settings = self.study.papers[self.paper]

    def text(self) -> str:
        """Write all that is known of the claim."""
        return "\n".join(line for heading, lines in self._parts(self.read()) for line in _block(heading, lines))

    def _parts(self, found: Read) -> Iterator[tuple[str, list[str]]]:
        claim = self._claim()
        yield claim.claim_id, [claim.statement or "(the table of claims has no statement for it)"]
        where = ", ".join(filter(None, (claim.item, claim.row, claim.column)))
        yield "published", [f"{claim.value} ({where}), {_published(self.paper)}:{claim.line}"]
        yield "outcome", self.outcome()
        yield "readings", self.readings()
        yield "judge", [self.judge()]
        own = filter(None, [claim.experiment])
        yield "experiments", [self.experiment(name) for name in dict.fromkeys([*found.experiments, *own])]
        yield "policies", [self.policy(experiment, label) for experiment, label in found.policies]
        yield "left out", found.left_out
        yield "runs", [f"{run}{self._missing(run)}" for run in self.runs(found)]
        yield "tables", [f"{table}{self._missing(table)}" for table in self.tables(found)]
        yield "ledger", self.ledger()
        yield "shown in", [f"{path}{self._missing(path)}" for path in self.shown(found)]
        yield "make again", self.again(found)

    def read(self) -> Read:
        """Find what the judge reads, from what the claim, its readings and the judge's code name."""
        claim, played = self._claim(), self.settings["experiments"]
        readings = self.settings.get("readings", {}).get(claim.readings, ())
        judge = judges_of(self.paper)[claim.judge]
        experiments = experiments_read(claim.experiment, claim.arguments, readings, judge, played)
        plans = {name: Plan(**described(self.study.experiment_job(self.paper, name))) for name in played}
        policies: dict[tuple[str, str], None] = {}
        left_out: dict[str, None] = {}
        arguments = set(map(str, claim.arguments.values()))
        for at in [at for _, at in at_readings(claim, readings, plans)] if readings else [claim]:
            arguments |= set(map(str, at.arguments.values()))
            for point in at.points() or [at]:
                for named in filter(None, (point.policy, point.against)):
                    try:
                        if at.experiment not in plans:
                            raise NotRunError(f"experiment {at.experiment}")
                        label = plans[at.experiment].only(named, f"experiment {at.experiment!r}")
                        policies[at.experiment, label] = None
                    except NotRunError as error:
                        left_out[str(error)] = None
        named_tables = texts(judge.function) | arguments
        tables = [name for name in self.study.stage_files(self.paper) if name in named_tables]
        return Read(experiments, list(policies), list(left_out), tables)

    def outcome(self) -> list[str]:
        """Say what results/verdicts.csv holds of the claim, or else the committed verdicts."""
        place = self._judged()
        rows = self._rows(place / VERDICTS)
        told = [line for row in rows for line in (_told(row), row["reason"]) if line]
        if place == self.results:
            return told
        nothing = f"not run yet: no row in {self.results / VERDICTS}"
        return [nothing, *([f"the committed run at published scale ({place / VERDICTS}):", *told] if told else [])]

    def readings(self) -> list[str]:
        """Say what the table of readings beside the outcome's holds of the claim, one line per reading."""
        rows = self._rows(self._judged() / READINGS)
        return [f"{row['reading']}{' (default)' if row['default'] else ''}: {_told(row)}" for row in rows]

    def _judged(self) -> Path:
        """Return the folder whose verdicts are told: the results, or the reference where these lack the claim."""
        return self.results if self._rows(self.results / VERDICTS) else reference.FOLDER

    def _rows(self, path: Path) -> list[dict[str, str]]:
        """Read the claim's rows of a table of verdicts; none where there is no such table."""
        if not (self.root / path).exists():
            return []
        with (self.root / path).open(newline="", encoding="utf-8") as file:
            table = csv.DictReader(file)
            missing = {"claim_id", "outcome", "because", "basis", "reason"} - set(table.fieldnames or ())
            if missing:
                raise ExplainError(f"{path}: no column {', '.join(sorted(missing))}; make it again: make reproduce")
            return [row for row in table if row["claim_id"] == self._claim().claim_id]

    def judge(self) -> str:
        """Say which judge it is, with what arguments, and where its code is."""
        claim = self._claim()
        function = inspect.unwrap(judges_of(self.paper)[claim.judge].function)
        arguments = f" {compact(dict(claim.arguments))}" if claim.arguments else ""
        return f"{claim.judge}{arguments}: {self._code(function)}"

    def experiment(self, name: str) -> str:
        """Say where an experiment is configured, and its size."""
        declared = self.study.declared[self.paper]["experiments"].get(name, {})
        played = self.settings["experiments"].get(name)
        place = f"{name}: {_config(self.paper)}:{self._line(name)}"
        if played is None:
            return f"{place}; this configuration leaves it out"
        problem = f"{declared['problem']}, {self._code(problems.load(declared['problem']))}"
        return f"{place}; {played['horizon']} rounds, {played['replicates']} seeds; problem: {problem}"

    def policy(self, experiment: str, label: str) -> str:
        """Say what a policy is, and where its code is."""
        algorithm = self.settings["experiments"][experiment]["policies"][label]["algorithm"]
        return f"{experiment}/{label}: {algorithm}, {self._code(files.resolve(import_path(algorithm)))}"

    def runs(self, found: Read) -> list[str]:
        """List the files of runs of the experiments that are read."""
        return [f"{self.results}/{self.paper}/{experiment}/runs.parquet" for experiment in found.experiments]

    def tables(self, found: Read) -> list[str]:
        """List the tables that the judge reads.

        Tables of earlier stages that these and the problems are made of are listed too.
        """
        made = self.study.stage_files(self.paper)
        tidy = [f"{self.results}/{self.paper}/{name}/finals.parquet" for name in found.experiments]
        pending = [made[name] for name in found.tables]
        for name in found.experiments:
            pending += self.study.inputs(self.paper, "experiments", name).values()
        listed: list[str] = []
        while pending:
            path = pending.pop(0)
            if path not in listed:
                listed.append(path)
                if stage := re.fullmatch(rf"<results>/{self.paper}/(data|discovery|bounds)/(\w+)\.parquet", path):
                    pending += self.study.inputs(self.paper, stage[1], stage[2]).values()
        return tidy + [path.replace("<results>", str(self.results)) for path in listed]

    def ledger(self) -> list[str]:
        """List the ledger entries that the claim and its readings cite."""
        claim = self._claim()
        readings = self.settings.get("readings", {}).get(claim.readings, ())
        cited = " ".join([claim.ledger, *(reading.get("ledger", "") for reading in readings)]).split()
        entries = read_entries(self.root)
        return [f"{id_}: {entries[id_].title} ({FOLDER}/{entries[id_].address})" for id_ in dict.fromkeys(cited)]

    def shown(self, found: Read) -> list[str]:
        """List the figure or table of the paper that prints the claim.

        Without one, list those that show all it is judged on.
        """
        claim = self._claim()
        own = re.sub(r"\W", "", claim.item).lower()
        experiments, shown = set(found.experiments), []
        for kind, suffix in (("figures", "png"), ("tables", "md")):
            for name, entry in self.settings.get(kind, {}).items():
                shows = experiments and experiments <= set(entry.get("experiments", ()))
                if name == own or (shows and not any(own in self.settings.get(k, {}) for k in ("figures", "tables"))):
                    shown.append(f"{self.figures}/{self.paper}/{name}.{suffix}")
        return shown

    def again(self, found: Read) -> list[str]:
        """Give the commands that regenerate what the claim rests on, and then judge the paper's claims."""
        command = ["snakemake", "--cores", "all"]
        command += ["--configfile", *self.overlays] if self.overlays else []
        made = [path for path in self.tables(found) if path.startswith(f"{self.results}/")]
        targets = [path for path in made if not path.endswith("/finals.parquet")] + self.runs(found)
        lines = [shlex.join([*command, "--force", "--", *targets])] if targets else []
        return [*lines, shlex.join([*command, "--", f"{self.results}/{self.paper}/{VERDICTS}"])]

    def _claim(self) -> Claim:
        assert self.claim is not None
        return self.claim

    def _missing(self, path: str) -> str:
        return "" if (self.root / path).exists() else " (not made yet)"

    def _code(self, thing: Any) -> str:
        """Say in which file and line a function or class stands."""
        file = Path(inspect.getsourcefile(thing) or "").resolve()
        root = self.root.resolve()
        path = file.relative_to(root) if file.is_relative_to(root) else file
        return f"{path}:{inspect.getsourcelines(thing)[1]}"

    def _line(self, experiment: str) -> int:
        """Find the line of the paper's file in which an experiment begins."""
        node: Any = yaml.compose((self.root / _config(self.paper)).read_text(encoding="utf-8"), LOADER)
        for name in ("experiments", experiment):
            ((key, node),) = [pair for pair in node.value if pair[0].value == name]
        return int(key.start_mark.line) + 1


def _published(paper: str) -> str:
    return f"data/published/{paper}.csv"


def _config(paper: str) -> str:
    return f"config/papers/{paper}.yaml"


def _told(row: Mapping[str, str]) -> str:
    """Write an outcome with its numbers in one line."""
    told = row["outcome"] + (f", because: {row['because']}" if row["because"] else "")
    interval = f" [{row['ci_low']}, {row['ci_high']}]" if row["ci_low"] else ""
    number = f"; replicated {row['replicated']}{interval}" if row["replicated"] else ""
    trials = f", n = {row['n']}" if row["n"] not in ("", "0") else ""
    return f"{told}{number}{trials}; {row['basis']}"


def _block(heading: str, lines: Sequence[str]) -> list[str]:
    """Write a heading and its lines, wrapped at spaces.

    Commands and paths stay whole. Without lines nothing is written.
    """
    if not lines:
        return []
    if len(heading) >= INDENT:
        return [heading, *_block(" ", lines)]
    shown = [part for line in lines for part in ([line] if line.startswith("snakemake ") else _wrap(line))]
    return [f"{name:{INDENT}}{line}".rstrip() for name, line in zip([heading, *[""] * len(shown)], shown, strict=False)]


def _wrap(line: str) -> list[str]:
    return textwrap.wrap(line, 120 - INDENT, break_long_words=False, break_on_hyphens=False)


def _newest() -> list[str]:
    """The overlay of the newest verdicts at hand: none for the whole study, or where there are none."""
    try:
        return [QUICK] if at_hand(Path("results")).name == "quick" else []
    except NoReferenceError:
        return []


def main(arguments: Sequence[str] | None = None) -> int:
    """Explain a claim; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.explain", description=__doc__)
    parser.add_argument("claim", help="a claim's id, for instance huang2024.table1.7.cp")
    parser.add_argument("--configfile", nargs="+", default=[], metavar="FILE", help="overlays, as Snakemake's")
    options = parser.parse_args(arguments)
    try:
        print(Explained(options.claim, Path(), options.configfile or _newest()).text())
    except (ConfigError, ExplainError, OSError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
