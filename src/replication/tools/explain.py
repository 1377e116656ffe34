"""Follow one claim from the paper to its verdict.

Call: ``python -m replication.tools.explain CLAIM`` (`make explain`). It prints the claim, its outcome under every
reading, where its test and the functions that this calls are in the code, the experiments, policies, files, ledger
entries and figures behind it, and the commands that make only these again. It also works before anything has been run:
it then says what would be read, and what the committed run at published scale gave.
"""

from __future__ import annotations

import argparse
import difflib
import inspect
import re
import shlex
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

import yaml
from snakemake.utils import update_config

from causal_bandits import problems
from causal_bandits.policies.registry import import_path
from experiments.aggregate import described
from experiments.config import STAGES, checkout, home_of, read_yaml
from experiments.results import Plan
from experiments.settings import LOADER, ConfigError
from experiments.study import Study
from replication.judging.claims import Final, Printed, claims_of, place_of, read
from replication.judging.confirmation import elsewhere, other_runs
from replication.judging.verdict_tables import TableError, read_readings
from replication.judging.verdict_tables import read as read_verdicts
from replication.tools import reference
from replication.tools.ledger import FOLDER, read_entries
from replication.tools.reference import READINGS, VERDICTS

CONFIG, QUICK = "config/config.yaml", "config/quick.yaml"
#: Width of the column of headings.
INDENT = 13


class Read(NamedTuple):
    """Names of the experiments that a claim's tests read under any reading, and the policies that they name.

    ``policies`` holds the experiment and label of each. ``left_out`` is what this configuration does not play.
    """

    experiments: list[str]
    policies: list[tuple[str, str]]
    left_out: list[str]


class Explained:
    """One claim of a study, and where everything that decides it is.

    Parameters
    ----------
    claim_id : str
    root : Path
        The checkout's top folder.
    quick : bool
        Whether the study is the small one of config/quick.yaml.
    own : sequence of str
        Folders of papers outside the checkout, in place of the study's papers.
    here : Path, optional
        The folder with the results; default: the checkout.

    Raises
    ------
    ConfigError
        If no paper of the study has the claim, or the configuration is wrong.
    """

    def __init__(
        self, claim_id: str, root: Path, *, quick: bool = False, own: Sequence[str] = (), here: Path | None = None
    ) -> None:
        self.root, self.quick, self.here, self.own = root, quick, here or root, tuple(own)
        config = configured(root, quick=quick)
        self.study = Study({**config, "papers": [*own] or config["papers"]}, root)
        self.results, self.figures = places(config)
        claims = {
            id_: (paper, row)
            for paper in self.study.papers
            for id_, row in read(self.study.published(paper), self.study.homes[paper].published).items()
        }
        if claim_id not in claims:
            near = difflib.get_close_matches(claim_id, claims, n=3, cutoff=0)
            raise ConfigError(f"no claim {claim_id!r} in data/published; the nearest: {', '.join(near)}")
        self.paper, self.printed = claims[claim_id]
        self.claim = claims_of(self.paper)[claim_id]
        self.settings = self.study.papers[self.paper]

    def text(self) -> str:
        """Write everything that is known about the claim."""
        return "\n".join(line for heading, lines in self._parts(self.read()) for line in _block(heading, lines))

    def _parts(self, found: Read) -> Iterator[tuple[str, list[str]]]:
        printed = self.printed
        yield printed.id, [printed.statement or "(the table of claims has no statement for it)"]
        where = ", ".join(filter(None, (printed.place, printed.row, printed.column)))
        yield "published", [f"{printed.value} ({where}), {self.study.homes[self.paper].published}:{printed.line}"]
        outcome, readings = self.outcome()
        yield "outcome", outcome
        yield "readings", readings
        yield "test", self.test()
        yield "experiments", [self.experiment(name) for name in found.experiments]
        yield "policies", [self.policy(experiment, label) for experiment, label in found.policies]
        yield "left out", found.left_out
        runs, tables = self.runs(found), self.tables(found)
        yield "runs", [self._missing(run) for run in runs]
        yield "tables", [self.table(table) for table in tables]
        yield "ledger", self.ledger()
        yield "shown in", self.shown(found)
        command = ["snakemake", "--cores", "all", *(["--configfile", QUICK] if self.quick else [])]
        if self.own:
            command += ["--snakefile", str(self.root / "Snakefile"), "--config", f"papers=[{','.join(self.own)}]"]
        made = [path for path in tables if path.startswith(f"{self.results}/") and not path.endswith("/finals.parquet")]
        again = [shlex.join([*command, "--force", "--", *made, *runs])] if made or runs else []
        yield "make again", [*again, shlex.join([*command, "--", f"{self.results}/{self.paper}/{VERDICTS}"])]

    def read(self) -> Read:
        """Find what the tests read, from their arguments."""
        played = self.settings["experiments"]
        plans = {name: Plan(**described(self.study.experiment_job(self.paper, name))) for name in played}
        policies: dict[tuple[str, str], None] = {}
        left_out: dict[str, None] = {}
        finals = list(self.claim.reads(Final))
        for final in finals:
            try:
                policies[final.experiment, final.match(plans[final.experiment])] = None
            except LookupError:
                left_out[f"{final.policy} of {final.experiment}"] = None
        return Read(list(dict.fromkeys(final.experiment for final in finals)), list(policies), list(left_out))

    def outcome(self) -> tuple[list[str], list[str]]:
        """Return the claim's outcome and those under its readings, from the newest or else the committed verdicts."""
        told = []
        for place in (self.results / self.paper, reference.FOLDER):
            path = self._folder(place) / VERDICTS
            row = read_verdicts(path).get(self.printed.id) if path.exists() else None
            if row is None:
                told.append(f"not run yet: no row in {place / VERDICTS}")
                continue
            if told:
                told.append(f"the committed run at published scale ({place / VERDICTS}):")
            under = read_readings(self._folder(place) / READINGS).get(self.printed.id, {})
            readings = [f"{name}{' (default)' if at['default'] else ''}: {_told(at)}" for name, at in under.items()]
            others = other_runs(self.root) if place == reference.FOLDER else {}
            differing = [f"{name}: {_told(other)}" for name, other in elsewhere(row, others)]
            return [*told, _told(row), row["reason"], *differing], readings
        return told, []

    def _folder(self, place: Path) -> Path:
        return (self.root if place == reference.FOLDER else self.here) / place

    def test(self) -> list[str]:
        """Say where the claim's test is, and where the functions that it calls are."""
        called = dict.fromkeys(test.check.function for test in self.claim.tests)
        return [self._relative(place_of(self.claim, self.paper)), *(f"{f.__name__}: {self._code(f)}" for f in called)]

    def experiment(self, name: str) -> str:
        """Say where an experiment is configured, and its size."""
        declared = self.study.declared[self.paper]["experiments"].get(name, {})
        played = self.settings["experiments"].get(name)
        place = f"{name}: {self.study.file(self.paper)}:{self._line('experiments', name)}"
        if played is None:
            return f"{place}; this configuration leaves it out"
        problem = f"{declared['problem']}, {self._code(problems.load(declared['problem']))}"
        return f"{place}; {played['horizon']} rounds, {played['replicates']} seeds; problem: {problem}"

    def policy(self, experiment: str, label: str) -> str:
        """Say what a policy is, and where its code is."""
        algorithm = self.settings["experiments"][experiment]["policies"][label]["algorithm"]
        return f"{experiment}/{label}: {algorithm}, {self._code(resolve_name(import_path(algorithm)))}"

    def runs(self, found: Read) -> list[str]:
        """List the files of runs of the experiments that are read."""
        return [f"{self.results}/{self.paper}/{experiment}/runs.parquet" for experiment in found.experiments]

    def tables(self, found: Read) -> list[str]:
        """List the final values that are read, and the tables of earlier stages behind their problems."""
        tidy = [f"{self.results}/{self.paper}/{name}/finals.parquet" for name in found.experiments]
        pending: list[str] = []
        for name in found.experiments:
            pending += self.study.inputs(self.paper, "experiments", name).values()
        listed: list[str] = []
        while pending:
            path = pending.pop(0)
            if path not in listed:
                listed.append(path)
                if stage := self._stage(path):
                    pending += self.study.inputs(self.paper, *stage).values()
        return tidy + [path.replace("<results>", str(self.results)) for path in listed]

    def table(self, path: str) -> str:
        """Say where a table is configured and computed, if a stage before the experiments makes it."""
        stage = self._stage(path)
        if not stage:
            return self._missing(path)
        section, name = stage
        builder = resolve_name(self.study.dictionary(self.paper, "stages"))[self.settings[section][name]["builder"]]
        place = f"{self.study.file(self.paper)}:{self._line(section, name)}"
        return f"{self._missing(path)}: {place}; {builder.__name__}, {self._code(builder)}"

    def ledger(self) -> list[str]:
        """List the ledger entries that the claim and its readings cite."""
        cited = self.claim.cited.split()
        entries = read_entries(self.root)
        return [f"{id_}: {entries[id_].title} ({FOLDER}/{entries[id_].address})" for id_ in dict.fromkeys(cited)]

    def shown(self, found: Read) -> list[str]:
        """List the figure or table that prints the claim or, if there is none, those that show all its experiments."""
        own = re.sub(r"\W", "", self.printed.place).lower()
        printed = any(own in self.settings.get(kind, {}) for kind in ("figures", "tables"))
        experiments, shown = set(found.experiments), []
        for kind, suffix in (("figures", "png"), ("tables", "csv")):
            for name, entry in self.settings.get(kind, {}).items():
                if name == own or (not printed and experiments and experiments <= set(entry.get("experiments", ()))):
                    path, committed = (f"{folder}/{self.paper}/{name}.{suffix}" for folder in (self.figures, "figures"))
                    there = not (self.here / path).exists() and (self.root / committed).exists()
                    shown.append(f"{committed} (of the committed run)" if there else self._missing(path))
        return shown

    def _stage(self, path: str) -> tuple[str, str] | None:
        """Return the stage and name of a table of this paper; None if no stage makes it."""
        *_, paper, stage, name = ("", "", *Path(path).with_suffix("").parts)
        return (stage, name) if paper == self.paper and stage in STAGES else None

    def _missing(self, path: str) -> str:
        return path if (self.here / path).exists() else f"{path} (not made yet)"

    def _code(self, thing: Any) -> str:
        """Return the file and line of a function or class."""
        thing = inspect.unwrap(thing)
        return self._relative(f"{inspect.getsourcefile(thing)}:{inspect.getsourcelines(thing)[1]}")

    def _relative(self, place: str) -> str:
        """Return a file and line relative to the checkout, if it is there."""
        file, root = Path(place).resolve(), self.root.resolve()
        return str(file.relative_to(root) if file.is_relative_to(root) else file)

    def _line(self, section: str, entry: str) -> int:
        """Find the line of the paper's file on which an entry of a section begins."""
        home = self.study.homes[self.paper]
        node: Any = yaml.compose((home.root / home.settings).read_text(encoding="utf-8"), LOADER)
        for name in (section, entry):
            ((key, node),) = [pair for pair in node.value if pair[0].value == name]
        return int(key.start_mark.line) + 1


def _told(row: Mapping[str, str]) -> str:
    """Write an outcome with its numbers in one line."""
    told = row["outcome"] + (f" ({row['why']})" if row["why"] else "")
    interval = f" [{row['ci_low']}, {row['ci_high']}]" if row["ci_low"] else ""
    number = f"; replicated {row['replicated']}{interval}" if row["replicated"] else ""
    trials = f", n = {row['n']}" if row["n"] not in ("", "0") else ""
    return f"{told}{number}{trials}"


def _block(heading: str, lines: Sequence[str]) -> list[str]:
    """Write a heading and its lines, wrapped at spaces.

    Commands and paths are not split. Without lines nothing is written.
    """
    if not lines:
        return []
    if len(heading) >= INDENT:
        return [heading, *_block(" ", lines)]
    shown = [part for line in lines for part in ([line] if line.startswith("snakemake ") else _wrap(line))]
    return [f"{name:{INDENT}}{line}".rstrip() for name, line in zip([heading, *[""] * len(shown)], shown, strict=False)]


def _wrap(line: str) -> list[str]:
    return textwrap.wrap(line, 120 - INDENT, break_long_words=False, break_on_hyphens=False)


def configured(root: Path, *, quick: bool) -> dict[str, Any]:
    """Read the configuration of the whole study, or of the small one."""
    config: dict[str, Any] = read_yaml(root / CONFIG, CONFIG)
    if quick:
        update_config(config, read_yaml(root / QUICK, QUICK))
    return config


def places(config: Mapping[str, Any]) -> tuple[Path, Path]:
    """Return the folders of a configuration's results and figures."""
    named = {"results": "results", "figures": "figures", **config.get("pathvars", {})}
    return Path(named["results"]), Path(named["figures"])


def printed_in(root: Path, own: Sequence[str] = ()) -> dict[str, dict[str, Printed]]:
    """Read what is printed in each paper, of the study and in folders of their own, by its slug."""
    homes = [home_of(folder, root) for folder in own]
    paths = {path.stem: path for path in sorted((root / "data/published").glob("*.csv"))}
    paths |= {home.slug: home.root / home.published for home in homes}
    return {slug: read(path) for slug, path in paths.items()}


def listed(beginning: str, printed: Mapping[str, Mapping[str, Printed]]) -> list[str]:
    """List the published claims whose ids begin so, each with its statement; none if it is the id of one."""
    found = {
        id_: row.statement
        for of_paper in printed.values()
        for id_, row in of_paper.items()
        if f"{id_}.".startswith(f"{beginning.rstrip('.')}." if beginning else "")
    }
    return [] if beginning in found else [f"{id_}  {statement}".rstrip() for id_, statement in found.items()]


def is_quick_newer(paper: str, root: Path, here: Path) -> bool:
    """Return whether a paper was judged in the small study last."""

    def judged(*, quick: bool) -> float:
        path = here / places(configured(root, quick=quick))[0] / paper / VERDICTS
        return path.stat().st_mtime if path.exists() else 0.0

    return judged(quick=True) > judged(quick=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Explain a claim, of the small study if its paper was judged there last; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.explain", description=__doc__)
    told = "a claim's id, for instance huang2024.table1.7.cp; the beginning of several, or nothing, lists them"
    parser.add_argument("claim", nargs="?", default="", help=told)
    parser.add_argument("--papers", nargs="*", default=[], metavar="FOLDER", help="papers in folders of their own")
    options = parser.parse_args(arguments)
    try:
        printed = printed_in(checkout(), options.papers)
        if under := listed(options.claim, printed):
            print("\n".join(under))
            return 0
        paper = next((slug for slug, rows in printed.items() if options.claim in rows), "")
        quick = is_quick_newer(paper, checkout(), Path())
        print(Explained(options.claim, checkout(), quick=quick, own=options.papers, here=Path()).text())
    except (ConfigError, TableError, OSError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
